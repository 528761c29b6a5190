import { countLineFeeds } from "../text/text-index.js";
import type { ContentSample } from "./content-kind.js";

/** A text to describe, or what is there of one, and where its lines begin. */
export interface SampledText {
  readonly text: string;
  /** Where the end of a longer text follows its start; the length of a text that is all there. */
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
  const chars = text.length;
  // The line on which the end begins is known only from its start.
  const isLong = chars > KNOWN_CHARS;
  const headEnd = isLong ? text.lastIndexOf("\n", KNOWN_CHARS - KNOWN_TAIL_CHARS) + 1 : 0;
  const tailStart = isLong ? text.indexOf("\n", chars - KNOWN_TAIL_CHARS) + 1 : 0;
  if (headEnd === 0 || tailStart === 0) {
    const starts = findStarts(text);
    return { text, joint: chars, chars, lines: starts.length, starts, gap: Infinity, skipped: 0 };
  }
  const tailLine = 1 + countLineFeeds(text, 0, tailStart);
  const [head, tail] = [text.slice(0, headEnd), text.slice(tailStart)];
  const lines = tailLine - 1 + findStarts(tail).length;
  return sampleOfStream({ head, tail, tailLine, chars, lines, complete: false });
}

/** The start and the end of content that is not available as a whole. */
export function sampleOfStream(sample: ContentSample): SampledText {
  const { head, tail, tailLine, chars, lines, complete } = sample;
  if (complete) return sampleText(head);
  const [first, last] = [findStarts(head), findStarts(tail)];
  const [joint, gap] = [head.length, first.length];
  const starts = [...first, ...last.map((at) => at + joint)];
  return { text: head + tail, joint, chars, lines, starts, gap, skipped: tailLine - gap - 1 };
}

/** Where the lines of a text begin. */
export function findStarts(text: string): number[] {
  const starts = text === "" ? [] : [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  if (starts.at(-1) === text.length) starts.pop();
  return starts;
}
