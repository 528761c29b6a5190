import { once } from "../../lib/once.js";
import { DEFAULTS } from "../../defaults.js";
import { type Content, type Hash, serializeContent } from "../../engine/content.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { CallerFailedError } from "../../errors/storage-errors.js";
import { type Digest, type DigestHints, scanSampled } from "../../lib/digest/digest.js";
import { sampleOfStream, sampleText } from "../../lib/digest/sampled-text.js";
import { isJsonText } from "../../lib/json/is-json-text.js";
import { countLines } from "../../lib/text/plain-text.js";
import { createTextIndexer, type TextIndex } from "../../lib/text/text-index.js";
import { encodeWtf8 } from "../../lib/text/wtf8.js";
import type { CountTokens } from "../../lib/tokens/estimate-tokens.js";
import { type ReadableContent, readableOf, renderValue } from "../reading/readable-content.js";
import { escapeMarkup } from "../reference/markup.js";
import type { ArtifactType, TextSize } from "./artifact.js";
import { createSampler } from "./content-sampler.js";

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
