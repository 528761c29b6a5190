import { DEFAULTS } from "../defaults.js";
import type { Format, FormatResult, Hash, SlotContent, ToolResult } from "../engine/format.js";
import { readMessage, type FoundCall } from "../engine/survey.js";
import { fromJson, isPlainJson } from "../lib/json/plain-json.js";
import type { SessionListing } from "../workspace/artifacts/artifact-store.js";
import {
  COMPACT_TOOL,
  nameTools,
  type ToolName,
  type ToolNaming,
} from "../workspace/reading/reading.js";
import { parametersOf, READING_TOOLS } from "../workspace/tools/reading-tools.js";
import type { SessionIndex } from "./session-index.js";

/** What a call of a reading tool reads: one artifact, or what needs no id. */
export interface ReadingCall {
  readonly artifactId: string | undefined;
}

/** Reads calls of the reading tools; `undefined` for those of any other tool. */
export interface ReadingCalls {
  read(name: string, input: unknown): ReadingCall | undefined;
  /** For a result whose call is not in the history: without an input, the name is all there is to go by. */
  guess(toolName: string | undefined, input?: unknown): ReadingCall | undefined;
}

/** The list, and a search over everything. */
const NEED_NO_ID: ReadonlySet<ToolName> = new Set<ToolName>([
  "get_tool_result_offload_info",
  "grep_knowledge",
  COMPACT_TOOL,
]);

const PARAMETERS: ReadonlySet<string> = new Set(parametersOf(READING_TOOLS[COMPACT_TOOL]));

const NO_ID: ReadingCall = { artifactId: undefined };

/** The tools cap what they return; what is much longer was returned by another tool of that name. */
const MAX_SHARE = 2;

export function createReadingCalls(naming: ToolNaming): ReadingCalls {
  const tools = new Map(nameTools(naming, "all").map(({ tool, name }) => [name, tool]));
  const read: ReadingCalls["read"] = (name, input) => {
    const tool = tools.get(name);
    return tool && readCall(tool, input);
  };
  return {
    read,
    guess(toolName, input) {
      if (toolName === undefined || !tools.has(toolName)) return undefined;
      return input === undefined ? NO_ID : read(toolName, input);
    },
  };
}

function readCall(tool: ToolName, input: unknown): ReadingCall | undefined {
  const given = Object(fromJson(input)) as Readonly<Record<string, unknown>>;
  const isGiven = (name: string) => textOf(given[name]) !== undefined;
  const { required } = READING_TOOLS[tool];
  if (!required.every((name) => name === "artifact_id" || isGiven(name))) return undefined;
  const id = tool === COMPACT_TOOL ? textOf(given["id"]) : undefined;
  const artifactId = id ?? textOf(given["artifact_id"]);
  if (artifactId !== undefined) return { artifactId };
  // It needs nothing at all, so that what it is called with must not be for another tool of its name.
  if (tool === COMPACT_TOOL && !Object.keys(given).every((name) => PARAMETERS.has(name))) {
    return undefined;
  }
  return NEED_NO_ID.has(tool) ? NO_ID : undefined;
}

/** As tolerant as the tools themselves: a number is accepted, and an empty string counts as missing. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Lists a session, as a workspace does. */
export type ListSession = (sessionId: string) => Promise<SessionListing>;

/**
 * Which of the results are answers of the reading tools: the call has one of their names, and reads
 * an artifact that the session or one of its children holds, or held, or needs no id.
 */
export async function findReadingAnswers<
  Result extends ToolResult & { readonly reading?: ReadingCall | undefined },
>(
  results: readonly Result[],
  session: SessionListing,
  listSession: ListSession,
  readChars: number = DEFAULTS.readChars,
): Promise<ReadonlySet<Result>> {
  const maxChars = MAX_SHARE * Math.max(readChars, DEFAULTS.readChars);
  const answers = new Set<Result>();
  const asked = new Map<string, Result[]>();
  for (const result of results) {
    const { reading, soleText, chars } = result;
    if (!reading || (soleText?.length ?? chars) > maxChars) continue;
    const { artifactId } = reading;
    if (artifactId === undefined || isKnown(session, artifactId)) answers.add(result);
    else asked.set(artifactId, [...(asked.get(artifactId) ?? []), result]);
  }
  // A set that grows while it is iterated also reaches the children's children.
  const children = new Set(session.children);
  for (const child of children) {
    if (asked.size === 0) break;
    const listing = await listSession(child);
    for (const grandchild of listing.children) children.add(grandchild);
    for (const [artifactId, found] of asked) {
      if (!isKnown(listing, artifactId)) continue;
      for (const result of found) answers.add(result);
      asked.delete(artifactId);
    }
  }
  return answers;
}

/** What was removed since was read while it was there. */
function isKnown({ artifacts, removed }: SessionListing, artifactId: string): boolean {
  // The tools accept blanks around an id.
  const ids = [artifactId, artifactId.trim()];
  return ids.some((id) => artifacts.has(id) || removed.has(id));
}

/** A call of the history. */
export interface Call {
  readonly id: string | undefined;
  readonly name: string;
  /** What it reads, if it is a call of a reading tool. */
  readonly reading: ReadingCall | undefined;
  /** What its input says, as far as a digest of the result looks at it. */
  readonly about?: string | undefined;
}

/** The calls of a history, to find the one that a result answers. */
export class CallIndex<C extends Pick<Call, "id" | "name"> = Call> {
  readonly #byId = new Map<string, C>();
  /** Some vendors give calls no id; they are answered by name, in their order. */
  readonly #openByName = new Map<string, C[]>();

  /** The last call of an id counts: ids are used again. */
  add(calls: readonly C[]): void {
    for (const call of calls) {
      if (call.id !== undefined) this.#byId.set(call.id, call);
      else {
        const open = this.#openByName.get(call.name) ?? [];
        open.push(call);
        this.#openByName.set(call.name, open);
      }
    }
  }

  /** The call that a result answers. One without an id is answered once. */
  answeredBy({ id, toolName }: Pick<FormatResult, "id" | "toolName">): C | undefined {
    if (id !== undefined) return this.#byId.get(id);
    return toolName === undefined ? undefined : this.#openByName.get(toolName)?.shift();
  }
}

/** The answer of a reading tool in a conversation, and its call. */
interface ReadAnswer {
  readonly messageIndex: number;
  readonly found: FormatResult;
  readonly name: string;
  /** The input of the call, as JSON. */
  readonly input: string;
  readonly artifactId: string;
}

/** Which answers are replaced, and when. */
interface ForgetReads {
  /** Once the model has replied this often since; replies that only read do not count. */
  readonly afterTurns: number;
  /** Only answers of at least this many characters. Default 4,000. */
  readonly minChars?: number | undefined;
}

interface ReadsWiring {
  readonly format: Format;
  readonly readingCalls: ReadingCalls;
  readonly hash: Hash;
}

const LINE = /^\[Removed to save space\. To read it again: (\S+?)\((\{.*\})\) #([0-9a-f]{8})\]$/s;
const HASH_DIGITS = 8;

/**
 * Replaces long answers of the reading tools that are older than `afterTurns` replies of the model by a
 * line with their call and a hash. Only those that can be put back exactly: the call reads an artifact
 * that the session holds, which never changes, and the message can be rebuilt from the line.
 *
 * @param readings - Where reading tools are called, and where they answer.
 * @param replies - Where the replies begin that do more than read.
 */
export function forgetReads(
  messages: readonly unknown[],
  wiring: ReadsWiring,
  { afterTurns, minChars = DEFAULTS.forgetReadsChars }: ForgetReads,
  readings: readonly number[],
  replies: readonly number[],
  { artifacts }: SessionIndex,
): Map<number, unknown> {
  const lastForgotten = replies.at(-afterTurns) ?? -1;
  const byMessage = new Map<number, ReadAnswer[]>();
  for (const answer of findAnswers(messages, wiring, readings)) {
    const { messageIndex, found, artifactId } = answer;
    const { soleText = "", isError } = found;
    if (messageIndex >= lastForgotten || isError || !artifacts.has(artifactId)) continue;
    if (soleText.length < minChars) continue;
    if (renderLine(answer, wiring.hash).length > soleText.length * DEFAULTS.forgetReadsShare)
      continue;
    byMessage.set(messageIndex, [...(byMessage.get(messageIndex) ?? []), answer]);
  }
  const changed = new Map<number, unknown>();
  for (const [index, answers] of byMessage) {
    const replaced = forgetIn(messages[index], answers, wiring);
    if (replaced !== undefined) changed.set(index, replaced);
  }
  return changed;
}

/** The message with lines in place of answers; `undefined` if it could not be rebuilt from them. */
function forgetIn(
  message: unknown,
  answers: readonly ReadAnswer[],
  { format, hash }: ReadsWiring,
): unknown {
  const texts = answers.map((answer) => ({
    slot: answer.found.slot,
    text: renderLine(answer, hash),
  }));
  const originals = new Map(answers.map(({ found }) => [found.slot, found.soleText ?? ""]));
  try {
    const replaced = format.replace(message, texts, { media: "keep" });
    const back = putBack(replaced, format, originals);
    return JSON.stringify(back) === JSON.stringify(message) ? replaced : undefined;
  } catch {
    // It holds what JSON cannot, or throws when it is looked at.
    return undefined;
  }
}

function renderLine({ name, input, found }: ReadAnswer, hash: Hash): string {
  const digits = hash(found.soleText ?? "").slice(0, HASH_DIGITS);
  return `[Removed to save space. To read it again: ${name}(${input}) #${digits}]`;
}

function putBack(
  message: unknown,
  format: Format,
  originals: ReadonlyMap<number, string>,
): unknown {
  const contents = readMessage(format, message).results.flatMap((result) => {
    const text = originals.get(result.slot);
    return text === undefined ? [] : [withText(result, text)];
  });
  return format.restore(message, contents);
}

/** A result with another text in place of its own. */
function withText({ slot, content, soleText, wrapping }: FormatResult, text: string): SlotContent {
  const original = Array.isArray(content)
    ? (content as readonly { readonly text?: unknown }[]).map((block) =>
        block.text === soleText ? { ...block, text } : block,
      )
    : text;
  return { slot, content: original, wrapping };
}

/** A line in place of an answer that was forgotten. */
export interface ForgottenRead {
  readonly name: string;
  readonly input: unknown;
  readonly artifactId: string;
  /** What to put back for this text; `undefined` if it is not what was there. */
  original(text: string, hash: Hash): SlotContent | undefined;
}

/** Reads a line that names the call that the result answers. Whatever else looks like one is content. */
export function parseForgotten(
  result: FormatResult,
  call: FoundCall | undefined,
  readingCalls: ReadingCalls,
): ForgottenRead | undefined {
  const [, name, printedInput, digits = ""] = LINE.exec(result.soleText ?? "") ?? [];
  if (name === undefined || name !== call?.name) return undefined;
  const input = asObjectJson(call.input);
  const artifactId = readingCalls.read(name, call.input)?.artifactId;
  if (input === undefined || input !== printedInput || artifactId === undefined) return undefined;
  return {
    ...{ name, artifactId, input: JSON.parse(input) },
    original: (text, hash) => (hash(text).startsWith(digits) ? withText(result, text) : undefined),
  };
}

function findAnswers(
  messages: readonly unknown[],
  { format, readingCalls }: ReadsWiring,
  among: readonly number[],
): ReadAnswer[] {
  const index = new CallIndex<FoundCall>();
  return among.flatMap((messageIndex) => {
    const { calls, results } = readMessage(format, messages[messageIndex]);
    index.add(calls);
    return results.flatMap((found) => {
      const call = index.answeredBy(found);
      const artifactId = call && readingCalls.read(call.name, call.input)?.artifactId;
      const input = artifactId === undefined ? undefined : asObjectJson(call?.input);
      if (!call || artifactId === undefined || input === undefined) return [];
      return [{ messageIndex, found, name: call.name, input, artifactId }];
    });
  });
}

function asObjectJson(input: unknown): string | undefined {
  const value = fromJson(input);
  const isObject = typeof value === "object" && value !== null;
  return isObject && isPlainJson(value) ? JSON.stringify(value) : undefined;
}
