import { createHash } from "node:crypto";
import { guardHost } from "../../core/arguments.js";
import { DEFAULTS } from "../../core/defaults.js";
import { coreOf } from "../../core/workspace/workspace-core.js";
import { parseKnowledgeList } from "../../core/workspace/reference/knowledge-list.js";
import type { Workspace } from "../../core/workspace/workspace-types.js";
import { mcpFormat } from "../../formats/mcp.js";
import type { OffloadSession } from "../shared/sessions.js";

/** A `CallToolResult`, as far as it matters here. */
export interface McpToolResult {
  readonly content?: readonly unknown[] | undefined;
  readonly structuredContent?: unknown;
}

/** What stores an answer: an offloader for the format `"mcp"`. Its policy decides which answers are large. */
export interface AnswerOffloader {
  readonly workspace: Workspace;
  readonly sessionId: string;
  offload<M>(messages: readonly M[]): Promise<{ readonly messages: readonly M[] }>;
}

/** The offloader of a drop-in's session. */
export function offloaderOf(session: OffloadSession): AnswerOffloader {
  return {
    ...{ workspace: session.workspace, sessionId: session.sessionId },
    offload: async (messages) => ({ messages: await session.exchange(messages, mcpFormat) }),
  };
}

/** A call of an MCP tool that was answered. */
export interface AnsweredCall<R extends object> {
  /** The name of the tool. */
  readonly name: string;
  readonly input: unknown;
  /** The `CallToolResult`. */
  readonly result: R;
  /**
   * For a tool with an output schema: why the schema rejects this structured content, `undefined` if it
   * does not. For a tool without one, the structured content is dropped, since the text holds the same.
   */
  readonly rejects?:
    ((structuredContent: unknown) => string | undefined | Promise<string | undefined>) | undefined;
  /** A block that links to the stored answer, placed after the reference. Default: none. */
  readonly linkTo?: ((artifactId: string) => object) | undefined;
}

/**
 * The answer of an MCP tool as the model should get it: unchanged if it is small, otherwise with a
 * reference in place of its text and of the long strings in its structured content.
 *
 * Structured content keeps its shape, and only what the tool's output schema allows is returned. Where
 * the schema allows nothing shorter, the answer is whole, with a note of where it is stored.
 *
 * @example
 * const offloader = createOffloader({ sessionId: "s1", format: "mcp" });
 * const result = await client.callTool({ name, arguments: input });
 * const shortened = await shortenAnswer(offloader, { name, input, result });
 */
export async function shortenAnswer<R extends object>(
  offloader: AnswerOffloader,
  { name, input, result, rejects, linkTo }: AnsweredCall<R>,
): Promise<R> {
  const rpc = { jsonrpc: "2.0", id: `${name}-${hashOf(result)}` };
  const messages: readonly object[] = [
    { ...rpc, method: "tools/call", params: { name, arguments: input } },
    { ...rpc, result },
  ];
  const [, response] = (await offloader.offload(messages)).messages;
  const offloaded = (response as { readonly result: R & McpToolResult }).result;
  const [first, ...kept] = offloaded.content ?? [];
  const reference = (first as { readonly text?: string } | undefined)?.text ?? "";
  const [artifactId] = parseKnowledgeList(reference) ?? [];
  if (offloaded === result || artifactId === undefined) return result;
  const content = linkTo
    ? [first, guardHost("linkTo", linkTo)(artifactId), ...kept]
    : offloaded.content;
  const { structuredContent } = result as McpToolResult;
  if (!rejects || structuredContent === undefined) return { ...offloaded, content };
  const shortened = shortenStructured(structuredContent, reference, artifactId);
  const answer = { ...offloaded, content, structuredContent: shortened };
  const isShorter = shortened !== structuredContent && savesEnough(answer, result);
  const reason = isShorter ? await rejects(shortened) : SAVES_TOO_LITTLE;
  if (reason === undefined) return answer;
  const { sessionId, workspace } = offloader;
  coreOf(workspace).note("skip", "offload", { session_id: sessionId, tool_name: name, reason });
  return withNote(result, artifactId);
}

const SAVES_TOO_LITTLE = "references in its structured content would save too little";

/**
 * A call has no id that outlives its connection. The same answer has the same id, so that prompt caches
 * keep it, in whatever order an SDK puts its fields.
 */
function hashOf({ content, structuredContent }: McpToolResult): string {
  const json = JSON.stringify([content, structuredContent]);
  return createHash("sha256").update(json).digest("hex").slice(0, 8);
}

/**
 * The same value with references in place of its long strings and of its long lists of strings: the
 * whole reference once, the id everywhere else. Other lists are kept: one that is cut short would
 * look complete to a program. What holds nothing long is the same object as before.
 */
function shortenStructured(structured: unknown, reference: string, artifactId: string): unknown {
  const references = [reference];
  const shortReference = `[Stored: artifact_id ${JSON.stringify(artifactId)}]`;
  const replace = (): string => references.pop() ?? shortReference;
  const shorten = (value: unknown): unknown => {
    if (typeof value === "string") return isLong(value) ? replace() : value;
    if (Array.isArray(value)) {
      const isText = value.every((item) => typeof item === "string");
      if (isText && isLong(value.join(""))) return [replace()];
      const items = value.map(shorten);
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([key, item]) => [key, item, shorten(item)] as const);
    if (entries.every(([, item, shorter]) => item === shorter)) return value;
    return Object.fromEntries(entries.map(([key, , shorter]) => [key, shorter]));
  };
  return shorten(structured);
}

function isLong(text: string): boolean {
  return text.length >= DEFAULTS.structuredChars;
}

function savesEnough(shortened: McpToolResult, original: McpToolResult): boolean {
  return countChars(shortened) <= countChars(original) * (1 - DEFAULTS.minSavedShare);
}

/** What a model may see of an answer, without media. */
function countChars({ content = [], structuredContent }: McpToolResult): number {
  let chars = structuredContent === undefined ? 0 : JSON.stringify(structuredContent).length;
  for (const block of content as readonly { text?: unknown; resource?: { text?: unknown } }[]) {
    for (const text of [block.text, block.resource?.text]) {
      if (typeof text === "string") chars += text.length;
    }
  }
  return chars;
}

function withNote<R extends object>(result: R, artifactId: string): R {
  const text =
    "[This answer is complete: its structured content cannot be shortened. It is also stored as " +
    `artifact_id ${JSON.stringify(artifactId)}.]`;
  const { content = [] } = result as McpToolResult;
  return { ...result, content: [...content, { type: "text", text }] };
}
