import { fromJson, isPlainJson, parseJson } from "../lib/json/plain-json.js";
import { formatPointer } from "../lib/json/json-pointer.js";
import type { MessagePart } from "../engine/format.js";
import type { ArtifactRecord } from "../workspace/artifacts/artifact.js";
import { parseKnowledgeList } from "../workspace/reference/knowledge-list.js";

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
