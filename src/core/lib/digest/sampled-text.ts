import { countLineFeeds } from "../text/text-index.js";
import type { ContentSample } from "./content-kind.js";

/** A text to describe, or what is there of one, and where its lines begin. */
export interface SampledText {
  readonly text: string;
  /** Where the end of a stream follows its start; the length of a text that is all there. */
  readonly joint: number;
  /** Of the whole content. */
  readonly chars: number;
  readonly lines: number;
  /** Where lines begin: all of them, but for those that are missing before the one with the index `gap`. */
  readonly starts: readonly number[];
  readonly gap: number;
  readonly skipped: number;
}

/** Of a longer text, the lines of its start and its end are known. */
const KNOWN_CHARS = 4_194_304;
const KNOWN_TAIL_CHARS = 1_048_576;

/** A text with its lines. */
export function sampleText(text: string): SampledText {
  return { text, joint: text.length, chars: text.length, ...findLines(text) };
}

/** The start and the end of content that is not available as a whole. */
export function sampleOfStream(sample: ContentSample): SampledText {
  const { head, tail, tailLine, chars, lines, complete } = sample;
  const first = sampleText(head);
  if (complete) return first;
  const joint = head.length;
  const gap = first.starts.length;
  const starts = [...first.starts, ...findLines(tail).starts.map((at) => at + joint)];
  return { text: head + tail, joint, chars, lines, starts, gap, skipped: tailLine - gap - 1 };
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
