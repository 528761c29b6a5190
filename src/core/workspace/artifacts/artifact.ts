import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { requireObject, requireString } from "../../arguments.js";
import { DEFAULTS } from "../../defaults.js";
import type { Content } from "../../engine/format.js";

/** Content, or a stream of its bytes. */
export type ContentSource = Content | AsyncIterable<Uint8Array>;

/** `TEXT` was a string; `JSON` was a value, stored as its compact JSON. */
export type ArtifactType = "TEXT" | "JSON";

/** What is known of an artifact besides its content. The seven named fields are always present. */
export interface ArtifactMetadata {
  readonly context_type: string;
  readonly biz_id: string | null;
  readonly agent_id: string | null;
  readonly task_id: string | null;
  readonly session_id: string | null;
  readonly tool_name: string | null;
  readonly action_name: string | null;
  readonly [key: string]: unknown;
}

/** How large a stored text is. */
export interface TextSize {
  readonly bytes: number;
  /** UTF-16 units, like a string's length. */
  readonly chars: number;
  readonly lines: number;
  /** Lines of the readable view, if known and different from `lines`, or if a text of several lines has one. */
  readonly viewLines?: number;
  /** UTF-16 units of the readable view, where `viewLines` is known. */
  readonly viewChars?: number;
  readonly tokens: number;
}

/** One stored tool result, without its content. */
export interface ArtifactRecord {
  readonly artifactId: string;
  readonly sessionId: string;
  readonly type: ArtifactType;
  readonly size: TextSize;
  /** SHA-256 of the stored bytes, in hexadecimal. */
  readonly hash: string;
  /** When it was last stored, ISO 8601: storing the same content again renews it. */
  readonly createdAt: string;
  readonly metadata: ArtifactMetadata;
  /** Where the store keeps it, in the store's own terms, such as a path. */
  readonly location: string;
  /** The digits that references to it show, where these are not the first of `hash`. */
  readonly shownHash?: string | undefined;
}

/** What is left of an artifact that was removed: enough to say of a reference that its artifact is gone. */
export interface Tombstone {
  readonly artifactId: string;
  /** The digits that references to it show. */
  readonly shownHash: string;
  /** When it is removed, too, ISO 8601. */
  readonly until: string;
}

/** How many digits of its artifact's hash a reference shows. */
export const SHOWN_HASH_DIGITS = 8;

/** The digits of the hash that references to an artifact show. */
export function shownHashOf({ hash, shownHash }: ArtifactRecord): string {
  return shownHash ?? hash.slice(0, SHOWN_HASH_DIGITS);
}

/** What a store keeps of an artifact that it removes at this time, in milliseconds since 1970. */
export function tombstoneOf(record: ArtifactRecord, now: number): Tombstone {
  requireObject("record", record, "the record of an artifact");
  requireString("record.hash", record.hash);
  const { artifactId } = record;
  return {
    artifactId,
    shownHash: shownHashOf(record),
    until: new Date(now + DEFAULTS.tombstoneMs).toISOString(),
  };
}

/** Whether a tombstone still stands. */
export function isStanding({ until }: Tombstone, now: number): boolean {
  return Date.parse(until) > now;
}

/**
 * Whether an artifact that is stored or handed out again gets this time. Not every time, since a host may
 * do so with all results on every turn; retention allows for the difference.
 */
export function isRenewal(record: ArtifactRecord, createdAt: string): boolean {
  return Date.parse(createdAt) - Date.parse(record.createdAt) > DEFAULTS.renewAfterMs;
}

const HASH_CHARS = 12;

/** The id of content that came without one. */
export function idOfContent(contentHash: string): string {
  return `unknown-${contentHash.slice(0, 16)}`;
}

/** The ids that content may get, in order; each later one is for when those before hold other content. */
export function candidateIds(wantedId: string | undefined, contentHash: string): readonly string[] {
  requireString("contentHash", contentHash);
  const id = wantedId ?? idOfContent(contentHash);
  return [id, `${id}-${contentHash.slice(0, HASH_CHARS)}`, `${id}-${contentHash}`];
}

/** True if the content of this tool call may have been stored under `artifactId`. */
export function isIdFor(artifactId: string, toolCallId: string | undefined): boolean {
  if (toolCallId === undefined) {
    return /^unknown-[0-9a-f]{16}(?:-(?:[0-9a-f]{12}|[0-9a-f]{64}))?$/.test(artifactId);
  }
  if (artifactId === toolCallId) return true;
  const rest = artifactId.startsWith(toolCallId) ? artifactId.slice(toolCallId.length) : "";
  return /^-(?:[0-9a-f]{12}|[0-9a-f]{64})$/.test(rest);
}

/**
 * The `context_type` of an answer of a reading tool that was offloaded. It repeats what another artifact
 * holds, so it is neither listed nor searched; its reference leads to it.
 */
export const HIDDEN_CONTEXT = "reading_answer";

/** Metadata: how much was redacted before the content was stored. */
export const REDACTIONS_KEY = "redactions";

/** Metadata: the result was replaced by a reference, rather than stored and also kept. */
export const OFFLOADED_KEY = "offloaded_as";

/** Metadata: when it was replaced; absent if that was when it arrived. */
export const MOMENT_KEY = "offloaded_when";

/** Metadata: the mark of the call whose result it is. */
export const CALL_KEY = "call_mark";

/** The names that the user's message before it had: what its reference shows depends on them. */
export const NAMED_KEY = "asked_about";

/** Metadata: the wrapping of a result in its format. */
export const WRAPPING_KEY = "format_wrapping";

/** The fields of metadata that every store knows and filters by; they hold nothing of the content. */
export const NAMED_FIELDS = [
  "context_type",
  "biz_id",
  "agent_id",
  "task_id",
  "session_id",
  "tool_name",
  "action_name",
] as const;

/** Metadata as it will be read back, after a round trip through JSON. */
export function readMetadata(given: unknown): Readonly<Record<string, unknown>> {
  if (given === undefined || given === null) return {};
  const object = requireObject("metadata", given, "an object");
  try {
    return JSON.parse(JSON.stringify(object)) as Readonly<Record<string, unknown>>;
  } catch {
    throw new InvalidArgumentError("metadata", given, "an object that JSON can hold");
  }
}

/** Adds the seven named fields; those that are not known are `null`. */
export function completeMetadata(
  given: Readonly<Record<string, unknown>>,
  toolCallId: string | undefined,
  sessionId: string | undefined,
): ArtifactMetadata {
  const named = {} as Record<(typeof NAMED_FIELDS)[number], string | null>;
  for (const name of NAMED_FIELDS) {
    const value = given[name];
    named[name] = typeof value === "string" ? value : null;
  }
  return {
    ...given,
    ...named,
    context_type: named.context_type ?? "tool_result",
    biz_id: toolCallId ?? named.biz_id,
    session_id: sessionId ?? named.session_id,
  };
}
