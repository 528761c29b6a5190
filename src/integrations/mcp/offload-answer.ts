import { createHash } from "node:crypto";
import { coreOf } from "../../core/workspace/workspace-core.js";
import { mcpFormat } from "../../formats/mcp.js";
import type { OffloadSession } from "../shared/connect-sessions.js";
import { shortenStructured } from "./structured-content.js";

/** A `CallToolResult`, as far as it matters here. */
export interface ToolResult {
  readonly content?: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

interface AnsweredCall {
  readonly name: string;
  readonly input: unknown;
  /** Says why the tool's output schema would not allow this; `undefined` if it does, or if there is none. */
  readonly refuses?: ((structuredContent: unknown) => Promise<string | undefined>) | undefined;
}

/** The result of a call with a reference in place of its content, if it is large. */
export async function offloadAnswer<R extends object>(
  session: OffloadSession,
  result: R & ToolResult,
  { name, input, refuses }: AnsweredCall,
): Promise<R> {
  const { structuredContent } = result;
  // A call has no id of its own; the same call has the same one, so that references do not change.
  const hash = createHash("sha256").update(JSON.stringify([name, input]));
  const rpc = { jsonrpc: "2.0", id: `${name}-${hash.digest("hex").slice(0, 12)}` };
  const request = { ...rpc, method: "tools/call", params: { name, arguments: input } };
  if (structuredContent !== undefined && refuses) {
    // What the schema might say is asked before anything is stored.
    const why = await refuses(shortenStructured(structuredContent, ""));
    if (why !== undefined) {
      const { sessionId, workspace } = session;
      const details = { session_id: sessionId, tool_name: name, reason: why };
      if (isLong(result)) coreOf(workspace).note("skip", "offload", details);
      return result;
    }
  }
  const messages: readonly object[] = [request, { ...rpc, result }];
  const [, response] = await session.exchange(messages, mcpFormat);
  const offloaded = (response as { result: R & ToolResult }).result;
  if (offloaded === result || structuredContent === undefined || !refuses) return offloaded;
  const reference = (offloaded.content?.[0] as { text?: string } | undefined)?.text ?? "";
  return { ...offloaded, structuredContent: shortenStructured(structuredContent, reference) };
}

function isLong(result: object): boolean {
  return JSON.stringify(result).length > 4_000;
}
