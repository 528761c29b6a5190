import { countLineFeeds } from "../text/text-index.js";
import type { ContentSample } from "./content-kind.js";

/** Consecutive lines: positions in the text, and the number of the first line. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly line: number;
}

/** A text to describe, or what is there of one, and where its lines begin. */
export interface SampledText {
  readonly text: string;
  /** All of it, or the start and the end of a stream. */
  readonly pieces: readonly Piece[];
  /** Of the whole content. */
  readonly chars: number;
  readonly lines: number;
  /** Whether all of it may be looked at, rather than parts of it. */
  readonly whole: boolean;
  /** Where lines begin: all of them, but for those that are missing before the one with the index `gap`. */
  readonly starts: readonly number[];
  readonly gap: number;
  readonly skipped: number;
}

/** Of a longer text, the lines of its start and its end are known. */
const KNOWN_CHARS = 4_194_304;
const KNOWN_TAIL_CHARS = 1_048_576;

/** A text with its lines. */
export function sampleText(text: string, wholeChars = Infinity): SampledText {
  const chars = text.length;
  const pieces = [{ from: 0, to: chars, line: 1 }];
  return { text, pieces, chars, whole: chars <= wholeChars, ...findLines(text) };
}

/** The start and the end of content that is not available as a whole. */
export function sampleOfStream(sample: ContentSample, wholeChars = Infinity): SampledText {
  const { head, tail, tailLine, chars, lines, complete } = sample;
  const first = sampleText(head, wholeChars);
  if (complete) return first;
  const text = head + tail;
  const offset = head.length;
  const gap = first.starts.length;
  const starts = [...first.starts, ...findLines(tail).starts.map((at) => at + offset)];
  const pieces = [...first.pieces, { from: offset, to: text.length, line: tailLine }];
  return { text, pieces, chars, lines, whole: false, starts, gap, skipped: tailLine - gap - 1 };
}

function findLines(text: string): Pick<SampledText, "lines" | "starts" | "gap" | "skipped"> {
  const chars = text.length;
  const starts = chars === 0 ? [] : [0];
  const headEnd = chars > KNOWN_CHARS ? KNOWN_CHARS - KNOWN_TAIL_CHARS : chars;
  const tail = Math.max(headEnd, chars - KNOWN_TAIL_CHARS);
  let at = text.indexOf("\n");
  for (; at !== -1 && at < headEnd; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const gap = starts.length;
  // The line on which the end begins is not known to its start.
  const skipped = at === -1 ? 0 : countLineFeeds(text, at, tail);
  if (skipped > 0) at = text.indexOf("\n", tail);
  for (; at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  if (starts.at(-1) === chars) starts.pop();
  return { lines: starts.length + skipped, starts, gap: skipped > 0 ? gap : Infinity, skipped };
}
