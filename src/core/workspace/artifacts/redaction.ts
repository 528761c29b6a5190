import { guardHost } from "../../arguments.js";
import { serializeContent, type Content, type Hash } from "../../engine/format.js";
import { ContextOffloadError } from "../../errors/context-offload-error.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { ContentNotSerializableError } from "../../errors/storage-errors.js";
import { collectPieces } from "../../lib/text/byte-source.js";
import { decodeWtf8 } from "../../lib/text/wtf8.js";
import {
  CALL_KEY,
  MOMENT_KEY,
  NAMED_FIELDS,
  OFFLOADED_KEY,
  REDACTIONS_KEY,
  WRAPPING_KEY,
  type ContentSource,
} from "./artifact.js";

/** Where a text comes from that is about to be stored. */
export interface RedactContext {
  readonly sessionId: string | undefined;
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
  /** The name of the field that holds the text, if it is part of a value: `password` in `{ password: "…" }`. */
  readonly field?: string | undefined;
}

/** Removes what must not be stored from a text; called for every string that is about to be stored, ids and metadata included. */
export type Redact = (text: string, context: RedactContext) => string;

/** The host's function, if there is one, and how content is hashed; with a key, if there is one. */
export interface Redacting {
  readonly redact?: Redact | undefined;
  readonly hash: Hash;
}

/** Content without what was redacted, and how much that was. */
export interface RedactedContent {
  readonly content: Content;
  readonly redactions: number;
}

const NO_CONTEXT: RedactContext = {
  sessionId: undefined,
  toolCallId: undefined,
  toolName: undefined,
};

/** A mark that stands for what was redacted; what else a function puts there counts once for each text. */
const MARK = /\[redacted[^[\]]*\]/gi;

/** Applies the host's function to every string of the content, object keys included. */
export function redactContent(
  content: Content,
  redact: Redact,
  context: RedactContext,
): RedactedContent {
  const redacted = new Redaction(redact, context);
  // A value as it will be stored: a URL or a class of the host's own becomes a string in JSON.
  const value = typeof content === "string" ? content : parse(serializeContent(content));
  const changed = toJsonDepth(() => redacted.value(value) as Content);
  const { count } = redacted;
  return { content: count === 0 ? content : changed, redactions: count };
}

/** A secret may lie across two chunks of a stream, so that all of it must be read first. */
export async function readForRedaction(source: ContentSource): Promise<Content> {
  if (typeof source === "string" || !(Symbol.asyncIterator in source)) return source;
  return decodeWtf8(await collectPieces(source));
}

/** Applies the host's function to texts, and counts what it changed. */
class Redaction {
  count = 0;

  constructor(
    readonly redact: Redact,
    readonly context: RedactContext,
  ) {}

  text(text: string, field?: string): string {
    if (text === "") return text;
    const context = field === undefined ? this.context : { ...this.context, field };
    const changed = callRedact(this.redact, text, context);
    if (changed !== text) this.count += Math.max(1, countMarks(changed) - countMarks(text));
    return changed;
  }

  value(value: unknown, field?: string): unknown {
    if (typeof value === "string") return this.text(value, field);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.value(item, field));
    const changed: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      let name = this.text(key);
      // Two keys may have become the same, and no value may be lost.
      while (Object.hasOwn(changed, name)) name += "'";
      const inner = this.value(item, fieldOf(key, value as Readonly<Record<string, unknown>>));
      Object.defineProperty(changed, name, { value: inner, ...PLAIN });
    }
    return changed;
  }

  /**
   * What the format needs to put the result back. The raw JSON of the result goes as soon as anything
   * was redacted: it repeats the content, in whatever escapes.
   */
  wrapping(wrapping: unknown): unknown {
    if (Array.isArray(wrapping)) return wrapping.map((item) => this.wrapping(item));
    if (typeof wrapping === "object" && wrapping !== null) {
      const entries = Object.entries(wrapping).map(([key, item]) => [key, this.wrapping(item)]);
      return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
    }
    if (typeof wrapping !== "string" || OWN_WORD.test(wrapping)) return wrapping;
    if (!/^["[{]/.test(wrapping)) return this.text(wrapping);
    const inner = new Redaction(this.redact, this.context);
    inner.value(parse(wrapping));
    inner.text(wrapping);
    if (this.count === 0 && inner.count === 0) return wrapping;
    this.count += this.count === 0 ? inner.count : 0;
    return undefined;
  }
}

const PLAIN = { enumerable: true, configurable: true, writable: true } as const;
/** Words of this package and of formats; the hashes of an offloaded result's moment, the mark of its call. */
const OWN_WORD = /^(?:[a-z][a-zA-Z_ -]{0,31}|[0-9a-f]{16}|[0-9a-f]{4})$/;
const OWN_FIELDS: ReadonlySet<string> = new Set([
  "context_type",
  OFFLOADED_KEY,
  MOMENT_KEY,
  CALL_KEY,
]);
const ID_FIELDS: ReadonlySet<string> = new Set(["biz_id", "session_id"]);

/** The name of a value: its key, or what stands beside it, as in `{ name: "DB_PASSWORD", value: "…" }`. */
function fieldOf(key: string, owner: Readonly<Record<string, unknown>>): string {
  if (!/^value$/i.test(key)) return key;
  const name = owner["name"] ?? owner["Name"] ?? owner["key"] ?? owner["Key"];
  return typeof name === "string" ? name : key;
}

/** Metadata may hold secrets, or repeat the content: every text of it is redacted like the content. */
export function redactMetadata(
  given: Readonly<Record<string, unknown>>,
  { redact, hash }: Required<Redacting> & { readonly redact: Redact },
  context: RedactContext,
  redactions = 0,
): Readonly<Record<string, unknown>> {
  const changed: Record<string, unknown> = {};
  const ofMetadata = new Redaction(redact, context);
  const ofContent = new Redaction(redact, context);
  ofContent.count = redactions;
  for (const [key, value] of Object.entries(given)) {
    if (key === WRAPPING_KEY) {
      const wrapping = ofContent.wrapping(value);
      if (wrapping !== undefined) changed[key] = wrapping;
    } else if (OWN_FIELDS.has(key) && isOwn(value)) changed[key] = value;
    else if (ID_FIELDS.has(key) && typeof value === "string") {
      changed[key] = storedId(value, { redact, hash });
    } else if ((NAMED_FIELDS as readonly string[]).includes(key)) {
      changed[key] = ofMetadata.value(value);
    } else Object.assign(changed, ofMetadata.value({ [key]: value }));
  }
  // What restore must tell: the result comes back without it.
  return ofContent.count === 0 ? changed : { ...changed, [REDACTIONS_KEY]: ofContent.count };
}

/** What is searched for, as it would have been stored. */
export function redactFilter<T extends Readonly<Record<string, unknown>>>(
  filter: T,
  { redact, hash }: Redacting,
): T {
  return redact ? (redactMetadata(filter, { redact, hash }, NO_CONTEXT) as T) : filter;
}

/** Whether a value holds nothing but words and hashes of this package. */
function isOwn(value: unknown): boolean {
  if (typeof value === "string") return OWN_WORD.test(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isOwn);
}

/** Ids that this package makes: of content without one, and of those that must not be stored. */
const MADE_ID = /^(?:redacted|unknown)-[0-9a-f]{16}(?:-[0-9a-f]{12}(?:[0-9a-f]{52})?)?$/;

/**
 * An id as it is stored. One that the host's function changes is replaced by a keyed hash of it, so that
 * it is still the id of one thing only.
 */
export function storedId(id: string, { redact, hash }: Redacting): string {
  if (!redact || id === "" || MADE_ID.test(id)) return id;
  return callRedact(redact, id, NO_CONTEXT) === id ? id : `redacted-${hash(id).slice(0, 16)}`;
}

/** A name as it is stored. */
export function redactName(name: string, { redact }: Redacting): string {
  return redact ? callRedact(redact, name, NO_CONTEXT) : name;
}

const EVENT_IDS: ReadonlySet<string> = new Set(["artifact_id", ...ID_FIELDS]);

/** What an event says, without what must not be logged: errors quote what they were given. */
export function redactEvent<T extends object>(details: T, redacting: Redacting | undefined): T {
  const redact = redacting?.redact;
  if (!redact) return details;
  const clean = (name: string, value: unknown): unknown => {
    if (typeof value !== "string" || name === "code") return value;
    if (name === "context_type" && OWN_WORD.test(value)) return value;
    try {
      return EVENT_IDS.has(name)
        ? storedId(value, redacting)
        : callRedact(redact, value, NO_CONTEXT);
    } catch {
      return "[redacted: redact failed]";
    }
  };
  const entries = Object.entries(details).map(([name, value]) => [name, clean(name, value)]);
  return Object.fromEntries(entries) as T;
}

/** What is nested too deeply to be looked at must not be stored unseen. */
function toJsonDepth<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw ContextOffloadError.isInstance(cause) ? cause : new ContentNotSerializableError(cause);
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function callRedact(redact: Redact, text: string, context: RedactContext): string {
  const changed: unknown = guardHost("redact", redact)(text, context);
  if (typeof changed === "string") return changed;
  throw new InvalidArgumentError("redact", changed, "a function that returns a string");
}

function countMarks(text: string): number {
  return text.match(MARK)?.length ?? 0;
}
