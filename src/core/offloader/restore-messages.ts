import { requireOptions, hostCallback } from "../arguments.js";
import { DEFAULTS } from "../defaults.js";
import type { Format, SlotContent, Hash, FormatResult, ToolDescription } from "../engine/format.js";
import { readMessage } from "../engine/survey.js";
import { messageOf } from "../errors/context-offload-error.js";
import { fromJson, isPlainJson } from "../lib/json/plain-json.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import { REDACTIONS_KEY, WRAPPING_KEY } from "../workspace/artifacts/prepare-artifact.js";
import { parseReference } from "../workspace/reference/knowledge-list.js";
import { isContent, type WorkspaceCore } from "../workspace/workspace-core.js";
import { findReferenced, type HeldSession } from "./held-session.js";
import { LargeParts } from "./large-parts.js";
import type { RestoreOptions, UnknownReference, OffloaderSettings } from "./offloader-types.js";
import type { ReadingCalls } from "./reading-answer.js";
import type { PartKind, PartReport } from "./report.js";
import {
  CallBook,
  type Call,
  type SeenMessage,
  findReadings,
  repliesBesideReading,
  type TurnMemory,
} from "./turn-memory.js";

/** The options of `restore`, with callbacks whose errors have a code. */
export function requireCallbacks(options: RestoreOptions | undefined): RestoreOptions {
  const { signal, onUnknown, onRedacted } = requireOptions(options);
  return {
    signal,
    onUnknown: hostCallback("onUnknown", onUnknown),
    onRedacted: hostCallback("onRedacted", onRedacted),
  };
}

/** Replaces references by the original content; messages without a reference are returned unchanged. */
export async function restoreMessages(
  messages: readonly unknown[],
  format: Format,
  core: WorkspaceCore,
  sessionId: string,
  { signal, onUnknown, onRedacted }: RestoreOptions,
): Promise<readonly unknown[]> {
  signal?.throwIfAborted();
  const session = await core.listSession(sessionId);
  const restored = messages.slice();
  let changed = false;
  for (const [messageIndex, message] of messages.entries()) {
    const contents: SlotContent[] = [];
    const { results } = readMessage(format, message, (error) => {
      const why = `message ${messageIndex} cannot be read and is kept: ${messageOf(error)}`;
      core.note("failure", "restore", { session_id: sessionId, error: why });
    });
    for (const { id, slot, soleText } of results) {
      const target = parseReference(soleText, id);
      if (!target) continue;
      const record = findReferenced(session, soleText, id);
      const original = record && (await core.original(record, signal));
      if (record && original !== undefined && isContent(original)) {
        contents.push({ slot, content: original, wrapping: record.metadata[WRAPPING_KEY] });
        const { [REDACTIONS_KEY]: redactions } = record.metadata;
        if (typeof redactions === "number") {
          const { artifactId } = record;
          onRedacted?.({ messageIndex, toolCallId: id, artifactId, redactions });
        }
        continue;
      }
      const { artifactId } = target;
      const error = "the session holds no such artifact; the reference was kept";
      core.note("failure", "restore", { artifact_id: artifactId, session_id: sessionId, error });
      onUnknown?.({ messageIndex, toolCallId: id, artifactId });
    }
    if (contents.length === 0) continue;
    restored[messageIndex] = format.restore(message, contents);
    changed = true;
  }
  return changed ? restored : messages;
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

interface OldMessagesWiring extends OffloaderSettings {
  readonly core: WorkspaceCore;
  readonly countTokens: CountTokens;
  readonly readingCalls: ReadingCalls;
}

/** What is replaced only after some replies of the model, by request: answers of the reading tools, large parts. */
export function createOldMessages(wiring: OldMessagesWiring) {
  const { core, sessionId, readingCalls } = wiring;
  const largeParts = new LargeParts(wiring);
  const readsOf = (format: Format) => ({ format, readingCalls, hash: core.hash });

  return {
    /** Changes the output and what is remembered of it; reports the parts, if any were asked for. */
    async rewrite(
      output: unknown[],
      { turns, taken }: { turns: TurnMemory; taken: readonly SeenMessage[] },
      kinds: readonly PartKind[],
      session: HeldSession,
      signal: AbortSignal | undefined,
    ): Promise<readonly PartReport[] | undefined> {
      const wantsParts = kinds.some((kind) => kind !== "results");
      const { format } = turns;
      const replace = (changed: ReadonlyMap<number, unknown>): void => {
        for (const [index, message] of changed) {
          output[index] = message;
          turns.setOutput(index, message, taken);
        }
      };
      const rule = wiring.forgetReads ?? { afterTurns: DEFAULTS.forgetReadsTurns };
      const readings = rule === false ? [] : findReadings(taken);
      if (rule !== false && readings.length > 0) {
        const replies = repliesBesideReading(taken);
        replace(forgetReads(output, readsOf(format), rule, readings, replies, session));
      }
      if (!wantsParts) return undefined;
      const { modelMessages: replies = [] } = turns.survey(output.length, taken);
      const { changed, reports } = await largeParts.offload(output, format, kinds, replies, signal);
      replace(changed);
      return reports;
    },

    /** Puts back everything that was replaced, results included. */
    async restore(
      messages: readonly unknown[],
      format: Format,
      tools: readonly ToolDescription[],
      options: RestoreOptions,
    ): Promise<readonly unknown[]> {
      const { signal, onUnknown } = options;
      const tell = (error: string) => (unknown: UnknownReference) => {
        const { artifactId } = unknown;
        core.note("failure", "restore", { artifact_id: artifactId, session_id: sessionId, error });
        onUnknown?.(unknown);
      };
      const results = await restoreMessages(messages, format, core, sessionId, options);
      const session = await core.listSession(sessionId);
      const notHeld = tell("the session holds no such artifact; the reference was kept");
      const whole = await largeParts.restore(results, format, session, signal, notHeld);
      const changed = tell("what was read cannot be read again as it was; the line was kept");
      return restoreReads(whole, readsOf(format), tools, signal, changed);
    },
  };
}
