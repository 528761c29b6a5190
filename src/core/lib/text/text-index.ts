import type { ByteSource } from "./byte-source.js";
import { LINE_FEED } from "./code-units.js";
import { ArgumentError } from "./text-range.js";
import { holdsSurrogate, isSurrogateAcross } from "./wtf8.js";

const PIECE_BYTES = 1_048_576;
const CHECKPOINT_BYTES = 65_536;
const MAX_CONTINUATIONS = 3;

/**
 * Positions in the text from which any other one is found by reading little. All three arrays have an
 * entry for each checkpoint; the first checkpoint is the start of the text.
 */
export interface Checkpoints {
  /** Where it is in bytes, at the start of a character. */
  readonly bytes: Float64Array;
  /** How many UTF-16 units are before it. */
  readonly chars: Float64Array;
  /** How many line breaks are before it. */
  readonly breaks: Float64Array;
}

/**
 * The size of a text, and where in its bytes lines and characters are. If the bytes are neither UTF-8
 * nor WTF-8, `chars` differs from the length of the decoded text; nothing else is affected.
 */
export interface TextIndex {
  readonly bytes: number;
  /** UTF-16 units, which is the `length` of the text as a string. */
  readonly chars: number;
  /** Lines end with "\n"; a final "\n" does not begin another line, and "" has no lines. */
  readonly lines: number;
  /** False if the bytes contain a surrogate, which makes them WTF-8 and not UTF-8. */
  readonly wellFormed: boolean;
  readonly checkpoints: Checkpoints;
}

/** Makes an index from bytes that come in chunks of any size. */
export interface TextIndexer {
  push(chunk: Uint8Array): void;
  /** The index of everything pushed so far. */
  end(): TextIndex;
}

export interface TextIndexerOptions {
  /** The distance between checkpoints. Default 65,536 bytes. */
  readonly checkpointBytes?: number;
}

export interface IndexTextOptions extends TextIndexerOptions {
  /** Checked before each piece of 1 MB. */
  readonly signal?: AbortSignal | undefined;
}

export function createTextIndexer({
  checkpointBytes = CHECKPOINT_BYTES,
}: TextIndexerOptions = {}): TextIndexer {
  const places = { bytes: [0], chars: [0], breaks: [0] };
  let bytes = 0;
  let chars = 0;
  let breaks = 0;
  let wellFormed = true;
  let due = checkpointBytes;
  let last: number | undefined;

  function count(part: Uint8Array): void {
    const scan = scanBytes(part);
    // If there are as many units as bytes, everything is ASCII and need not be searched.
    const ascii = scan.chars === part.length;
    wellFormed &&= !isSurrogateAcross(last, part[0]) && (ascii || !holdsSurrogate(part));
    bytes += part.length;
    chars += scan.chars;
    breaks += scan.breaks;
    last = part.at(-1) ?? last;
  }

  function mark(): void {
    places.bytes.push(bytes);
    places.chars.push(chars);
    places.breaks.push(breaks);
    due = bytes + checkpointBytes;
  }

  return {
    push(chunk) {
      let at = 0;
      while (at < chunk.length) {
        const ahead = due - bytes;
        const to = nextStart(chunk, at + Math.max(ahead, 0), at + ahead + MAX_CONTINUATIONS);
        count(chunk.subarray(at, to));
        at = to;
        if (at < chunk.length) mark();
      }
    },
    end: () => ({
      bytes,
      chars,
      lines: breaks + (last === undefined || last === LINE_FEED ? 0 : 1),
      wellFormed,
      checkpoints: {
        bytes: Float64Array.from(places.bytes),
        chars: Float64Array.from(places.chars),
        breaks: Float64Array.from(places.breaks),
      },
    }),
  };
}

/** The index of a source, made by reading it once. A source that ends early has a smaller index. */
export async function indexText(
  source: ByteSource,
  { signal, ...options }: IndexTextOptions = {},
): Promise<TextIndex> {
  const indexer = createTextIndexer(options);
  const readFrom = (at: number): Promise<Uint8Array> => {
    signal?.throwIfAborted();
    return source.read(at, Math.min(at + PIECE_BYTES, source.size));
  };
  let at = 0;
  let piece = await readFrom(at);
  while (piece.length > 0) {
    at += piece.length;
    // The next piece is read while this one is counted.
    const next = at < source.size ? readFrom(at) : undefined;
    indexer.push(piece);
    if (next === undefined) break;
    piece = await next;
  }
  return indexer.end();
}

/**
 * The first position from `from` on where a character begins, or the end of the chunk. No character
 * is longer than four bytes, so a sequence that continues beyond `limit` is not text.
 */
function nextStart(chunk: Uint8Array, from: number, limit: number): number {
  let at = from;
  while (at < limit && at < chunk.length && isContinuation(chunk[at] ?? 0)) at += 1;
  return Math.min(at, chunk.length);
}

/** A stored text of any size, in UTF-8 or WTF-8, and its index. */
export interface IndexedText {
  readonly source: ByteSource;
  readonly index: TextIndex;
}

/** A position between two characters. */
export interface Position {
  readonly byte: number;
  /** UTF-16 units before it. */
  readonly char: number;
}

/** Rejects an index that was made from other bytes. */
export function requireOwnIndex({ source, index }: IndexedText): void {
  if (index.bytes === source.size) return;
  const expected = `an index of ${source.size} bytes, as many as the source has`;
  throw new ArgumentError("text.index.bytes", index.bytes, expected);
}

/**
 * An index as bytes, little-endian: magic, version and flags (4 bytes each), then as
 * doubles the four counts and the three arrays of the checkpoints.
 */
const MAGIC = 0x58495443; // "CTIX"
const VERSION = 1;
const FLAGS_AT = 8;
const COUNTS_AT = 12;
const CHECKPOINTS_AT = 44;
const DOUBLE_BYTES = 8;
const WELL_FORMED = 1;

export function encodeTextIndex(index: TextIndex): Uint8Array {
  const { bytes, chars, breaks } = index.checkpoints;
  const doubles = [index.bytes, index.chars, index.lines, bytes.length];
  const encoded = new Uint8Array(CHECKPOINTS_AT + 3 * bytes.length * DOUBLE_BYTES);
  const view = new DataView(encoded.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, VERSION, true);
  view.setUint32(FLAGS_AT, index.wellFormed ? WELL_FORMED : 0, true);
  let at = COUNTS_AT;
  for (const part of [doubles, bytes, chars, breaks]) {
    for (const value of part) {
      view.setFloat64(at, value, true);
      at += DOUBLE_BYTES;
    }
  }
  return encoded;
}

/**
 * Decodes an index. It is only a cache: if it is cut short or has another version, the result is
 * `undefined` and the caller makes a new one. Stores check what they keep, so there is no checksum.
 */
export function decodeTextIndex(encoded: Uint8Array): TextIndex | undefined {
  if (encoded.length < CHECKPOINTS_AT) return undefined;
  const view = new DataView(encoded.buffer, encoded.byteOffset, encoded.length);
  if (view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== VERSION) return undefined;
  const count = view.getFloat64(COUNTS_AT + 3 * DOUBLE_BYTES, true);
  if (encoded.length !== CHECKPOINTS_AT + 3 * count * DOUBLE_BYTES) return undefined;
  const doublesAt = (at: number, length: number): Float64Array =>
    Float64Array.from({ length }, (_, i) => view.getFloat64(at + i * DOUBLE_BYTES, true));
  const checkpointsAt = (which: number): Float64Array =>
    doublesAt(CHECKPOINTS_AT + which * count * DOUBLE_BYTES, count);
  const [bytes = 0, chars = 0, lines = 0] = doublesAt(COUNTS_AT, 3);
  return {
    bytes,
    chars,
    lines,
    wellFormed: view.getUint32(FLAGS_AT, true) === WELL_FORMED,
    checkpoints: {
      bytes: checkpointsAt(0),
      chars: checkpointsAt(1),
      breaks: checkpointsAt(2),
    },
  };
}

/** What a run of UTF-8 or WTF-8 bytes holds. */
export interface ByteScan {
  /** UTF-16 units: one for every character that begins here, two for one of four bytes. */
  readonly chars: number;
  /** Line feeds. */
  readonly breaks: number;
}

const LOW_BITS = 0x01010101;

const LINE_FEEDS = 0x0a0a0a0a;

// A lane of eight bits counts up to 255 before it spills into the next one.
const WORDS_PER_ROUND = 255;

/**
 * Counts four bytes at a time: each 32-bit word is four lanes, and every step adds 0 or 1 to each.
 * About three times as fast as a loop over the bytes, and as fast on short lines as on long ones.
 */
export function scanBytes(bytes: Uint8Array): ByteScan {
  const head = Math.min(-bytes.byteOffset & 3, bytes.length);
  const words = wordsFrom(bytes, head);
  const tail = head + words.length * 4;
  let breaks = 0;
  let chars = 0;
  for (let at = 0; at < words.length; at += WORDS_PER_ROUND) {
    const end = Math.min(at + WORDS_PER_ROUND, words.length);
    let others = 0;
    let seen = 0;
    for (let i = at; i < end; i++) {
      const word = words[i] ?? 0;
      seen |= word;
      // A lane that differs from a line feed ends up with its high bit set.
      const diff = word ^ LINE_FEEDS;
      const differs = ((((diff & 0x7f7f7f7f) + 0x7f7f7f7f) | diff) >>> 7) & LOW_BITS;
      others = (others + differs) | 0;
    }
    const length = (end - at) * 4;
    breaks += length - sumLanes(others);
    chars += length + ((seen & 0x80808080) === 0 ? 0 : surplusChars(words, at, end));
  }
  for (const rest of [bytes.subarray(0, head), bytes.subarray(tail)]) {
    // The bytes before the first whole word and after the last one: at most three each.
    for (const byte of rest) {
      chars += unitsOfLead(byte);
      if (byte === LINE_FEED) breaks += 1;
    }
  }
  return { chars, breaks };
}

/** The whole words from `head` on; even an empty array could not be made at an unaligned offset. */
function wordsFrom({ buffer, byteOffset, length }: Uint8Array, head: number): Int32Array {
  const count = (length - head) >> 2;
  return count === 0 ? new Int32Array(0) : new Int32Array(buffer, byteOffset + head, count);
}

/** Units minus bytes: one less for each continuation byte, one more for each lead byte of four. */
function surplusChars(words: Int32Array, start: number, end: number): number {
  let continuations = 0;
  let longLeads = 0;
  for (let i = start; i < end; i++) {
    const word = words[i] ?? 0;
    const high = (word >>> 7) & LOW_BITS;
    const second = word >>> 6;
    continuations = (continuations + (high & ~second)) | 0;
    longLeads = (longLeads + (high & second & (word >>> 5) & (word >>> 4))) | 0;
  }
  return sumLanes(longLeads) - sumLanes(continuations);
}

function sumLanes(lanes: number): number {
  const pairs = (lanes & 0x00ff00ff) + ((lanes >>> 8) & 0x00ff00ff);
  return (pairs & 0xffff) + (pairs >>> 16);
}

/** How many UTF-16 units the character that begins with this byte has; 0 for a continuation byte. */
export function unitsOfLead(byte: number): 0 | 1 | 2 {
  if (isContinuation(byte)) return 0;
  return byte >= 0xf0 ? 2 : 1;
}

/** True for a byte that continues a character. */
export function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Number of line feeds in `text` from `start` up to `end`. */
export function countLineFeeds(text: string, start = 0, end = text.length): number {
  let count = 0;
  for (let at = text.indexOf("\n", start); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) {
    count += 1;
  }
  return count;
}

/** Lines end with a line feed, which the last one may lack; "" has no lines. */
export function countLines(text: string): number {
  return countLineFeeds(text) + (text === "" || text.endsWith("\n") ? 0 : 1);
}

/** The same for the bytes of a text. */
export function countLinesOfBytes(bytes: Uint8Array): number {
  const last = bytes.at(-1);
  return scanBytes(bytes).breaks + (last === undefined || last === LINE_FEED ? 0 : 1);
}
