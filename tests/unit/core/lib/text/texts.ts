import fc from "fast-check";
import type { ByteSource } from "../../../../../src/stores.js";
import {
  createTextIndexer,
  type IndexedText,
} from "../../../../../src/core/lib/text/text-index.js";
import { encodeWtf8 } from "../../../../../src/core/lib/text/wtf8.js";
import { anyString } from "../../../../support/any-string.js";

const FRAGMENTS = [
  "\n",
  "\r",
  "\0",
  "a",
  " ",
  "é",
  "漢",
  "😀",
  "한",
  "\ufeff",
  "\n",
  "\r\n",
  "\ud83d",
  "\ude00",
  "שלום",
  "👩‍👩‍👧",
  "2024-05-01 INFO ready",
];

/** Texts in all scripts, with lone surrogates, line breaks of both kinds and NUL; "" too. */
export const anyText = fc
  .array(fc.oneof(fc.constantFrom(...FRAGMENTS), anyString()), { maxLength: 30 })
  .map((parts) => parts.join(""));

/** Checkpoints so near to each other that even a short text has many. */
export const tinyDistance = fc.integer({ min: 1, max: 9 });

/** Places to cut something of any length at, as parts of it. */
export const anyCuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });

export interface Sliceable<T> {
  readonly length: number;
  slice(start: number, end?: number): T;
}

/** Cuts a text or its bytes into chunks, some of which may be empty. */
export function cutAt<T extends Sliceable<T>>(whole: T, cuts: readonly number[]): T[] {
  const places = cuts.map((cut) => Math.floor(cut * whole.length)).sort((a, b) => a - b);
  return [0, ...places].map((from, i) => whole.slice(from, places[i] ?? whole.length));
}

/** The text as bytes that were encoded part by part, so that a pair may be two surrogates. */
export function encodeInParts(text: string, cuts: readonly number[]): Uint8Array {
  return Uint8Array.from(cutAt(text, cuts).flatMap((part) => [...encodeWtf8(part)]));
}

export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read: (start, end) => Promise.resolve(bytes.subarray(start, Math.max(start, end))),
  };
}

export function indexed(content: string | Uint8Array, checkpointBytes = 65_536): IndexedText {
  const bytes = typeof content === "string" ? encodeWtf8(content) : content;
  const indexer = createTextIndexer({ checkpointBytes });
  indexer.push(bytes);
  return { source: memorySource(bytes), index: indexer.end() };
}

/** The lines as the index counts them. */
export function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** True when the place after `units` units is inside of a surrogate pair. */
export function isInsidePair(text: string, units: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(units - 1, 0), units + 1));
}
