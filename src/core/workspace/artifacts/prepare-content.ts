import { once } from "../../lib/once.js";
import { serializeContent, type Content } from "../../engine/content.js";
import type { Hash } from "../../engine/hash.js";
import { InvalidArgumentError } from "../../errors/invalid-argument-error.js";
import { DEFAULTS } from "../../defaults.js";
import { digestSampled, type Digest } from "../../lib/digest/digest.js";
import { sampleOfStream, sampleText } from "../../lib/digest/sampled-text.js";
import { createJsonIndenter } from "../../lib/json/json-indenter.js";
import { countLines } from "../../lib/text/plain-text.js";
import { scanBytes } from "../../lib/text/scan-bytes.js";
import { createTextIndexer, type TextIndex } from "../../lib/text/text-index.js";
import { encodeWtf8 } from "../../lib/text/wtf8.js";
import type { CountTokens } from "../../lib/tokens/estimate-tokens.js";
import { renderValue } from "../reading/readable-view.js";
import { escapeMarkup } from "../reference/markup.js";
import type { ArtifactType, TextSize } from "./artifact.js";
import { createSampler } from "./content-sampler.js";

/** Content, or a stream of its bytes. */
export type ContentSource = Content | AsyncIterable<Uint8Array>;

/** What is already known of the content. */
export interface KnownContent {
  readonly hash?: string | undefined;
  readonly tokens?: number | undefined;
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
  tokens(): number;
  size(): TextSize;
  digest(): Digest;
  /** How many lines the readable view has; `undefined` if counting them would take too long. */
  viewLines(): number | undefined;
}

export interface PrepareOptions {
  readonly countTokens: CountTokens;
  readonly digestChars: number;
  readonly hash: Hash;
}

/** Longer JSON on one line is not indented just to count its lines. */
const MAX_COUNTED_JSON_CHARS = 262_144;

const LOOKS_LIKE_JSON = /^\s*[[{]/;

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
  const view = once(() => (isText ? content : renderValue(content)));
  const bytes = once(() => encodeWtf8(stored()));
  const tokens = once(() => known.tokens ?? countTokens(view()));
  // Its lines are counted once, for the digest and for the size.
  const sampled = once(() => sampleText(view(), DEFAULTS.digestSampleChars));
  const storedLines = once(() => (isText ? sampled().lines : countLines(stored())));
  const viewLines = once(() => {
    const { lines } = sampled();
    if (!isText) return lines;
    if (lines !== 1 || !LOOKS_LIKE_JSON.test(content)) return lines;
    return content.length <= MAX_COUNTED_JSON_CHARS ? countIndented(bytes()) : undefined;
  });
  return {
    type: isText ? "TEXT" : "JSON",
    content,
    bytes,
    hash: once(() => known.hash ?? hash(bytes())),
    tokens,
    size() {
      const seen = viewLines();
      const lines = storedLines();
      return {
        bytes: bytes().length,
        chars: stored().length,
        lines,
        ...(seen === undefined || seen === lines ? {} : { viewLines: seen }),
        tokens: tokens(),
      };
    },
    digest: once(() =>
      digestWithin(digestBudget(view().length, digestChars), (budgetChars) =>
        digestSampled(sampled(), { budgetChars }),
      ),
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
  const tokens = once(() => {
    const { head, tail } = sample();
    const seen = head.length + tail.length;
    return seen === 0 ? 0 : Math.round(countTokens(head + tail) * (index().chars / seen));
  });
  async function* tap(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
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
    size() {
      const { bytes, chars, lines } = index();
      return { bytes, chars, lines, tokens: tokens() };
    },
    digest: once(() => {
      const sampled = sampleOfStream(sample(), DEFAULTS.digestSampleChars);
      return digestWithin(digestBudget(index().chars, digestChars), (budgetChars) =>
        digestSampled(sampled, { budgetChars }),
      );
    }),
    viewLines() {
      const { lines } = index();
      // JSON on one line has more lines in the readable view.
      const isJson = lines === 1 && LOOKS_LIKE_JSON.test(sample().head);
      return isJson ? undefined : lines;
    },
  };
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

function countIndented(bytes: Uint8Array): number {
  try {
    const indenter = createJsonIndenter();
    const parts = [indenter.push(bytes), indenter.end()];
    return parts.reduce((lines, part) => lines + scanBytes(part).breaks, 1);
  } catch {
    // It only looked like JSON.
    return 1;
  }
}
