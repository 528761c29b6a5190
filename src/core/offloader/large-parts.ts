import { DEFAULTS } from "../defaults.js";
import type { MessagePart, Content, Format, FormatParts } from "../engine/format.js";
import { InvalidArgumentError } from "../errors/argument-errors.js";
import { formatPointer } from "../lib/json/json-pointer.js";
import { fromJson, isPlainJson, parseJson } from "../lib/json/plain-json.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import { WRAPPING_KEY, type ArtifactRecord } from "../workspace/artifacts/artifact.js";
import { createDraft } from "../workspace/artifacts/draft.js";
import { parseKnowledgeList } from "../workspace/reference/knowledge-list.js";
import { isContent, type WorkspaceCore } from "../workspace/workspace-core.js";
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
  "sessionId" | "parentSessionId" | "agentId" | "taskId" | "onError"
> {
  readonly core: WorkspaceCore;
  readonly countTokens: CountTokens;
}

/** Offloads what is large besides results. */
export class LargeParts {
  readonly #wiring: PartsWiring;
  /** Messages that need not be looked at again: what was decided of an old message never changes. */
  readonly #done = new WeakSet();

  constructor(wiring: PartsWiring) {
    this.#wiring = wiring;
  }

  /**
   * The messages that change. Those of the last replies are kept, since the model still works with
   * them; so are the inputs in a reply with signed or encrypted reasoning, since vendors refuse a
   * changed one. What a user writes after it is not signed.
   */
  async offload(
    messages: readonly unknown[],
    format: Format,
    kinds: readonly PartKind[],
    replies: readonly number[],
    signal: AbortSignal | undefined,
  ): Promise<{ changed: Map<number, unknown>; reports: PartReport[] }> {
    const parts = requireParts(format);
    const end = replies.at(-DEFAULTS.recentReplies) ?? 0;
    const changed = new Map<number, unknown>();
    const reports: PartReport[] = [];
    for (let index = 0; index < end; index++) {
      const message = messages[index];
      if (this.#done.has(message as object)) continue;
      const found = findParts(parts, message).filter(
        ({ kind, value }) => kinds.includes(KINDS[kind]) && couldBeLarge(value),
      );
      const hasInput = found.some(({ kind }) => kind === "toolInput");
      const isSigned = hasInput && isReplySigned(messages, index, replies, parts);
      let next = message;
      let hasFailed = false;
      for (const part of found) {
        if (isSigned && part.kind === "toolInput") continue;
        const raw = parts.raw?.(message, part);
        const put = await this.#store(part, raw, signal);
        if (put === "failed") hasFailed = true;
        else if (put) {
          next = parts.put(next, part.path, put.value);
          reports.push({ kind: KINDS[part.kind], messageIndex: index, ...put.report });
        }
      }
      if (next !== message) changed.set(index, next);
      // The next call must try again what could not be stored.
      if (hasFailed || typeof message !== "object" || message === null) continue;
      this.#done.add(message).add(next as object);
    }
    return { changed, reports };
  }

  async #store(part: MessagePart, raw: string | undefined, signal: AbortSignal | undefined) {
    const { value } = part;
    if (targetOf(part) !== undefined) return undefined;
    try {
      return typeof value === "string" && part.kind === "userMessage"
        ? await this.#storeText(value, raw, signal)
        : await this.#storeInput(part, raw, signal);
    } catch (error) {
      // The workspace has already logged it.
      if (this.#wiring.onError !== "keep" || signal?.aborted) throw error;
      return "failed" as const;
    }
  }

  async #storeText(text: string, raw: string | undefined, signal: AbortSignal | undefined) {
    const { core, countTokens } = this.#wiring;
    const artifactId = `user-${core.hash(text).slice(0, 16)}`;
    const tokens = countTokens(text);
    if (tokens < DEFAULTS.offloaderMinTokens) return undefined;
    const draft = this.#draft(text, artifactId, undefined, "userMessage", raw, signal);
    if (!savesEnough(draft.referenceTokens, tokens)) return undefined;
    const { record, reference, referenceTokens } = await core.store(draft);
    return {
      value: reference,
      report: reportOf(record, tokens - referenceTokens, text.length - reference.length),
    };
  }

  async #storeInput(
    { value, id }: MessagePart,
    raw: string | undefined,
    signal: AbortSignal | undefined,
  ) {
    const { core, countTokens } = this.#wiring;
    const input = fromJson(value);
    if (id === undefined || !isPlainObject(input)) return undefined;
    const artifactId = `${id}-input`;
    const long = findStrings(input).filter(({ text }) => {
      if (text.length < DEFAULTS.offloaderMinTokens || parseInputReference(text)) return false;
      const tokens = countTokens(text);
      const hash = "0".repeat(8);
      const reference = renderInputReference({ artifactId, hash }, { pointer: "/", text });
      return tokens >= DEFAULTS.offloaderMinTokens && savesEnough(countTokens(reference), tokens);
    });
    if (long.length === 0) return undefined;
    const content = value as Content;
    const { record } = await core.store(
      this.#draft(content, artifactId, id, "toolInput", raw, signal),
    );
    const texts = new Map(long.map((item) => [item.pointer, renderInputReference(record, item)]));
    const replaced = replaceStrings(input, texts);
    let tokensSaved = 0;
    let charsSaved = 0;
    for (const { text, pointer } of long) {
      const reference = texts.get(pointer) ?? "";
      tokensSaved += countTokens(text) - countTokens(reference);
      charsSaved += text.length - reference.length;
    }
    return {
      value: typeof value === "string" ? JSON.stringify(replaced) : replaced,
      report: reportOf(record, tokensSaved, charsSaved),
    };
  }

  #draft(
    content: Content,
    artifactId: string,
    toolCallId: string | undefined,
    kind: MessagePart["kind"],
    raw: string | undefined,
    signal: AbortSignal | undefined,
  ) {
    const { core, agentId, taskId, sessionId, parentSessionId, countTokens } = this.#wiring;
    const metadata = {
      context_type: CONTEXT_TYPES[kind],
      agent_id: agentId ?? null,
      task_id: taskId ?? null,
      ...(raw === undefined ? {} : { [WRAPPING_KEY]: raw }),
    };
    const options = { toolCallId, sessionId, parentSessionId, signal, countTokens };
    return createDraft(core.drafting, { content, artifactId, metadata }, options);
  }
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
  if (typeof value === "string") return value.length >= DEFAULTS.offloaderMinTokens;
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

function reportOf({ artifactId }: ArtifactRecord, tokensSaved: number, charsSaved: number) {
  return { artifactId, tokensSaved, charsSaved };
}
