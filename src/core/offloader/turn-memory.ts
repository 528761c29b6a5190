import { DEFAULTS } from "../defaults.js";
import {
  serializeContent,
  type Format,
  type FormatReadOptions,
  type FormatResult,
  type Hash,
  type MessageVisitor,
  type ResultState,
  type ToolResult,
  type Verdict,
} from "../engine/format.js";
import type { Survey } from "../engine/survey.js";
import { isData, isPlainJson } from "../lib/json/plain-json.js";
import { setLru } from "../lib/set-lru.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import { renderSent } from "../lib/wrapping/render-value.js";
import type { ArtifactRecord } from "../workspace/artifacts/artifact.js";
import type { CarriedResult } from "../workspace/ledger/ledger.js";
import type { OffloadMoment, ResultPlaces } from "./offload-moment.js";
import { parseReference } from "../workspace/reference/knowledge-list.js";
import { markCall, PlaceCounter, takePlace, type Place } from "./reference-place.js";
import { CallIndex, type Call, type ReadingCall, type ReadingCalls } from "./reads.js";
import {
  addReports,
  NO_TOTALS,
  type OffloadedResult,
  type OffloadTotals,
  type ResultReport,
} from "./report.js";
import { isHeld, type SessionIndex } from "./session-index.js";

/** Most messages hold none of something; they share one empty list. */
export const NONE: readonly never[] = [];

/** How much content is remembered: more than the references that a context window has room for. */
const MAX_KNOWN = 4_096;

/**
 * What earlier turns found out about content, by its hash: even when a host reloads its history
 * every turn, nothing is counted, digested or stored twice. The least recently used is forgotten,
 * so that a session without end takes no more than a few kilobytes for each of the last results.
 */
export class ContentMemory {
  /** In order of use, the least recently used first. */
  readonly #known = new Map<string, RememberedContent>();

  constructor(
    readonly hash: Hash,
    readonly countTokens: CountTokens,
  ) {}

  of({ id, content }: Pick<FormatResult, "id" | "content">): RememberedContent {
    const hash = this.hash(serializeContent(content));
    const kind = typeof content === "string" ? "text" : "value";
    const key = `${kind} ${hash}${id === undefined ? "" : ` ${id}`}`;
    const known = this.#known.get(key) ?? { hash, tokens: undefined, offloaded: new Map() };
    return setLru(this.#known, key, known, MAX_KNOWN);
  }
}

/** What is known of content, without the content itself. */
interface RememberedContent {
  readonly hash: string;
  /** Counted on first use. */
  tokens: number | undefined;
  /** How it was offloaded, by its wrapping and what else decides about its reference. */
  readonly offloaded: Map<string, OffloadedResult>;
}

/** A tool result of a history, remembered for as long as its message is the same. */
export class LocatedResult implements ToolResult {
  readonly slot: number;
  readonly id: string | undefined;
  readonly content: FormatResult["content"];
  readonly soleText: string | undefined;
  readonly chars: number;
  readonly isError: boolean;
  offloadFlag: boolean | undefined;
  offloadedBefore = false;
  isReadingAnswer = false;
  isReference = false;
  weight: number | undefined;
  offloadedAfter: number | undefined;
  offloadedAs: ResultState | undefined;
  /** What it refers to, if it is a reference. */
  record: ArtifactRecord | undefined;
  /** What it was stored as by an earlier call. */
  stored: ArtifactRecord | undefined;
  due: Verdict | undefined;
  /** Where it is among the results of the same id; without ids, of equal calls or content. */
  twinPlace: { readonly group: TwinGroup; readonly index: number } | undefined;
  /** Where it is among the answers to equal calls; `undefined` if its call is not in the history. */
  place: Place | undefined;
  /** The names in the last message of the user before it. */
  named: readonly string[] = [];
  /** How it goes, if it does. */
  moment: OffloadMoment | undefined;
  readonly #found: FormatResult;
  readonly #memory: ContentMemory;
  #known: RememberedContent | undefined;
  #isPlain: boolean | undefined;

  constructor(
    found: FormatResult,
    readonly messageIndex: number,
    readonly toolName: string | undefined,
    memory: ContentMemory,
    /** What the call that it answers reads, if it is a call of a reading tool. */
    readonly reading?: ReadingCall,
    /** What the input of that call says. */
    readonly about?: string,
  ) {
    this.slot = found.slot;
    this.id = found.id;
    this.content = found.content;
    this.soleText = found.soleText;
    this.chars = found.chars;
    this.isError = found.isError;
    this.#found = found;
    this.#memory = memory;
  }

  /** A getter, since some formats compute it only on demand. */
  get wrapping(): unknown {
    return this.#found.wrapping;
  }

  get isPlain(): boolean {
    return (this.#isPlain ??= typeof this.content === "string" || isPlainJson(this.content));
  }

  get tokens(): number {
    const { content } = this;
    // What JSON cannot hold is kept, whatever it takes.
    if (!this.isPlain) return 0;
    return (this.known.tokens ??= this.#memory.countTokens(
      typeof content === "string" ? content : renderSent(content),
    ));
  }

  /** The hash of the content that it is, or stands for; empty if it has none, since JSON cannot hold it. */
  get hash(): string {
    if (!this.isPlain) return "";
    return this.record?.hash ?? this.known.hash;
  }

  /** How many of those before it have the same content, and whether the first of them has another. */
  get twins(): { readonly equal: number; readonly hasOther: boolean } {
    const { group, index } = this.twinPlace ?? {};
    if (!group || !index) return { equal: 0, hasOther: false };
    return { equal: group.equalBefore(index), hasOther: group.hashAt(0) !== this.hash };
  }

  get known(): RememberedContent {
    return (this.#known ??= this.#memory.of(this));
  }
}

/**
 * The results of an id, or of equal calls, in their order, also once their content is released. They share
 * one list, since some vendors use an id thousands of times.
 */
class TwinGroup {
  readonly #places: { readonly seen: SeenMessage; readonly at: number }[] = [];
  readonly #equalBefore: number[] = [];
  readonly #counts = new Map<string | undefined, number>();

  /** Returns its index. */
  add(seen: SeenMessage, at: number): number {
    return this.#places.push({ seen, at }) - 1;
  }

  hashAt(index: number): string | undefined {
    const place = this.#places[index];
    return place?.seen.hashAt(place.at);
  }

  equalBefore(index: number): number {
    while (this.#equalBefore.length <= index) {
      const hash = this.hashAt(this.#equalBefore.length);
      const count = this.#counts.get(hash) ?? 0;
      this.#equalBefore.push(count);
      this.#counts.set(hash, count + 1);
    }
    return this.#equalBefore[index] ?? 0;
  }

  /** Counts anew, since a reference has the hash of what it stands for only while that is held. */
  recount(): void {
    this.#equalBefore.length = 0;
    this.#counts.clear();
  }
}

/** Deeper nesting is not followed; such a message counts as changed unless told otherwise. */
const MAX_DEPTH = 64;

/**
 * What a message holds, as a flat list: to see whether somebody changed it in place, and to recognize
 * an equal one of a history that was reloaded.
 */
export type MessageShape = readonly unknown[];

/** Where a list or an object begins and where an object ends: without them, `{a:{b:1}}` would look like `{a:{},b:1}`. */
const LIST = Symbol("list");
const FIELDS = Symbol("fields");
const END = Symbol("end");

/** The shape of what throws when it is looked at: no message has it. */
const UNREADABLE: MessageShape = [Symbol("unreadable")];

export function shapeOf(message: unknown): MessageShape {
  const shape: unknown[] = [];
  try {
    collect(message, MAX_DEPTH, shape);
  } catch {
    return UNREADABLE;
  }
  // A copy takes exactly the memory that it needs; a list that grew has room for more.
  return shape.slice();
}

/** What is too deep to follow counts as changed, or as the same if it is the same object. */
type DeepRule = "changed" | "by identity";

/** Whether a message holds what the other one held. The same strings are recognized at once. */
export function hasShape(
  message: unknown,
  shape: MessageShape,
  deep: DeepRule = "changed",
): boolean {
  try {
    if (typeof message !== "object" || message === null) {
      return shape.length === 1 && Object.is(message, shape[0]);
    }
    return compare(message, MAX_DEPTH, shape, 0, deep) === shape.length;
  } catch {
    return false;
  }
}

function collect(value: unknown, depth: number, shape: unknown[]): void {
  if (typeof value !== "object" || value === null) shape.push(value);
  else if (depth === 0) shape.push(value);
  else if (Array.isArray(value)) {
    shape.push(LIST, value.length);
    for (const item of value as readonly unknown[]) collect(item, depth - 1, shape);
  } else {
    // What is more than data may hold more than its keys show; then it must be the same object.
    if (!isData(value)) shape.push(value);
    shape.push(FIELDS);
    // Unlike Object.keys, this makes no list; that it sees inherited keys does no harm here.
    for (const key in value) {
      shape.push(key);
      collect((value as Record<string, unknown>)[key], depth - 1, shape);
    }
    shape.push(END);
  }
}

/**
 * The position in the shape behind the object or array; -1 where it differs. A turn calls this for
 * every message of the history, so that strings and numbers are compared here, without a call each.
 */
function compare(
  value: object,
  depth: number,
  shape: MessageShape,
  from: number,
  deep: DeepRule,
): number {
  let at = from;
  if (depth === 0) return deep === "by identity" && shape[at] === value ? at + 1 : -1;
  if (Array.isArray(value)) {
    const { length } = value;
    if (shape[at++] !== LIST || shape[at++] !== length) return -1;
    for (let index = 0; index < length; index++) {
      const item: unknown = value[index];
      if (typeof item === "object" && item !== null) at = compare(item, depth - 1, shape, at, deep);
      else at = Object.is(item, shape[at]) && at < shape.length ? at + 1 : -1;
      if (at === -1) return -1;
    }
    return at;
  }
  // Only what is more than data is in a shape itself.
  if (shape[at] === value) at++;
  if (shape[at++] !== FIELDS) return -1;
  for (const key in value) {
    if (shape[at++] !== key) return -1;
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === "object" && item !== null) at = compare(item, depth - 1, shape, at, deep);
    else at = Object.is(item, shape[at]) && at < shape.length ? at + 1 : -1;
    if (at === -1) return -1;
  }
  return shape[at] === END ? at + 1 : -1;
}

/**
 * Whether nothing in a message can ever change: it is frozen at every level, and is plain data. Such
 * a message is known by its identity, without being read again.
 */
export function isConstant(message: unknown): message is object {
  try {
    return typeof message === "object" && message !== null && isFrozenData(message, MAX_DEPTH);
  } catch {
    return false;
  }
}

function isFrozenData(value: object, depth: number): boolean {
  if (depth === 0 || !Object.isFrozen(value)) return false;
  if (!Array.isArray(value) && !isData(value)) return false;
  for (const key of Object.keys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    // A getter may return something else each time.
    if (!property || !("value" in property)) return false;
    const item: unknown = property.value;
    if (typeof item === "object" && item !== null && !isFrozenData(item, depth - 1)) return false;
  }
  return true;
}

const MAX_TEXT_DEPTH = 64;
/** So much of the input of a call is looked at. */
const MAX_CALL_CHARS = 2_048;
/** So much of one text is looked at; what follows is rarely repeated. */
const MAX_TEXT_CHARS = 20_480;

/**
 * The texts in a value of any form, in their order, up to a number of characters in all. What cannot
 * be read has no texts.
 */
export function textsOf(value: unknown, maxChars: number): string[] {
  const texts: string[] = [];
  let left = maxChars;
  const collect = (item: unknown, depth: number): void => {
    if (left <= 0) return;
    if (typeof item === "string") {
      const text = item.slice(0, Math.min(left, MAX_TEXT_CHARS));
      left -= text.length;
      texts.push(text);
    } else if (typeof item === "object" && item !== null && depth < MAX_TEXT_DEPTH) {
      for (const inner of Object.values(item)) collect(inner, depth + 1);
    }
  };
  try {
    collect(value, 0);
  } catch {
    // A getter may throw; what was found before it counts.
  }
  return texts;
}

/** What the input of a call says, in one text; it is passed as the message holds it, as JSON or a value. */
export function aboutCall(input: unknown, sentence = ""): string | undefined {
  const texts = textsOf(input, MAX_CALL_CHARS);
  if (sentence !== "") texts.push(sentence);
  return texts.length === 0 ? undefined : texts.join("\n");
}

/** So much of what somebody wrote is looked at. */
const MAX_WRITTEN_CHARS = 2_048;

/** What was written in a message, as most formats hold it: a text, or parts with one. */
function writtenIn(message: unknown): string {
  if (typeof message !== "object" || message === null) return "";
  try {
    const { content, parts, message: inner } = message as Record<string, unknown>;
    const held = content ?? parts;
    if (held === undefined) return inner === undefined ? "" : writtenIn(inner);
    if (typeof held === "string") return held.slice(0, MAX_WRITTEN_CHARS);
    if (!Array.isArray(held)) return "";
    const texts = held.map((part: { text?: unknown } | null) => part?.text);
    return texts
      .filter((text) => typeof text === "string")
      .join("\n")
      .slice(0, MAX_WRITTEN_CHARS);
  } catch {
    // A getter may throw; a hint can be done without.
    return "";
  }
}

const WORD = /[\w$][\w$./:-]{2,80}/g;
/** A name of something, rather than a word of a sentence. */
const NAMED = /[a-z][A-Z]|[_\d$]|[./:]\w/;
const MAX_NAMED = 8;

/** The names in what a user wrote, which is all that references may depend on. */
function namedIn(text: string): readonly string[] {
  const words = (text.match(WORD) ?? []).map((word) => word.replace(/[./:-]{1,3}$/, ""));
  return [...new Set(words)].filter((word) => NAMED.test(word)).slice(0, MAX_NAMED);
}

function isSystem(message: unknown): boolean {
  const { role } = (typeof message === "object" && message !== null ? message : {}) as {
    role?: unknown;
  };
  return role === "system" || role === "developer";
}

/** An artifact that a message refers to. */
interface Held {
  readonly artifactId: string;
  readonly hash: string;
}

/** A message of the history: what was read from it, and what was returned for it. */
export class SeenMessage implements MessageVisitor {
  isModel = false;
  replyId: string | undefined;
  otherChars = 0;
  answers = 0;
  /** The places of its results, also once these are released. */
  places: readonly Place[] = NONE;
  /** What equal results have in common, for each of its results: their id, or the key of their place. */
  twinKeys: readonly (string | undefined)[] = NONE;
  /** Whether it has a part or block of a type that the format does not know. */
  hasUnknown = false;
  calls: readonly Call[] = NONE;
  /** The large parts that were offloaded of it. */
  parts: readonly CarriedResult[] = NONE;
  /** What its calls of the reading tools take. */
  readingCallTokens = 0;
  found: readonly FormatResult[] = NONE;
  results: readonly LocatedResult[] = NONE;
  reports: readonly ResultReport[] = NONE;
  resultChars = 0;
  /** The names in the last message of the user up to here. */
  named: readonly string[] = NONE;
  /** Whether it was decided once what is returned for it: a call may have failed before, or still be running. */
  isFinished = false;
  /** Whether that never changes, so that it need not be looked at again. */
  isFinal = false;
  output: unknown;
  /** What it held when it was read, since the host may change it in place, even during a call. */
  shape: MessageShape;
  readonly #readingCalls: ReadingCalls;
  #outputShape: MessageShape;
  #held: readonly Held[] = NONE;
  /** Of results that were released. */
  #hashes: readonly string[] | undefined;
  /** Whether the input can never change, so that it need not be compared. */
  #isConstant: boolean;

  constructor(
    public input: unknown,
    readingCalls: ReadingCalls,
  ) {
    this.#readingCalls = readingCalls;
    this.#isConstant = isConstant(input);
    this.shape = shapeOf(input);
    this.output = input;
    this.#outputShape = this.shape;
  }

  modelMessage(replyId?: string): void {
    this.isModel = true;
    this.replyId = replyId;
  }

  call(id: string | undefined, name: string, input: unknown): void {
    // The input itself is not kept: that of a line would be a second copy.
    const reading = this.#readingCalls.read(name, input);
    const mark = markCall(name, input);
    // The sentence with the call is in its own message, so that both are there or neither.
    const about = aboutCall(input, writtenIn(this.input));
    const said = reading && `${name} ${typeof input === "string" ? input : JSON.stringify(input)}`;
    this.calls = [...this.calls, { id, name, reading, mark, said, about }];
  }

  result(result: FormatResult): void {
    this.answers++;
    this.found = [...this.found, result];
  }

  answer(): void {
    this.answers++;
  }

  other(chars: number, unknownType?: string): void {
    this.otherChars += chars;
    if (unknownType !== undefined) this.hasUnknown = true;
  }

  /**
   * What is returned for it: the same object as before, if it holds the same references.
   *
   * @param hasParts - Whether it holds others besides, in place of large parts.
   * @param parts - What these stand for, and those that it came with.
   */
  finish(
    output: unknown,
    reports: readonly ResultReport[],
    isFinal: boolean,
    hasParts: boolean,
    parts: readonly Held[] = NONE,
  ): void {
    const isSame =
      this.isFinished &&
      !hasParts &&
      reports.length === this.reports.length &&
      reports.every(({ reference }, index) => reference === this.reports[index]?.reference);
    this.isFinished = true;
    this.isFinal = isFinal;
    this.reports = reports;
    const held: Held[] = [...parts];
    for (const [index, { outcome, artifactId = "" }] of reports.entries()) {
      if (outcome !== "offloaded" && outcome !== "reference") continue;
      held.push({ artifactId, hash: this.results[index]?.hash ?? "" });
    }
    this.#held = held.length === 0 ? NONE : held;
    if (isSame || output === this.output) return;
    this.output = output;
    this.#outputShape = shapeOf(output);
  }

  /**
   * Whether this is the message, or an equal one: a host passes its own messages every time, or those
   * that the last call returned, or loads its history anew.
   */
  isSame(message: unknown): boolean {
    if (message === this.input && this.#isConstant) return true;
    if (hasShape(message, this.shape)) {
      if (message !== this.input) this.#become(message, this.output === this.input);
      return true;
    }
    if (!this.isFinal || this.output === this.input) return false;
    if (!hasShape(message, this.#outputShape)) return false;
    this.#become(message, true);
    // A host that passes on what was returned needs the content no more, and so it is released.
    this.shape = this.#outputShape;
    this.#hashes ??= this.results.map(({ hash }) => hash);
    this.results = NONE;
    return true;
  }

  get resultCount(): number {
    return this.#hashes?.length ?? this.results.length;
  }

  /** The hash of one of its results. */
  hashAt(index: number): string | undefined {
    return this.#hashes ? this.#hashes[index] : this.results[index]?.hash;
  }

  /** Roughly the tokens of what is sent for its results, once that never changes. */
  get settledTokens(): number {
    let tokens = 0;
    for (const { outcome, chars } of this.reports) {
      const isGone = outcome === "offloaded" || outcome === "reference";
      tokens += isGone ? DEFAULTS.shortReferenceTokens : chars / DEFAULTS.charsPerToken;
    }
    return tokens;
  }

  #become(message: unknown, isOutput: boolean): void {
    if (isOutput) this.output = message;
    this.input = message;
    this.#isConstant = isConstant(message);
  }

  /** The artifacts that what is returned for it refers to. */
  get heldIds(): readonly string[] {
    return this.#held.map(({ artifactId }) => artifactId);
  }

  /** Whether the session still holds what was offloaded: it may have been removed, or replaced. */
  isHeld(session: SessionIndex): boolean {
    for (const { artifactId, hash } of this.#held) {
      if (!isHeld(session, artifactId, hash)) return false;
    }
    return true;
  }

  /** Whether the input is still what was read, as far as can be seen. */
  get isCurrent(): boolean {
    return hasShape(this.input, this.shape, "by identity");
  }

  get chars(): number {
    return this.otherChars + this.resultChars;
  }
}

/** Where the replies begin that do more than read what was stored. */
function workingReplies(messages: readonly SeenMessage[]): number[] {
  const firsts = firstOfReplies(messages);
  return firsts.filter((first, at) => {
    let isReading = false;
    for (let index = first; index < (firsts[at + 1] ?? messages.length); index++) {
      const calls = messages[index]?.calls ?? NONE;
      if (calls.some(({ reading }) => reading === undefined)) return true;
      isReading ||= calls.length > 0;
    }
    return !isReading;
  });
}

/** Whether the last reply called reading tools and nothing else, and only their answers come after it. */
export function goesOnFromReading(messages: readonly SeenMessage[]): boolean {
  const first = firstOfReplies(messages).at(-1);
  if (first === undefined || workingReplies(messages).includes(first)) return false;
  return messages.slice(first).every(({ isModel, otherChars }) => isModel || otherChars === 0);
}

/** A reply may be recorded as several messages; it is one turn, counted at the first of them. */
export function firstOfReplies(messages: readonly SeenMessage[]): number[] {
  const firsts: number[] = [];
  let isReply = false;
  let replyId: string | undefined;
  for (const [index, message] of messages.entries()) {
    const continues = isReply || (message.replyId !== undefined && message.replyId === replyId);
    if (message.isModel && !continues) firsts.push(index);
    if (message.isModel) replyId = message.replyId;
    // Where results are part of the reply, the model goes on with another one.
    isReply = message.isModel && message.answers === 0;
  }
  return firsts;
}

export interface TurnMemoryOptions {
  readonly format: Format;
  readonly read: FormatReadOptions;
  readonly contents: ContentMemory;
  readonly readingCalls: ReadingCalls;
  /** Told of a message that throws when it is read, which is kept as it is; without it, that throws. */
  readonly onUnreadable?: ((messageIndex: number, error: unknown) => void) | undefined;
}

/** What is known of a history, so that each message is read once and a turn costs only what is new. */
export class TurnMemory {
  readonly #options: TurnMemoryOptions;
  #messages: SeenMessage[] = [];
  #calls = new CallIndex();
  #places = new PlaceCounter();
  /** The last removal when all that these messages refer to was found to be held, if it is known. */
  #heldSince: object | undefined;
  #asked: object | undefined;
  /** Where each id was answered, since vendors use ids again; without ids, where equal calls were. */
  readonly #byKey = new Map<string, TwinGroup>();
  /** After how many replies it was decided what goes. */
  #decidedTurns = 0;
  /** The sums over the first messages, as far as all of them are final. */
  #settled: Settled = NOTHING_SETTLED;

  readonly format: Format;

  constructor(options: TurnMemoryOptions) {
    this.#options = options;
    this.format = options.format;
  }

  /** How many messages of this history are known, from its start on, with all that they refer to. */
  countKnown(history: readonly unknown[], session: SessionIndex): number {
    const most = Math.min(history.length, this.#messages.length);
    // While nothing is removed, the session holds what it held, and need not be asked for each.
    const { lastRemoval } = session;
    const isHeld = lastRemoval !== undefined && lastRemoval === this.#heldSince;
    this.#heldSince = undefined;
    this.#asked = lastRemoval;
    for (let index = 0; index < most; index++) {
      const seen = this.#messages[index];
      if (!seen?.isSame(history[index]) || !(isHeld || seen.isHeld(session))) return index;
    }
    return most;
  }

  /**
   * Reads what is new in the history, and forgets what is no longer part of it. Returns the messages as
   * they are known: while a call waits for the store, another one may take another history.
   */
  take(history: readonly unknown[], known: number): readonly SeenMessage[] {
    if (known < this.#messages.length) this.#cut(known);
    this.#heldSince = this.#asked;
    for (const message of history.slice(known)) this.#messages.push(this.#read(message));
    return this.#messages.slice();
  }

  /** Reads the next message, and finds the calls that its results answer. */
  #read(message: unknown): SeenMessage {
    const { read, contents, readingCalls, onUnreadable } = this.#options;
    const messageIndex = this.#messages.length;
    const seen = new SeenMessage(message, readingCalls);
    try {
      this.format.read(message, seen, read);
    } catch (error) {
      if (!onUnreadable) throw error;
      onUnreadable(messageIndex, error);
      return new SeenMessage(message, readingCalls);
    }
    this.#calls.add(seen.calls);
    const isUsers = !seen.isModel && seen.answers === 0 && !isSystem(message);
    const named = isUsers ? namedIn(writtenIn(message)) : NONE;
    seen.named = isUsers ? named : (this.#messages.at(-1)?.named ?? NONE);
    for (const { said } of seen.calls) {
      if (said !== undefined) seen.readingCallTokens += contents.countTokens(said);
    }
    seen.results = seen.found.map((found) => {
      const call = this.#calls.answeredBy(found);
      const reading = call ? call.reading : readingCalls.guess(found.toolName);
      const toolName = found.toolName ?? call?.name;
      seen.resultChars += found.chars;
      const about = call?.about;
      const result = new LocatedResult(found, messageIndex, toolName, contents, reading, about);
      result.named = seen.named;
      const target = parseReference(found.soleText, found.id);
      result.place = takePlace(this.#places, found, call, target, () => result.known.hash);
      if (result.place) seen.places = [...seen.places, result.place];
      return result;
    });
    seen.found = NONE;
    seen.twinKeys = seen.results.map(({ id, place }) =>
      id === undefined ? place?.key : `id ${id}`,
    );
    this.#noteTwins(seen);
    return seen;
  }

  #noteTwins(seen: SeenMessage): void {
    for (const [at, key] of seen.twinKeys.entries()) {
      if (key === undefined) continue;
      const result = seen.results[at];
      const group = this.#byKey.get(key) ?? new TwinGroup();
      this.#byKey.set(key, group);
      const index = group.add(seen, at);
      if (result) result.twinPlace = { group, index };
    }
  }

  /** What is open in these messages: everything that is not final. What concerns all of it is worked out on demand. */
  survey(messages: readonly SeenMessage[] = this.#messages): OpenSurvey {
    const { count: from, tokens: settledTokens } = this.#settle(messages);
    const results: LocatedResult[] = [];
    let { totals } = this.#settled;
    for (let index = from; index < messages.length; index++) {
      const seen = messages[index] as SeenMessage;
      if (seen.isFinal) totals = addReports(totals, seen.reports);
      else for (const result of seen.results) results.push(result);
    }
    return {
      ...{ from, settledTokens, results, totals, decidedTurns: this.#decidedTurns },
      get otherChars() {
        // The results of what is final are not among those above.
        return messages.reduce(
          (sum, { isFinal, chars, otherChars }) => sum + (isFinal ? chars : otherChars),
          0,
        );
      },
      get modelMessages() {
        return firstOfReplies(messages);
      },
      get workingReplies() {
        return workingReplies(messages);
      },
      messageChars: (index) => messages[index]?.chars ?? 0,
      messageOtherChars: (index) => {
        const { otherChars = 0, isFinal = false, settledTokens = 0 } = messages[index] ?? {};
        return otherChars + (isFinal ? settledTokens * DEFAULTS.charsPerToken : 0);
      },
    };
  }

  /** What goes after so many replies was decided, and done. */
  noteDecided(turns: number): void {
    this.#decidedTurns = turns;
  }

  /** Adds up the messages from the start on that are final. */
  #settle(messages: readonly SeenMessage[]): Settled {
    let { count, tokens, totals } = this.#settled;
    for (let seen = messages[count]; seen?.isFinal; seen = messages[count]) {
      if (seen !== this.#messages[count]) break;
      tokens += seen.otherChars / DEFAULTS.charsPerToken + seen.settledTokens;
      if (seen.reports.length > 0) totals = addReports(totals, seen.reports);
      count++;
    }
    return (this.#settled = { count, tokens, totals });
  }

  /**
   * Whether the history looks like another format's: there are calls before the last reply, but not one
   * answer in all of it; or, while the format is new, a part or block of a type that it does not know.
   */
  looksMisread(isNew: boolean): boolean {
    if (isNew && this.#messages.some(({ hasUnknown }) => hasUnknown)) return true;
    if (this.#messages.some(({ answers }) => answers > 0)) return false;
    const last = this.#messages.findLastIndex(({ isModel }) => isModel);
    return this.#messages.some(({ calls }, index) => index < last && calls.length > 0);
  }

  #cut(length: number): void {
    this.#messages = this.#messages.slice(0, length);
    if (this.#settled.count > length) this.#settled = NOTHING_SETTLED;
    const replies = firstOfReplies(this.#messages).length;
    this.#decidedTurns = Math.min(this.#decidedTurns, replies);
    this.#calls = new CallIndex();
    this.#places = new PlaceCounter();
    this.#byKey.clear();
    for (const seen of this.#messages) {
      for (const place of seen.places) this.#places.add(place);
      const { calls, results, reports } = seen;
      this.#calls.add(calls);
      for (const result of results) this.#calls.answeredBy(result);
      this.#noteTwins(seen);
      // Where results were released, their reports tell which calls they answered.
      if (results.length > 0) continue;
      for (const { toolCallId: id, toolName } of reports) this.#calls.answeredBy({ id, toolName });
    }
  }
}

/**
 * Notes what becomes of the messages that were not final, and puts into the output what was returned
 * for them before, where that is the same.
 *
 * @param isOpen - The messages about which something may still be decided.
 * @param withParts - Those with references in place of large parts.
 * @param parts - What the references in place of parts stand for, by message.
 */
export function finishMessages(
  messages: readonly SeenMessage[],
  output: unknown[],
  reports: readonly ResultReport[],
  isOpen: ReadonlySet<number>,
  withParts: ReadonlySet<number>,
  parts: ReadonlyMap<number, readonly Held[]> = new Map(),
): void {
  const byMessage = new Map<number, ResultReport[]>();
  for (const report of reports) {
    const { messageIndex } = report;
    byMessage.set(messageIndex, [...(byMessage.get(messageIndex) ?? []), report]);
  }
  for (const [index, seen] of messages.entries()) {
    if (seen.isFinal) continue;
    const own = byMessage.get(index) ?? NONE;
    const held = parts.get(index) ?? NONE;
    seen.finish(output[index], own, !isOpen.has(index), withParts.has(index), held);
    output[index] = seen.output;
  }
}

/** Where the results of these messages are, from a message on, and the place of each that is not released. */
export function placesOf(
  messages: readonly SeenMessage[],
  from: number,
  replies: readonly number[],
): { readonly places: ResultPlaces; readonly indices: ReadonlyMap<LocatedResult, number> } {
  const found: { readonly seen: SeenMessage; readonly at: number }[] = [];
  const messageIndices: number[] = [];
  const indices = new Map<LocatedResult, number>();
  for (let index = from; index < messages.length; index++) {
    const seen = messages[index] as SeenMessage;
    for (let at = 0; at < seen.resultCount; at++) {
      const result = seen.results[at];
      if (result) indices.set(result, found.length);
      found.push({ seen, at });
      messageIndices.push(index);
    }
  }
  const hashAt = (place: number) => found[place]?.seen.hashAt(found[place].at);
  return { places: { messages: messageIndices, hashAt, replies }, indices };
}

/** What is open in a history, and the sums over what is not. */
export interface OpenSurvey extends Survey {
  readonly results: readonly LocatedResult[];
  readonly modelMessages: readonly number[];
  readonly from: number;
  readonly settledTokens: number;
  /** Of the results that are final. */
  readonly totals: OffloadTotals;
}

interface Settled {
  readonly count: number;
  readonly tokens: number;
  readonly totals: OffloadTotals;
}

const NOTHING_SETTLED: Settled = { count: 0, tokens: 0, totals: NO_TOTALS };
