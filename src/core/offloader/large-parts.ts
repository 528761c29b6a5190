import { DEFAULTS } from "../defaults.js";
import {
  serializeContent,
  type Content,
  type Format,
  type FormatParts,
  type MessagePart,
  type ToolResult,
} from "../engine/format.js";
import { InvalidArgumentError } from "../errors/argument-errors.js";
import { formatPointer } from "../lib/json/json-pointer.js";
import { fromJson, isPlainJson, parseJson } from "../lib/json/plain-json.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import { MOMENT_KEY, WRAPPING_KEY, type ArtifactRecord } from "../workspace/artifacts/artifact.js";
import { createDraft } from "../workspace/artifacts/draft.js";
import { parseKnowledgeList } from "../workspace/reference/knowledge-list.js";
import { isContent, type WorkspaceCore } from "../workspace/workspace-core.js";
import type { OffloadMoment } from "./offload-moment.js";
import { savesEnough } from "./result-storage.js";
import type { SessionIndex } from "./session-index.js";
import type { OffloaderSettings } from "./offloader-types.js";
import type { PartKind, PartReport } from "./report.js";

/** A long string of a call's input, and the pointer to it. */
export interface LongString {
  readonly pointer: string;
  readonly text: string;
}

/** What stands for a string of an input. */
export interface InputReference {
  readonly artifactId: string;
  readonly hash: string;
}

const HASH_DIGITS = 8;
const REFERENCE =
  /^\[Stored: artifact_id=("(?:[^"\\]|\\.)*"), pointer="(?:[^"\\]|\\.)*", \d+ chars, hash ([0-9a-f]{8})\]$/;

/** The text in place of a string of an input: short, since the model wrote that string itself. */
export function renderInputReference(
  { artifactId, hash }: InputReference,
  { pointer, text }: LongString,
): string {
  const id = JSON.stringify(artifactId);
  const digits = hash.slice(0, HASH_DIGITS);
  return `[Stored: artifact_id=${id}, pointer=${JSON.stringify(pointer)}, ${text.length} chars, hash ${digits}]`;
}

export function parseInputReference(text: string): InputReference | undefined {
  const [, id = "", hash = ""] = REFERENCE.exec(text) ?? [];
  const artifactId = parseJson(id);
  return typeof artifactId === "string" ? { artifactId, hash } : undefined;
}

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
export function targetOf({ kind, value }: MessagePart): InputReference | undefined {
  if (kind === "toolInput") {
    const input = fromJson(value);
    // A value that contains itself has no end, and could not have come from us.
    for (const { text } of isPlainJson(input) ? findStrings(input) : []) {
      const target = text.startsWith("[Stored:") ? parseInputReference(text) : undefined;
      if (target) return target;
    }
    return undefined;
  }
  if (typeof value !== "string") return undefined;
  const [artifactId, ...others] = parseKnowledgeList(value) ?? [];
  const hash = /^<knowledge_list>\n<knowledge id="[^"]*" hash="([0-9a-f]{8})"/.exec(value)?.[1];
  return artifactId === undefined || others.length > 0 || hash === undefined
    ? undefined
    : { artifactId, hash };
}

/** Anything can look like a reference; the session must hold that part, of that call. */
export function isOf(
  record: ArtifactRecord | undefined,
  { kind, id }: MessagePart,
  hash: string,
): record is ArtifactRecord {
  if (record?.metadata.context_type !== CONTEXT_TYPES[kind]) return false;
  return record.hash.startsWith(hash) && (kind === "userMessage" || record.metadata.biz_id === id);
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
    for (let index = from; index < messages.length; index++) {
      const found = this.#find(parts, messages[index]).filter(({ part }) =>
        kinds.includes(KINDS[part.kind]),
      );
      const hasInput = found.some(({ part }) => part.kind === "toolInput");
      const isSigned = hasInput && isReplySigned(messages, index, replies, parts);
      for (const { part, texts, tokens, sentChars } of found) {
        if (isSigned && part.kind === "toolInput") continue;
        const target = targetOf(part);
        const stored = session.artifacts.get(target?.artifactId ?? this.#idOf(part));
        const record = isOf(stored, part, target?.hash ?? this.#hashOf(part)) ? stored : undefined;
        // What looks like a reference, but is none of this session, is left alone, too.
        if (target ? !record : texts.length === 0) continue;
        const isReference = target !== undefined;
        located.push(new LocatedPart(index, part, texts, tokens, sentChars, record, isReference));
      }
    }
    return located;
  }

  #find(parts: FormatParts, message: unknown): readonly FoundPart[] {
    if (typeof message !== "object" || message === null) return this.#read(parts, message);
    const known = this.#known.get(message) ?? this.#read(parts, message);
    this.#known.set(message, known);
    return known;
  }

  #read(parts: FormatParts, message: unknown): readonly FoundPart[] {
    const { countTokens } = this.#wiring;
    return (
      findParts(parts, message)
        // What JSON cannot hold could not be put back, and has no hash.
        .filter(
          ({ value }) => couldBeLarge(value) && (typeof value === "string" || isPlainJson(value)),
        )
        .map((part) => {
          const { texts, sentChars } = this.#longTexts(part);
          const tokens = texts.reduce((sum, { text }) => sum + countTokens(text), 0);
          return { part, texts, tokens, sentChars };
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

  #hashOf({ value }: MessagePart): string {
    return this.#wiring.core.hash(serializeContent(value as Content));
  }

  #idOf(part: MessagePart): string {
    return part.kind === "userMessage"
      ? `user-${this.#hashOf(part).slice(0, 16)}`
      : `${part.id ?? ""}-input`;
  }

  /** Stores a part; `undefined` if its reference would save too little. */
  async store(
    located: LocatedPart,
    raw: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ReplacedPart | undefined> {
    const { core, countTokens } = this.#wiring;
    const { found, texts, tokens, messageIndex } = located;
    const draft = this.#draft(located, raw, signal);
    const kind = KINDS[found.kind];
    if (found.kind === "userMessage") {
      if (!savesEnough(draft.referenceTokens, tokens)) return undefined;
      const { record, reference, referenceTokens } = await core.store(draft);
      const charsSaved = located.chars - reference.length;
      const { artifactId } = record;
      const tokensSaved = tokens - referenceTokens;
      return {
        value: reference,
        report: { kind, messageIndex, artifactId, tokensSaved, charsSaved },
      };
    }
    const { record } = await core.store(draft);
    const { artifactId } = record;
    const references = new Map(
      texts.map((item) => [item.pointer, renderInputReference(record, item)]),
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
      report: { kind, messageIndex, artifactId, tokensSaved, charsSaved },
    };
  }

  #draft({ found, moment }: LocatedPart, raw: string | undefined, signal?: AbortSignal) {
    const { core, agentId, taskId, sessionId, parentSessionId, countTokens } = this.#wiring;
    const metadata = {
      context_type: CONTEXT_TYPES[found.kind],
      agent_id: agentId ?? null,
      task_id: taskId ?? null,
      ...(moment ? { [MOMENT_KEY]: moment } : {}),
      ...(raw === undefined ? {} : { [WRAPPING_KEY]: raw }),
    };
    const content = found.value as Content;
    const artifactId = this.#idOf(found);
    const options = { toolCallId: found.id, sessionId, parentSessionId, signal, countTokens };
    return createDraft(core.drafting, { content, artifactId, metadata }, options);
  }
}

interface FoundPart {
  readonly part: MessagePart;
  readonly texts: readonly LongString[];
  readonly tokens: number;
  /** What these texts, or the references in their place, take in the message. */
  readonly sentChars: number;
}

/** A message with what the session holds put back. */
export async function restoreParts(
  message: unknown,
  { parts }: Format,
  { artifacts }: SessionIndex,
  core: WorkspaceCore,
  signal: AbortSignal | undefined,
  onUnknown: (toolCallId: string | undefined, artifactId: string) => void,
): Promise<unknown> {
  let restored = message;
  for (const part of parts ? findParts(parts, message) : []) {
    const target = targetOf(part);
    if (!target) continue;
    const record = artifacts.get(target.artifactId);
    const original = isOf(record, part, target.hash)
      ? await core.original(record, signal)
      : undefined;
    if (original === undefined || !isContent(original)) {
      onUnknown(part.id, target.artifactId);
      continue;
    }
    const raw = record?.metadata[WRAPPING_KEY];
    const json = typeof raw === "string" ? raw : undefined;
    restored = parts?.put(restored, part.path, original, json);
  }
  return restored;
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
