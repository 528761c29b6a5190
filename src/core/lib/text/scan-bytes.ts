/** What a run of UTF-8 or WTF-8 bytes holds. */
export interface ByteScan {
  /** UTF-16 units: one for every character that begins here, two for one of four bytes. */
  readonly chars: number;
  /** Line feeds. */
  readonly breaks: number;
}

/** The byte that ends a line. */
export const LINE_FEED = 0x0a;

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

/** The value if it is a non-empty string. */
export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
