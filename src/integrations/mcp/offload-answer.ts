import { DEFAULTS } from "../../core/defaults.js";
import { createHash } from "node:crypto";
import { coreOf } from "../../core/workspace/workspace-core.js";
import { mcpFormat } from "../../formats/mcp.js";
import type { OffloadSession } from "../shared/sessions.js";

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

/**
 * The same value with references in place of its long strings: the rest of its shape is what programs
 * and schemas rely on.
 */
export function shortenStructured(value: unknown, reference: string): unknown {
  if (typeof value === "string") return value.length > DEFAULTS.structuredChars ? reference : value;
  if (Array.isArray(value)) return value.map((item) => shortenStructured(item, reference));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    shortenStructured(item, reference),
  ]);
  return Object.fromEntries(entries) as unknown;
}

/** Why shortening would not help. */
export function staysLong(original: unknown, shortened: unknown): string | undefined {
  const isShorter = JSON.stringify(shortened).length < JSON.stringify(original).length / 2;
  return isShorter ? undefined : "its structured content has no long strings to replace";
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** Rules that a reference may break, and those that only a validator can follow. */
const STRICT = ["enum", "const", "pattern", "format", "minLength", "maxLength", "$ref"];
const COMBINED = ["anyOf", "oneOf", "allOf", "not", "if", "patternProperties", "prefixItems"];

/** Why a JSON schema might not allow another string in place of a long one. */
export function refusedBy(schema: unknown, value: unknown, path = ""): string | undefined {
  if (typeof value === "string" && value.length <= DEFAULTS.structuredChars) return undefined;
  if (typeof value !== "string" && (typeof value !== "object" || value === null)) return undefined;
  if (schema === undefined || schema === true) return undefined;
  const rules = (typeof schema === "object" && schema !== null ? schema : {}) as JsonSchema;
  const strict = [...STRICT, ...COMBINED].find((rule) => rules[rule] !== undefined);
  if (strict !== undefined && hasLong(value)) {
    return `its output schema has ${strict} for ${path === "" ? "the whole" : path}`;
  }
  if (typeof value === "string") return undefined;
  for (const [key, item] of Object.entries(value)) {
    const properties = (rules["properties"] ?? {}) as JsonSchema;
    const part = Array.isArray(value)
      ? rules["items"]
      : Object.hasOwn(properties, key)
        ? properties[key]
        : rules["additionalProperties"];
    const why = refusedBy(part, item, `${path}/${key}`);
    if (why !== undefined) return why;
  }
  return undefined;
}

function hasLong(value: unknown): boolean {
  return JSON.stringify(shortenStructured(value, "")) !== JSON.stringify(value);
}
