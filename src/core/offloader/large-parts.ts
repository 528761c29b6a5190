import { DEFAULTS } from "../defaults.js";
import {
  serializeContent,
  type Content,
  type Format,
  type FormatParts,
  type Hash,
  type MessagePart,
  type ToolResult,
} from "../engine/format.js";
import { InvalidArgumentError } from "../errors/argument-errors.js";
import { formatPointer } from "../lib/json/json-pointer.js";
import { fromJson, isPlainJson } from "../lib/json/plain-json.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import {
  MOMENT_KEY,
  REDACTIONS_KEY,
  WRAPPING_KEY,
  type ArtifactRecord,
} from "../workspace/artifacts/artifact.js";
import { createDraft } from "../workspace/artifacts/draft.js";
import { looksLikeReference, parseSoleReference } from "../workspace/reference/knowledge-list.js";
import type { WorkspaceCore } from "../workspace/workspace-core.js";
import {
  mayHoldInputReference,
  parseInputReference,
  renderInputReference,
  type LongString,
  type PartReference,
} from "./input-reference.js";
import type { OffloadMoment } from "./offload-moment.js";
import { markCall, PlaceCounter } from "./reference-place.js";
import { savesEnough } from "./result-storage.js";
import { findOnceHeld, type Referenced, type SessionIndex } from "./session-index.js";
import type { OffloaderSettings } from "./offloader-types.js";
import type { PartKind, PartReport } from "./report.js";

/** The strings of an input, at any depth. */
export function findStrings(value: unknown, tokens: readonly string[] = []): LongString[] {
  if (typeof value === "string") return [{ pointer: formatPointer(tokens), text: value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => findStrings(item, [...tokens, key]));
}

/** The input with other texts in place of some of its strings: the same keys in the same order. */
export function replaceStrings(
  value: unknown,
  texts: ReadonlyMap<string, string>,
  tokens: readonly string[] = [],
): unknown {
  if (typeof value === "string") return texts.get(formatPointer(tokens)) ?? value;
  if (Array.isArray(value)) {
    return value.map((item, index) => replaceStrings(item, texts, [...tokens, String(index)]));
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, replaceStrings(item, texts, [...tokens, key])]),
  );
}

/** What hosts call the kinds of parts, and what their artifacts are called. */
export const KINDS = { userMessage: "userMessages", toolInput: "toolInputs" } as const;
export const CONTEXT_TYPES = { userMessage: "user_message", toolInput: "tool_input" } as const;

/** What a part refers to, if it is a reference. */
export function targetOf({ kind, value }: MessagePart): PartReference | undefined {
  if (kind === "userMessage") {
    return typeof value === "string" ? parseSoleReference(value) : undefined;
  }
  const input = fromJson(value);
  // A value that contains itself has no end, and could not have come from us.
  for (const { text } of isPlainJson(input) ? findStrings(input) : []) {
    const target = parseInputReference(text);
    if (target) return target;
  }
  return undefined;
}

/** Anything can look like a reference; the artifact must be that part, of that call. */
function isOf({ metadata }: ArtifactRecord, { kind, id }: MessagePart): boolean {
  if (metadata.context_type !== CONTEXT_TYPES[kind]) return false;
  return kind === "userMessage" || metadata.biz_id === id;
}

/** What a part is, or stands for. */
interface Identity {
  readonly artifactId: string;
  readonly hash: string;
}

const TWIN_DIGITS = 12;

function identify(hash: Hash, { kind, value, id }: MessagePart): Identity {
  const digits = hash(serializeContent(value as Content));
  const artifactId = kind === "userMessage" ? `user-${digits.slice(0, 16)}` : `${id ?? ""}-input`;
  return { artifactId, hash: digits };
}

interface PartsWiring extends Pick<
  OffloaderSettings,
  "sessionId" | "parentSessionId" | "agentId" | "taskId"
> {
  readonly core: WorkspaceCore;
  readonly countTokens: CountTokens;
}

/** A large part of a message, which grows old like a result. */
export class LocatedPart implements ToolResult {
  readonly slot = -1;
  readonly soleText = undefined;
  readonly isError = false;
  readonly id: string | undefined;
  readonly part: MessagePart["kind"];
  readonly isReference: boolean;
  offloadedBefore = false;
  weight: number | undefined;
  offloadedAfter: number | undefined;
  offloadedAs: ToolResult["offloadedAs"];
  /** Found anew for each call, so that nothing is due: the next fold says it again. */
  readonly due = undefined;
  /** How it goes, if it does. */
  moment: OffloadMoment | undefined;

  constructor(
    readonly messageIndex: number,
    readonly found: MessagePart,
    /** The texts that are replaced: the whole text, or the long strings of an input. */
    readonly texts: readonly LongString[],
    readonly tokens: number,
    readonly sentChars: number,
    /** What it refers to, or was stored as. */
    readonly record: ArtifactRecord | undefined,
    isReference: boolean,
    /** How many equal parts come before it. */
    readonly equalBefore: number,
    readonly artifactId: string,
  ) {
    this.id = found.id;
    this.part = found.kind;
    this.isReference = isReference;
  }

  get content(): Content {
    return this.found.value as Content;
  }

  get chars(): number {
    return this.texts.reduce((sum, { text }) => sum + text.length, 0);
  }
}

/** What to put into the place of a part. */
export interface ReplacedPart {
  readonly value: unknown;
  readonly record: ArtifactRecord;
  readonly report: PartReport;
}

/** Finds what is large besides results, and stores it. */
export class LargeParts {
  readonly #wiring: PartsWiring;
  /** The long texts of a message's parts, found once for as long as it is the same object. */
  readonly #known = new WeakMap<object, readonly FoundPart[]>();

  constructor(wiring: PartsWiring) {
    this.#wiring = wiring;
  }

  /**
   * The large parts of these messages. Left out are the inputs in a reply with signed or encrypted
   * reasoning, since vendors refuse a changed one. What a user writes after it is not signed.
   */
  locate(
    messages: readonly unknown[],
    from: number,
    format: Format,
    kinds: readonly PartKind[],
    replies: readonly number[],
    session: SessionIndex,
  ): LocatedPart[] {
    const parts = requireParts(format);
    const located: LocatedPart[] = [];
    const places = new PlaceCounter();
    for (let index = 0; index < messages.length; index++) {
      const found = this.#find(parts, messages[index]).filter(({ part }) =>
        kinds.includes(KINDS[part.kind]),
      );
      const hasInput = found.some(({ part }) => part.kind === "toolInput");
      const isSigned = hasInput && isReplySigned(messages, index, replies, parts);
      for (const { part, texts, tokens, sentChars, target, identity } of found) {
        if (!identity) continue;
        const { isQuotation, equalBefore } = places.takeContent(identity.hash, target?.equalBefore);
        if (index < from || (isSigned && part.kind === "toolInput")) continue;
        const artifactId = target?.artifactId ?? this.#idOf(identity, equalBefore);
        const held = target
          ? findOnceHeld(session, target)?.record
          : session.artifacts.get(artifactId);
        const isHeld = held && (target || held.hash === identity.hash) && isOf(held, part);
        const record = isHeld ? held : undefined;
        // What looks like a reference, but is none of this session or place, is left alone, too.
        if (target && (!record || isQuotation)) continue;
        const facts = [texts, tokens, sentChars, record, target !== undefined] as const;
        located.push(new LocatedPart(index, part, ...facts, equalBefore, artifactId));
      }
    }
    return located;
  }

  /** Each of several equal parts has a record of its own, which tells when it went. */
  #idOf({ artifactId, hash }: Identity, equalBefore: number): string {
    if (equalBefore === 0) return artifactId;
    return `${artifactId}-${this.#wiring.core.hash(`${hash} ${equalBefore}`).slice(0, TWIN_DIGITS)}`;
  }

  #find(parts: FormatParts, message: unknown): readonly FoundPart[] {
    if (typeof message !== "object" || message === null) return this.#read(parts, message);
    const known = this.#known.get(message) ?? this.#read(parts, message);
    this.#known.set(message, known);
    return known;
  }

  #read(parts: FormatParts, message: unknown): readonly FoundPart[] {
    const { countTokens, core } = this.#wiring;
    return (
      findParts(parts, message)
        // What JSON cannot hold could not be put back, and has no hash.
        .filter(({ kind, value }) => {
          if (typeof value !== "string") return couldBeLarge(value) && isPlainJson(value);
          const mayRefer = kind === "userMessage" ? looksLikeReference : mayHoldInputReference;
          return couldBeLarge(value) || mayRefer(value);
        })
        .map((part) => {
          const { texts, sentChars } = this.#longTexts(part);
          const tokens = texts.reduce((sum, { text }) => sum + countTokens(text), 0);
          const target = targetOf(part);
          const isLarge = texts.length > 0;
          const identity = target ?? (isLarge ? identify(core.hash, part) : undefined);
          return { part, texts, tokens, sentChars, target, identity };
        })
    );
  }

  #longTexts({ kind, value, id }: MessagePart): Pick<FoundPart, "texts" | "sentChars"> {
    if (kind === "userMessage") {
      const text = typeof value === "string" ? value : "";
      return { texts: text === "" ? [] : [{ pointer: "", text }], sentChars: text.length };
    }
    const input = fromJson(value);
    if (id === undefined || !isPlainObject(input)) return { texts: [], sentChars: 0 };
    const texts: LongString[] = [];
    let sentChars = 0;
    for (const found of findStrings(input)) {
      const isReference = parseInputReference(found.text) !== undefined;
      if (!isReference && found.text.length < DEFAULTS.staleTokens) continue;
      if (!isReference && this.#wiring.countTokens(found.text) < DEFAULTS.staleTokens) continue;
      if (!isReference) texts.push(found);
      sentChars += JSON.stringify(found.text).length - 2;
    }
    return { texts, sentChars };
  }

  /** Stores a part; `undefined` if its reference would save too little. */
  async store(
    located: LocatedPart,
    raw: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ReplacedPart | undefined> {
    const { core, countTokens } = this.#wiring;
    const { found, texts, tokens, messageIndex, equalBefore } = located;
    const draft = this.#draft(located, raw, signal);
    const kind = KINDS[found.kind];
    if (found.kind === "userMessage") {
      if (!savesEnough(draft.referenceTokens, tokens)) return undefined;
      const { record, reference, referenceTokens } = await core.store(draft);
      const charsSaved = located.chars - reference.length;
      const { artifactId } = record;
      const tokensSaved = tokens - referenceTokens;
      return {
        ...{ value: reference, record },
        report: { kind, messageIndex, artifactId, tokensSaved, charsSaved },
      };
    }
    const { record } = await core.store(draft);
    const { artifactId } = record;
    const references = new Map(
      texts.map((item) => [item.pointer, renderInputReference({ ...record, equalBefore }, item)]),
    );
    let tokensSaved = tokens;
    let charsSaved = located.chars;
    for (const reference of references.values()) {
      tokensSaved -= countTokens(reference);
      charsSaved -= reference.length;
    }
    const replaced = replaceStrings(fromJson(found.value), references);
    return {
      value: typeof found.value === "string" ? JSON.stringify(replaced) : replaced,
      record,
      report: { kind, messageIndex, artifactId, tokensSaved, charsSaved },
    };
  }

  #draft(
    { found, moment, equalBefore, artifactId }: LocatedPart,
    raw: string | undefined,
    signal?: AbortSignal,
  ) {
    const { core, agentId, taskId, sessionId, parentSessionId, countTokens } = this.#wiring;
    const metadata = {
      context_type: CONTEXT_TYPES[found.kind],
      agent_id: agentId ?? null,
      task_id: taskId ?? null,
      ...(moment ? { [MOMENT_KEY]: moment } : {}),
      ...(raw === undefined ? {} : { [WRAPPING_KEY]: raw }),
    };
    const content = found.value as Content;
    const owner = { toolCallId: found.id, sessionId, parentSessionId };
    const options = { ...owner, signal, countTokens, equalBefore };
    return createDraft(core.drafting, { content, artifactId, metadata }, options);
  }
}

interface FoundPart {
  readonly part: MessagePart;
  readonly texts: readonly LongString[];
  readonly tokens: number;
  /** What these texts, or the references in their place, take in the message. */
  readonly sentChars: number;
  /** What it refers to, if it is a reference. */
  readonly target: PartReference | undefined;
  /** Of which artifact it is the reference, or would be; `undefined` if it is too short to go. */
  readonly identity: Identity | undefined;
}

/** How originals are read when messages are restored. */
export interface OriginalReader {
  readonly session: SessionIndex;
  readonly hash: Hash;
  /** The content of what was found, if it fits its place; `undefined` after it was told that there is none. */
  readonly read: (
    at: { readonly messageIndex: number; readonly toolCallId: string | undefined },
    artifactId: string,
    found: Referenced | undefined,
    fits?: (original: Content) => boolean,
  ) => Promise<Content | undefined>;
}

/** Puts parts back, message by message, in the order of the conversation. */
export function createPartRestorer({ parts }: Format, { session, hash, read }: OriginalReader) {
  const places = new PlaceCounter();
  return async (message: unknown, messageIndex: number): Promise<unknown> => {
    let restored = message;
    for (const part of parts ? findParts(parts, message) : []) {
      const target = targetOf(part);
      if (!target) {
        if (isLong(part)) places.takeContent(identify(hash, part).hash, undefined);
        continue;
      }
      const { isQuotation } = places.takeContent(target.hash, target.equalBefore);
      const held = isQuotation ? undefined : findOnceHeld(session, target);
      // Nothing but its id is known of what was removed, or is sealed without its key.
      const isPart = held && (held.isGone || held.record.hash === "" || isOf(held.record, part));
      const found = isPart ? held : undefined;
      // The rest of an input must be that of the original: models imitate what they have seen.
      const isRedacted = found && REDACTIONS_KEY in found.record.metadata;
      const fits = (given: Content) =>
        part.kind === "userMessage" ||
        isRedacted === true ||
        markCall("", given) === markCall("", part.value);
      const at = { messageIndex, toolCallId: part.id };
      const original = await read(at, target.artifactId, found, fits);
      if (original === undefined || !found) continue;
      const { [WRAPPING_KEY]: raw } = found.record.metadata;
      const json = typeof raw === "string" ? raw : undefined;
      restored = parts?.put(restored, part.path, original, json);
    }
    return restored;
  };
}

/** Whether it may have been replaced, and so counts among equal ones. */
function isLong({ kind, value }: MessagePart): boolean {
  if (kind === "userMessage") return couldBeLarge(value);
  const input = fromJson(value);
  return (
    isPlainObject(input) &&
    findStrings(input).some(({ text }) => text.length >= DEFAULTS.staleTokens)
  );
}

function requireParts({ parts, name }: Format): FormatParts {
  if (parts) return parts;
  throw new InvalidArgumentError(
    "parts",
    name,
    "a format whose messages and inputs can be replaced",
  );
}

/** Some messages may be broken, or throw when they are looked at. */
function findParts(parts: FormatParts, message: unknown): readonly MessagePart[] {
  try {
    return parts.find(message);
  } catch {
    return [];
  }
}

/** Cheap: a text has no more tokens than characters. */
function couldBeLarge(value: unknown): boolean {
  if (typeof value === "string") return value.length >= DEFAULTS.staleTokens;
  return typeof value === "object" && value !== null;
}

function isReplySigned(
  messages: readonly unknown[],
  index: number,
  replies: readonly number[],
  parts: FormatParts,
): boolean {
  const next = replies.findIndex((first) => first > index);
  const start = replies[next === -1 ? replies.length - 1 : next - 1];
  if (start === undefined) return false;
  const end = next === -1 ? messages.length : replies[next];
  try {
    return messages.slice(start, end).some((message) => parts.isSigned(message));
  } catch {
    // What cannot be looked at is kept.
    return true;
  }
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && isPlainJson(value);
}
