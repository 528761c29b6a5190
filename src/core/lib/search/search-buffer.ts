import { LINE_FEED } from "../text/scan-bytes.js";
import { decodeWtf8 } from "../text/wtf8.js";

/** The longest needle that a search buffer must accept. */
export const MAX_NEEDLE_BYTES = 1_024;

/**
 * The memory that a search reads into and searches. A platform with faster ways to search can pass
 * its own implementation.
 */
export interface SearchBuffer {
  readonly bytes: Uint8Array;
  /** Sets the bytes that `find` looks for: at least one, at most `MAX_NEEDLE_BYTES`. */
  setNeedle(needle: Uint8Array): void;
  /** The next position of the needle that is completely between `from` and `end`; -1 if there is none. */
  find(from: number, end: number): number;
  /** How many line feeds there are from `from` up to `end`. */
  countLineFeeds(from: number, end: number): number;
  /** The text of the bytes; WTF-8. */
  decode(from: number, end: number): string;
}

/** A search buffer that runs anywhere. */
export function createSearchBuffer(size: number): SearchBuffer {
  const bytes = new Uint8Array(size);
  let needle = new Uint8Array(0);
  return {
    bytes,
    setNeedle: (wanted) => {
      needle = wanted.slice();
    },
    find: (from, end) => findBytes(bytes, needle, from, end),
    countLineFeeds: (from, end) => countLineFeeds(bytes, from, end),
    decode: (from, end) => decodeWtf8(bytes.subarray(from, end)),
  };
}

function findBytes(bytes: Uint8Array, needle: Uint8Array, from: number, end: number): number {
  const first = needle[0] ?? 0;
  let at = bytes.indexOf(first, from);
  while (at !== -1 && at + needle.length <= end) {
    let same = 1;
    while (same < needle.length && bytes[at + same] === needle[same]) same += 1;
    if (same >= needle.length) return at;
    at = bytes.indexOf(first, at + 1);
  }
  return -1;
}

function countLineFeeds(bytes: Uint8Array, from: number, end: number): number {
  let count = 0;
  let at = bytes.indexOf(LINE_FEED, from);
  while (at !== -1 && at < end) {
    count += 1;
    at = bytes.indexOf(LINE_FEED, at + 1);
  }
  return count;
}
