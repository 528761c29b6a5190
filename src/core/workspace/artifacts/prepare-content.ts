import { serializeContent, type Content } from "../../engine/content.js";
import { digestSample, digestText, type Digest } from "../../lib/digest/digest.js";
import { InvalidArgumentError } from "../../errors/invalid-argument-error.js";
import { createJsonIndenter } from "../../lib/json/json-indenter.js";
import { createTextIndexer, type TextIndex } from "../../lib/text/text-index.js";
import type { CountTokens } from "../../lib/tokens/estimate-tokens.js";
import { encodeWtf8 } from "../../lib/text/wtf8.js";
import type { ArtifactType, TextSize } from "./artifact.js";
import { createSampler } from "./content-sampler.js";
import { escapeMarkup } from "../reference/markup.js";
import { renderValue } from "../reading/readable-view.js";

/** A content, or a stream of the bytes of one. */
export type ContentSource = Content | AsyncIterable<Uint8Array>;

/** A content made ready for a store, with what a reference says of it. */
export interface PreparedContent {
  readonly type: ArtifactType;
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
  /** The content as a context would show it; `undefined` for a stream. */
  readonly content: Content | undefined;
  /** To be asked when all bytes have been taken. */
  describe(): TextSize;
  digest(): Digest;
  /** How many lines the readable view has; `undefined` when telling would take reading it all. */
  viewLines(): number | undefined;
}

export interface PrepareOptions {
  readonly countTokens: CountTokens;
  readonly digestChars: number;
}

/** A longer one-line JSON is not indented just to count its lines. */
const MAX_COUNTED_JSON_CHARS = 262_144;

const LOOKS_LIKE_JSON = /^\s*[[{]/;

export function prepareContent(source: ContentSource, options: PrepareOptions): PreparedContent {
  return typeof source !== "string" && Symbol.asyncIterator in source
    ? prepareStream(source, options)
    : prepareValue(source, options);
}

function prepareValue(
  content: Content,
  { countTokens, digestChars }: PrepareOptions,
): PreparedContent {
  const stored = serializeContent(content);
  const view = typeof content === "string" ? content : renderValue(content);
  const bytes = encodeWtf8(stored);
  let counted: number | undefined;
  let digest: Digest | undefined;
  // Asked for while the bytes are being written.
  const storedLines = () => (counted ??= countLines(stored));
  const viewLines = () => {
    if (typeof content !== "string") return countLines(view);
    const lines = storedLines();
    if (lines !== 1 || !LOOKS_LIKE_JSON.test(content)) return lines;
    return content.length <= MAX_COUNTED_JSON_CHARS ? countIndented(bytes) : undefined;
  };
  return {
    type: typeof content === "string" ? "TEXT" : "JSON",
    bytes,
    content,
    describe() {
      const seen = viewLines();
      const lines = storedLines();
      return {
        bytes: bytes.length,
        chars: stored.length,
        lines,
        ...(seen === undefined || seen === lines ? {} : { viewLines: seen }),
        tokens: countTokens(view),
      };
    },
    digest: () =>
      (digest ??= digestWithin(digestChars, (budgetChars) => digestText(view, { budgetChars }))),
    viewLines,
  };
}

function prepareStream(
  source: AsyncIterable<Uint8Array>,
  { countTokens, digestChars }: PrepareOptions,
): PreparedContent {
  const indexer = createTextIndexer();
  const sampler = createSampler();
  let index: TextIndex | undefined;
  let digest: Digest | undefined;
  async function* tap(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      requireBytes(chunk);
      indexer.push(chunk);
      sampler.push(chunk);
      yield chunk;
    }
  }
  const ended = () => (index ??= indexer.end());
  return {
    type: "TEXT",
    bytes: tap(),
    content: undefined,
    describe() {
      const { bytes, chars, lines } = ended();
      const { head, tail } = sampler.sample(ended());
      const seen = head.length + tail.length;
      const tokens = seen === 0 ? 0 : countTokens(head + tail) * (chars / seen);
      return { bytes, chars, lines, tokens: Math.round(tokens) };
    },
    digest: () =>
      (digest ??= digestWithin(digestChars, (budgetChars) =>
        digestSample(sampler.sample(ended()), { budgetChars }),
      )),
    viewLines() {
      const { lines } = ended();
      // The view of one line of JSON has more lines.
      const isJson = lines === 1 && LOOKS_LIKE_JSON.test(sampler.sample(ended()).head);
      return isJson ? undefined : lines;
    },
  };
}

/** A stream that was told an encoding gives texts, of which nobody knows what bytes they were. */
function requireBytes(chunk: unknown): void {
  if (ArrayBuffer.isView(chunk) && "length" in chunk && chunk.length === chunk.byteLength) return;
  throw new InvalidArgumentError("content", chunk, "a stream of bytes, each chunk a Uint8Array");
}

/** A digest that fits once it is escaped: a content full of markup gets a shorter one. */
function digestWithin(chars: number, make: (budgetChars: number) => Digest): Digest {
  let budget = chars;
  for (;;) {
    const digest = make(budget);
    const escaped = escapeMarkup(digest.text).length;
    if (escaped <= chars || budget <= 1) return digest;
    budget = Math.min(budget - 1, Math.floor((budget * chars) / escaped));
  }
}

/** Lines end with a line break; the last one may go without. */
export function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return text === "" || text.endsWith("\n") ? lines : lines + 1;
}

function countIndented(bytes: Uint8Array): number {
  try {
    const indenter = createJsonIndenter();
    let lines = 1;
    for (const part of [indenter.push(bytes), indenter.end()]) {
      for (let at = part.indexOf(10); at !== -1; at = part.indexOf(10, at + 1)) lines++;
    }
    return lines;
  } catch {
    // It only looked like JSON.
    return 1;
  }
}
