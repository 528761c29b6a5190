import { DEFAULTS } from "../../defaults.js";
import { type Content, type Hash, serializeContent } from "../../engine/format.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { CallerFailedError } from "../../errors/storage-errors.js";
import { once } from "../../lib/concurrency.js";
import {
  type ContentSample,
  type Digest,
  type DigestHints,
  scanSampled,
} from "../../lib/digest/digest.js";
import { sampleOfStream, sampleText } from "../../lib/digest/sampled-text.js";
import { isJsonText } from "../../lib/json/json-indenter.js";
import { isData } from "../../lib/json/plain-json.js";
import { collectPieces } from "../../lib/text/byte-source.js";
import { LINE_FEED } from "../../lib/text/code-units.js";
import {
  countLinesOfBytes,
  isContinuation,
  countLines,
  createTextIndexer,
  type TextIndex,
} from "../../lib/text/text-index.js";
import { decodeWtf8, encodeWtf8 } from "../../lib/text/wtf8.js";
import type { CountTokens } from "../../lib/tokens/estimate-tokens.js";
import { renderValue } from "../../lib/wrapping/render-value.js";
import { escapeMarkup } from "../reference/markup.js";
import type { ArtifactType, TextSize } from "./artifact.js";
import { type ReadableContent, readableOf } from "./readable-view.js";

/** Where a text comes from that is about to be stored. */
export interface RedactContext {
  readonly sessionId: string | undefined;
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
}

/** Removes what must not be stored from a text; called for every string of the content, before anything is stored. */
export type Redact = (text: string, context: RedactContext) => string;

/** Content without what was redacted, and how much that was. */
export interface RedactedContent {
  readonly content: Content;
  readonly redactions: number;
}

/** A mark that stands for what was redacted; what else a function puts there counts once for each text. */
const MARK = /\[redacted[^[\]]*\]/gi;
const MAX_REDACT_DEPTH = 1_000;

/** Applies the host's function to every string of the content, object keys included. */
export function redactContent(
  content: Content,
  redact: Redact,
  context: RedactContext,
): RedactedContent {
  let redactions = 0;
  const change = (text: string): string => {
    if (text === "") return text;
    const changed = callRedact(redact, text, context);
    if (changed !== text) redactions += Math.max(1, countMarks(changed) - countMarks(text));
    return changed;
  };
  const walk = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return change(value);
    if (typeof value !== "object" || value === null || depth > MAX_REDACT_DEPTH) return value;
    if (Array.isArray(value)) return value.map((item) => walk(item, depth + 1));
    if (!isData(value)) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([key, item]) => [change(key), walk(item, depth + 1)]));
  };
  const redacted = walk(content, 0) as Content;
  return { content: redactions === 0 ? content : redacted, redactions };
}

/** A secret may lie across two chunks of a stream, so that all of it must be read first. */
export async function readForRedaction(source: ContentSource): Promise<Content> {
  if (typeof source === "string" || !(Symbol.asyncIterator in source)) return source;
  return decodeWtf8(await collectPieces(source));
}

function callRedact(redact: Redact, text: string, context: RedactContext): string {
  let changed: unknown;
  try {
    changed = redact(text, context);
  } catch (cause) {
    throw new CallerFailedError("redact", cause);
  }
  if (typeof changed === "string") return changed;
  throw new InvalidArgumentError("redact", changed, "a function that returns a string");
}

function countMarks(text: string): number {
  return text.match(MARK)?.length ?? 0;
}

const HEAD_BYTES = 262_144;
const TAIL_BYTES = 65_536;
const MAX_CONTINUATIONS = 3;

/** Keeps the start and the end of a stream as it passes through. */
export function createSampler(): {
  push(chunk: Uint8Array): void;
  sample(whole: { readonly chars: number; readonly lines: number }): ContentSample;
} {
  const head = new Uint8Array(HEAD_BYTES);
  // Twice as long as the tail, so that it is moved to the front only now and then, not at each chunk.
  const last = new Uint8Array(2 * TAIL_BYTES);
  let headLength = 0;
  let lastLength = 0;
  let total = 0;

  return {
    push(chunk) {
      total += chunk.length;
      const toHead = chunk.subarray(0, HEAD_BYTES - headLength);
      head.set(toHead, headLength);
      headLength += toHead.length;
      const rest = chunk.subarray(toHead.length).subarray(-TAIL_BYTES);
      if (lastLength + rest.length > last.length) {
        last.copyWithin(0, lastLength - TAIL_BYTES, lastLength);
        lastLength = TAIL_BYTES;
      }
      last.set(rest, lastLength);
      lastLength += rest.length;
    },

    sample({ chars, lines }) {
      const tail = last.subarray(Math.max(lastLength - TAIL_BYTES, 0), lastLength);
      const complete = headLength + tail.length === total;
      if (complete) {
        const whole = new Uint8Array(total);
        whole.set(head.subarray(0, headLength));
        whole.set(tail, headLength);
        return { head: decodeWtf8(whole), tail: "", tailLine: lines + 1, chars, lines, complete };
      }
      const end = tail.subarray(startOfTail(tail));
      return {
        head: decodeWtf8(head.subarray(0, endOfHead(head))),
        tail: decodeWtf8(end),
        tailLine: lines - countLinesOfBytes(end) + 1,
        chars,
        lines,
        complete,
      };
    },
  };
}

/** Cuts at the end of a line where that loses little, else between two characters. */
function endOfHead(head: Uint8Array): number {
  const lineEnd = head.lastIndexOf(LINE_FEED) + 1;
  if (lineEnd >= head.length / 2) return lineEnd;
  const least = head.length - MAX_CONTINUATIONS - 1;
  let start = head.length - 1;
  while (start > least && isContinuation(head[start] ?? 0)) start--;
  // The last character is dropped, whether or not it is complete.
  return start > least && (head[start] ?? 0) >= 0x80 ? start : head.length;
}

function startOfTail(tail: Uint8Array): number {
  const lineStart = tail.indexOf(LINE_FEED) + 1;
  if (lineStart > 0 && lineStart <= tail.length / 2) return lineStart;
  let start = 0;
  while (start < MAX_CONTINUATIONS && isContinuation(tail[start] ?? 0)) start++;
  return start;
}

/** Content, or a stream of its bytes. */
export type ContentSource = Content | AsyncIterable<Uint8Array>;

/** What is already known of the content. */
export interface KnownContent {
  readonly hash?: string | undefined;
  readonly tokens?: number | undefined;
  /** What its digest may take from the conversation. */
  readonly hints?: DigestHints | undefined;
}

/**
 * Content, with everything that a store and a reference need to know of it. Each value is computed
 * once, on first use; for a stream, only after all of it has been read.
 */
export interface PreparedContent {
  readonly type: ArtifactType;
  /** The content as it was passed in; `undefined` for a stream. */
  readonly content: Content | undefined;
  bytes(): Uint8Array | AsyncIterable<Uint8Array>;
  /** `undefined` for a stream, which the store hashes while reading it. */
  readonly hash: (() => string) | undefined;
  readonly tokens: () => number;
  size(): TextSize;
  /** Does the first half of the work for the digest. */
  readonly scan: () => unknown;
  digest(): Digest;
  /** How many lines the readable view has; `undefined` if counting them would take too long. */
  viewLines(): number | undefined;
}

export interface PrepareOptions {
  readonly countTokens: CountTokens;
  readonly digestChars: number;
  readonly hash: Hash;
}

export function prepareContent(
  source: ContentSource,
  options: PrepareOptions,
  known: KnownContent = {},
): PreparedContent {
  return typeof source !== "string" && Symbol.asyncIterator in source
    ? prepareStream(source, options)
    : prepareValue(source, options, known);
}

function prepareValue(
  content: Content,
  { countTokens, digestChars, hash }: PrepareOptions,
  known: KnownContent,
): PreparedContent {
  const isText = typeof content === "string";
  const stored = once(() => serializeContent(content));
  const shown = once(() => (isText ? content : renderValue(content)));
  const bytes = once(() => encodeWtf8(stored()));
  const readable = once(() => readableOf(stored(), bytes().length));
  const view = once(() => readable().body ?? shown());
  const tokens = once(() => known.tokens ?? countTokens(shown()));
  // The lines of a plain text are counted once, for the digest and for the size.
  const sampled = once(() => sampleText(view(), DEFAULTS.digestSampleChars));
  const isPlain = once(() => isText && readable().body === undefined);
  const storedLines = once(() => (isPlain() ? sampled().lines : countLines(stored())));
  const viewLines = once(() => {
    const { text, isKnown } = readable();
    return text === undefined ? (isKnown ? storedLines() : undefined) : countLines(text);
  });
  const scan = once(() => scanSampled(sampled(), known.hints));
  return {
    type: isText ? "TEXT" : "JSON",
    content,
    bytes,
    hash: once(() => known.hash ?? hash(bytes())),
    tokens,
    size: once(() => ({
      bytes: bytes().length,
      chars: stored().length,
      lines: storedLines(),
      ...viewLinesOf(readable(), storedLines()),
      tokens: tokens(),
    })),
    scan,
    digest: once(() =>
      answerable(digestWithin(digestBudget(view().length, digestChars), scan()), view()),
    ),
    viewLines,
  };
}

function prepareStream(
  source: AsyncIterable<Uint8Array>,
  { countTokens, digestChars }: PrepareOptions,
): PreparedContent {
  const indexer = createTextIndexer();
  const sampler = createSampler();
  const index = once((): TextIndex => indexer.end());
  const sample = once(() => sampler.sample(index()));
  const readable = once(() => readableOf(sample().head, index().bytes, sample().complete));
  const tokens = once(() => {
    const { head, tail } = sample();
    const seen = head.length + tail.length;
    return seen === 0 ? 0 : Math.round(countTokens(head + tail) * (index().chars / seen));
  });
  const scan = once(() => {
    const { body } = readable();
    return scanSampled(
      body === undefined
        ? sampleOfStream(sample(), DEFAULTS.digestSampleChars)
        : sampleText(body, DEFAULTS.digestSampleChars),
    );
  });
  async function* tap(): AsyncGenerator<Uint8Array> {
    for await (const chunk of readSource(source)) {
      requireBytes(chunk);
      indexer.push(chunk);
      sampler.push(chunk);
      yield chunk;
    }
  }
  return {
    type: "TEXT",
    content: undefined,
    bytes: tap,
    hash: undefined,
    tokens,
    size: once(() => {
      const { bytes, chars, lines } = index();
      return { bytes, chars, lines, ...viewLinesOf(readable(), lines), tokens: tokens() };
    }),
    scan,
    digest: once(() => digestWithin(digestBudget(index().chars, digestChars), scan())),
    viewLines() {
      const { text, isKnown } = readable();
      if (!isKnown) return undefined;
      return text === undefined ? index().lines : countLines(text);
    },
  };
}

/** A failure of the caller's stream is reported as such, not as one of the store. */
async function* readSource(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of source) yield chunk;
  } catch (cause) {
    throw new CallerFailedError("content", cause);
  }
}

/** A stream with an encoding yields strings, from which the original bytes cannot be recovered. */
function requireBytes(chunk: unknown): void {
  if (ArrayBuffer.isView(chunk) && "length" in chunk && chunk.length === chunk.byteLength) return;
  throw new InvalidArgumentError("content", chunk, "a stream of bytes, each chunk a Uint8Array");
}

/** How long the digest of content of this length may be: a share of it, within limits. */
function digestBudget(chars: number, most: number): number {
  const share = Math.round(chars * DEFAULTS.digestShare);
  return Math.min(most, Math.max(share, DEFAULTS.digestMinChars));
}

/** The lines of the readable view, where the lines of the content do not tell. */
function viewLinesOf({ text }: ReadableContent, lines: number): Pick<TextSize, "viewLines"> {
  if (text === undefined) return {};
  const viewLines = countLines(text);
  return viewLines === lines && lines === 1 ? {} : { viewLines };
}

/** A digest whose kind is JSON only if queries can answer: JSON that was cut short is text. */
function answerable(digest: Digest, text: string): Digest {
  const isTold =
    digest.kind !== "json" || text.length > DEFAULTS.wholeJsonChars || isJsonText(text);
  return isTold ? digest : { ...digest, kind: "text" };
}

/** A digest that fits after escaping; content full of markup gets a shorter one. */
function digestWithin(chars: number, make: (budgetChars: number) => Digest): Digest {
  let budget = chars;
  for (;;) {
    const digest = make(budget);
    const escaped = escapeMarkup(digest.text).length;
    if (escaped <= chars || budget <= 1) return digest;
    budget = Math.min(budget - 1, Math.floor((budget * chars) / escaped));
  }
}
