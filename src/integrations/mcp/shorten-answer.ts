import { createHash } from "node:crypto";
import { guardHost } from "../../core/arguments.js";
import { DEFAULTS } from "../../core/defaults.js";
import type { ResultReport } from "../../core/offloader/report.js";
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
  offload<M>(
    messages: readonly M[],
    options: { readonly isArrival: true },
  ): Promise<{ readonly messages: readonly M[] }>;
  /** What `offload` would do; writes nothing. */
  estimate(
    messages: readonly unknown[],
  ): Promise<{ readonly results: readonly Pick<ResultReport, "outcome" | "reference">[] }>;
}

/** The offloader of a drop-in's session. */
export function offloaderOf(session: OffloadSession): AnswerOffloader {
  return {
    ...{ workspace: session.workspace, sessionId: session.sessionId },
    offload: async (messages) => ({ messages: await session.exchange(messages, mcpFormat) }),
    estimate: async (messages) => ({ results: await session.previewExchange(messages, mcpFormat) }),
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
 * reference in place of its text and of what is long in its structured content.
 *
 * Structured content keeps its shape, and only what the tool's output schema allows is returned. Where
 * the schema allows nothing shorter, the text alone becomes a reference; where that saves too little,
 * the answer is passed on whole and is not stored.
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
  const { content: blocks, structuredContent } = result as McpToolResult;
  // Not an answer yet, such as a request for input or the handle of a task.
  if (blocks === undefined && structuredContent === undefined) return result;
  const rpc = { jsonrpc: "2.0", id: `${name}-${hashOf(result)}` };
  const messages: readonly object[] = [
    { ...rpc, method: "tools/call", params: { name, arguments: input } },
    { ...rpc, result },
  ];
  // What nothing can be made of must not be stored either.
  const planned =
    rejects && structuredContent !== undefined
      ? await planStructured(offloader, messages, { name, result, rejects })
      : {};
  if (!planned) return result;
  const [, response] = (await offloader.offload(messages, { isArrival: true })).messages;
  const offloaded = (response as { readonly result: R & McpToolResult }).result;
  const [first, ...kept] = offloaded.content ?? [];
  const [artifactId] = parseKnowledgeList(textOfBlock(first) ?? "") ?? [];
  if (offloaded === result || artifactId === undefined) return result;
  const content = linkTo
    ? [first, guardHost("linkTo", linkTo)(artifactId), ...kept]
    : offloaded.content;
  return { ...offloaded, content, ...planned };
}

/** The structured content that goes with the reference; `undefined` if the answer is kept whole. */
async function planStructured(
  offloader: AnswerOffloader,
  messages: readonly object[],
  {
    name,
    result,
    rejects,
  }: Pick<AnsweredCall<object>, "name" | "result"> & {
    readonly rejects: NonNullable<AnsweredCall<object>["rejects"]>;
  },
): Promise<Required<Pick<McpToolResult, "structuredContent">> | undefined> {
  const { results } = await offloader.estimate(messages);
  const [{ outcome, reference = "" } = { outcome: "kept" }] = results;
  const [artifactId] = parseKnowledgeList(reference) ?? [];
  if (outcome !== "offloaded" || artifactId === undefined) return undefined;
  const { content = [], structuredContent } = result as McpToolResult;
  const others = content.filter((block) => textOfBlock(block) === undefined);
  const reasons: string[] = [];
  for (const lists of [false, true]) {
    const shortened = shortenStructured(structuredContent, { reference, artifactId }, lists);
    const chars = countChars([], shortened);
    const why = savesEnough(chars, countChars([], structuredContent))
      ? await rejects(shortened)
      : SAVES_TOO_LITTLE;
    if (why === undefined) return { structuredContent: shortened };
    reasons.push(why);
  }
  // Then it is left whole, and the text alone becomes the reference.
  const rest = reference.length + countChars(others, structuredContent);
  if (savesEnough(rest, countChars(content, structuredContent))) return { structuredContent };
  const { sessionId, workspace } = offloader;
  // What a schema forbids says more than that the rest would be too little.
  const reason = reasons.find((why) => why !== SAVES_TOO_LITTLE) ?? SAVES_TOO_LITTLE;
  coreOf(workspace).note("skip", "offload", { session_id: sessionId, tool_name: name, reason });
  return undefined;
}

const SAVES_TOO_LITTLE = "references in its structured content would save too little";

/** What stands in place of what is long. */
interface Mark {
  readonly reference: string;
  readonly artifactId: string;
}

function savesEnough(chars: number, before: number): boolean {
  return chars <= before * (1 - DEFAULTS.minSavedShare);
}

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
 * whole reference once, the id everywhere else. With `lists`, of any other long list only the first item that
 * has a string is left, with a reference in it: an empty list would look complete to whoever reads nothing
 * else. What holds nothing long is the same object as before.
 */
function shortenStructured(
  structured: unknown,
  { reference, artifactId }: Mark,
  lists: boolean,
): unknown {
  const references = [reference];
  const shortReference = `[Stored: artifact_id ${JSON.stringify(artifactId)}]`;
  const replace = (): string => references.pop() ?? shortReference;
  const shorten = (value: unknown): unknown => {
    if (typeof value === "string") return isLong(value) ? replace() : value;
    if (Array.isArray(value)) {
      const isText = value.every((item) => typeof item === "string");
      if (isText && isLong(value.join(""))) return [replace()];
      if (lists && isLong(JSON.stringify(value))) {
        const marked = findMap(value, (item: unknown) => withMark(item, replace));
        if (marked !== undefined) return [marked];
      }
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

/** A value with a mark in place of its first string, and without what is in its lists; `undefined` if it has none. */
function withMark(value: unknown, mark: () => string): unknown {
  if (typeof value === "string") return mark();
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) {
    const marked = findMap(value, (item: unknown) => withMark(item, mark));
    return marked === undefined ? undefined : [marked];
  }
  const entries = Object.entries(value);
  for (const [at, [key, item]] of entries.entries()) {
    const marked = withMark(item, mark);
    if (marked !== undefined)
      return Object.fromEntries(
        entries.map((entry, index) => (index === at ? [key, marked] : entry)),
      );
  }
  return undefined;
}

function findMap<T, U>(items: readonly T[], find: (item: T) => U | undefined): U | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isLong(text: string): boolean {
  return text.length >= DEFAULTS.structuredChars;
}

/** What a model may see of an answer, without media. */
function countChars(blocks: readonly unknown[], structuredContent: unknown): number {
  const texts = blocks.map((block) => textOfBlock(block)?.length ?? 0);
  return texts.reduce((sum, chars) => sum + chars, JSON.stringify(structuredContent).length);
}

/** The text of a block, or of the file that is embedded in it. */
function textOfBlock(block: unknown): string | undefined {
  const { text, resource } = (block ?? {}) as {
    readonly text?: unknown;
    readonly resource?: { readonly text?: unknown } | undefined;
  };
  return [text, resource?.text].find((candidate) => typeof candidate === "string");
}
