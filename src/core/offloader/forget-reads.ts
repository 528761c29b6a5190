import { DEFAULTS } from "../defaults.js";
import type { Hash } from "../engine/content.js";
import type { Format, FormatResult, SlotContent, ToolDescription } from "../engine/format.js";
import { readMessage } from "../engine/survey.js";
import { fromJson, isPlainJson } from "../lib/json/plain-json.js";
import { CallBook, type Call } from "./call-book.js";
import type { HeldSession } from "./held-session.js";
import type { UnknownReference } from "./offloader-types.js";
import type { ReadingCalls } from "./reading-answer.js";

/** The answer of a reading tool in a conversation, and its call. */
interface ReadAnswer {
  readonly messageIndex: number;
  readonly found: FormatResult;
  readonly name: string;
  /** The input of the call, as JSON. */
  readonly input: string;
  readonly artifactId: string;
}

interface CallWithInput extends Call {
  readonly input: unknown;
}

/** Which answers are replaced, and when. */
interface ForgetReads {
  /** Once the model has replied this often since; replies that only read do not count. */
  readonly afterTurns: number;
  /** Only answers of at least this many characters. Default 4,000. */
  readonly minChars?: number | undefined;
}

/** What both directions need. */
export interface ReadsWiring {
  readonly format: Format;
  readonly readingCalls: ReadingCalls;
  readonly hash: Hash;
}

const LINE = /^\[Removed to save room\. To see it again: (\S+?)\((\{.*\})\) #([0-9a-f]{8})\]$/s;
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
  { artifacts }: HeldSession,
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

/** Makes the calls of forgotten answers again and puts back what has the same hash. */
export async function restoreReads(
  messages: readonly unknown[],
  wiring: ReadsWiring,
  tools: readonly ToolDescription[],
  signal: AbortSignal | undefined,
  onUnknown: (reference: UnknownReference) => void,
): Promise<readonly unknown[]> {
  const byMessage = new Map<number, Map<number, string>>();
  for (const { messageIndex, found, name, input, artifactId } of findAnswers(messages, wiring)) {
    const [, printedName, printedInput, hash = ""] = LINE.exec(found.soleText ?? "") ?? [];
    // Whatever does not name its own call is content: tool output can lie.
    if (printedName !== name || printedInput !== input) continue;
    const tool = tools.find((candidate) => candidate.name === name);
    const answer = await tool?.execute(JSON.parse(input), signal ? { signal } : {});
    signal?.throwIfAborted();
    if (answer && !answer.isError && wiring.hash(answer.text).startsWith(hash)) {
      const texts = byMessage.get(messageIndex) ?? new Map<number, string>();
      byMessage.set(messageIndex, texts.set(found.slot, answer.text));
    } else onUnknown({ messageIndex, toolCallId: found.id, artifactId });
  }
  if (byMessage.size === 0) return messages;
  return messages.map((message, index) => {
    const texts = byMessage.get(index);
    return texts ? putBack(message, wiring.format, texts) : message;
  });
}

function renderLine({ name, input, found }: ReadAnswer, hash: Hash): string {
  const digits = hash(found.soleText ?? "").slice(0, HASH_DIGITS);
  return `[Removed to save room. To see it again: ${name}(${input}) #${digits}]`;
}

function putBack(
  message: unknown,
  format: Format,
  originals: ReadonlyMap<number, string>,
): unknown {
  const contents: SlotContent[] = [];
  for (const { slot, content, soleText, wrapping } of readMessage(format, message).results) {
    const text = originals.get(slot);
    if (text === undefined) continue;
    const original = Array.isArray(content)
      ? (content as readonly { readonly text?: unknown }[]).map((block) =>
          block.text === soleText ? { ...block, text } : block,
        )
      : text;
    contents.push({ slot, content: original, wrapping });
  }
  return format.restore(message, contents);
}

function findAnswers(
  messages: readonly unknown[],
  { format, readingCalls }: ReadsWiring,
  among: Iterable<number> = messages.keys(),
): ReadAnswer[] {
  const book = new CallBook<CallWithInput>();
  return [...among].flatMap((messageIndex) => {
    const { calls, results } = readMessage(format, messages[messageIndex]);
    book.add(calls.map((call) => ({ ...call, reading: readingCalls.read(call.name, call.input) })));
    return results.flatMap((found) => {
      const call = book.answeredBy(found);
      const artifactId = call?.reading?.artifactId;
      if (!call || artifactId === undefined) return [];
      const input = asObjectJson(call.input);
      if (input === undefined) return [];
      return [{ messageIndex, found, name: call.name, input, artifactId }];
    });
  });
}

function asObjectJson(input: unknown): string | undefined {
  const value = fromJson(input);
  const isObject = typeof value === "object" && value !== null;
  return isObject && isPlainJson(value) ? JSON.stringify(value) : undefined;
}
