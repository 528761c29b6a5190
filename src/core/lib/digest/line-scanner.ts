import type { ContentSample } from "./content-kind.js";
import { countLineFeeds, countLines } from "../text/plain-text.js";
import { takeEnd } from "../text/surrogates.js";

/** Texts up to this length are looked at completely; longer ones are sampled in windows. */
export const FULL_TEXT_CHARS = 262_144;
const TAIL_WINDOW = 8_192;
const MIDDLE_WINDOWS = 12;
/** From this length on the windows are smaller, since a digest must not take longer than a hash. */
const LARGE_CHARS = 524_288;
const WINDOWS = { head: 24_576, middle: 2_048 };
const LARGE_WINDOWS = { head: 12_288, middle: 1_024 };
const ENDING_CHARS = 600;

/** A line, or the part of a long one that was sampled. */
export interface Line {
  readonly number: number;
  readonly text: string;
  /** Length of the whole line, which may be longer than `text`. */
  readonly length: number;
  /** The line's end was not seen, so `length` is a lower bound. */
  readonly atLeast: boolean;
  /** `text` begins somewhere inside the line. */
  readonly cutStart: boolean;
  /** Last characters of the line when `text` lacks them and they are known. */
  readonly ending: string;
}

/** Consecutive lines. */
export interface Segment {
  readonly firstLine: number;
  readonly text: string;
  readonly cutStart: boolean;
  /** Set when the last line continues after the segment. */
  readonly rest?: { readonly length: number; readonly atLeast: boolean; readonly ending: string };
}

/** The part of a content's text that is looked at line by line. */
export interface SampledText {
  readonly chars: number;
  readonly lines: number;
  /** At least one, in order, not overlapping. */
  readonly segments: readonly Segment[];
  /** Whether the segments hold every line. */
  readonly whole: boolean;
}

/** The whole text where it is short, otherwise its start, its end and windows between. */
export function sampledFromText(text: string, lines?: number): SampledText {
  const chars = text.length;
  if (chars <= FULL_TEXT_CHARS) {
    const segment = { firstLine: 1, text, cutStart: false };
    return { chars, lines: lines ?? countLines(text), segments: [segment], whole: true };
  }
  const { head, middle } = chars < LARGE_CHARS ? WINDOWS : LARGE_WINDOWS;
  const segments: Segment[] = [];
  const tailStart = chars - TAIL_WINDOW;
  const stride = (tailStart - head) / MIDDLE_WINDOWS;
  let counted = 0;
  let feeds = 0;
  const addWindow = (start: number, size: number): void => {
    const from = start === 0 ? 0 : text.indexOf("\n", start - 1) + 1;
    const limit = start + size;
    if (start > 0 && (from === 0 || from >= limit)) return;
    const lastFeed = text.lastIndexOf("\n", limit - 1);
    const end = lastFeed > from ? lastFeed + 1 : limit;
    feeds += countLineFeeds(text, counted, from);
    const firstLine = feeds + 1;
    feeds += countLineFeeds(text, from, end);
    counted = end;
    const segment = { firstLine, text: text.slice(from, end), cutStart: false };
    if (lastFeed > from) segments.push(segment);
    else segments.push({ ...segment, rest: restOfLine(text, end) });
  };
  addWindow(0, head);
  for (let index = 0; index < MIDDLE_WINDOWS; index += 1) {
    addWindow(Math.floor(head + stride * (index + 0.5)), middle);
  }
  const total = lines ?? feeds + countLineFeeds(text, counted) + (text.endsWith("\n") ? 0 : 1);
  const tail = tailSegment(text.slice(Math.max(tailStart, counted)), total, text.endsWith("\n"));
  if (tail !== undefined && tail.firstLine > lastLineOf(segments)) segments.push(tail);
  return { chars, lines: total, segments, whole: false };
}

/** The start and the end of content that is not available as a whole. */
export function sampledFromSample(sample: ContentSample): SampledText {
  if (sample.complete) return sampledFromText(sample.head, sample.lines);
  const head = sampledFromText(sample.head);
  const last = head.segments.at(-1);
  const segments = head.segments.slice(0, -1);
  if (last !== undefined) {
    const lastNumber = last.firstLine + countLines(last.text) - 1;
    // The head may stop inside a line; if the tail belongs to the same line, its length is known.
    const sameLine = sample.tailLine === lastNumber && !sample.tail.slice(0, -1).includes("\n");
    const open = sample.head !== "" && !sample.head.endsWith("\n");
    const missing = Math.max(0, sample.chars - sample.head.length);
    segments.push(
      open
        ? {
            ...last,
            rest: {
              length: sameLine ? missing : 0,
              atLeast: !sameLine,
              ending: sameLine ? takeEnd(sample.tail, ENDING_CHARS) : "",
            },
          }
        : last,
    );
  }
  const window = takeEnd(sample.tail, TAIL_WINDOW);
  const tail = tailSegment(window, sample.lines, window.endsWith("\n"));
  if (tail !== undefined && tail.firstLine > lastLineOf(segments)) segments.push(tail);
  return { chars: sample.chars, lines: sample.lines, segments, whole: false };
}

function restOfLine(text: string, end: number): NonNullable<Segment["rest"]> {
  const feed = text.indexOf("\n", end);
  const lineEnd = feed === -1 ? text.length : feed;
  const ending = text.slice(Math.max(end, lineEnd - ENDING_CHARS), lineEnd);
  return { length: lineEnd - end, atLeast: false, ending };
}

/** The complete lines at the end of a text, or the end of its last line. */
function tailSegment(window: string, lines: number, closed: boolean): Segment | undefined {
  if (window === "") return undefined;
  const body = closed ? window.slice(0, -1) : window;
  const feed = body.indexOf("\n");
  if (feed === -1) return { firstLine: lines, text: body, cutStart: true };
  const text = body.slice(feed + 1);
  return { firstLine: lines - countLineFeeds(text), text, cutStart: false };
}

function lastLineOf(segments: readonly Segment[]): number {
  const last = segments.at(-1);
  return last === undefined ? 0 : last.firstLine + countLines(last.text) - 1;
}

/** The lines of a segment in order; without the "\r" before a "\n". */
export function* linesOf(segment: Segment): Generator<Line, void, undefined> {
  const { text } = segment;
  let number = segment.firstLine;
  for (let start = 0; start < text.length; number += 1) {
    const feed = text.indexOf("\n", start);
    const end = feed === -1 ? text.length : feed;
    yield lineAt(segment, number, start, end, feed === -1);
    start = end + 1;
  }
}

/** The lines of a segment from its last one backwards. */
export function* linesBackwards(segment: Segment): Generator<Line, void, undefined> {
  const { text } = segment;
  let number = segment.firstLine + countLines(text) - 1;
  let end = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let last = end === text.length; number >= segment.firstLine; number -= 1, last = false) {
    const start = end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1;
    yield lineAt(segment, number, start, end, last);
    end = start - 1;
  }
}

function lineAt(segment: Segment, number: number, start: number, end: number, last: boolean): Line {
  const returned = end > start && segment.text.charCodeAt(end - 1) === 13 ? 1 : 0;
  const text = segment.text.slice(start, end - returned);
  const rest = last ? segment.rest : undefined;
  return {
    number,
    text,
    length: text.length + (rest?.length ?? 0),
    atLeast: rest?.atLeast ?? false,
    cutStart: segment.cutStart && start === 0,
    ending: rest?.ending ?? "",
  };
}

/** Up to `limit` lines that are not blank, from the start of the sampled text. */
export function firstLines(sampled: SampledText, limit: number): Line[] {
  const lines: Line[] = [];
  const segment = sampled.segments[0];
  if (segment === undefined) return lines;
  for (const line of linesOf(segment)) {
    if (lines.length >= limit) break;
    if (!isBlank(line.text)) lines.push(line);
  }
  return lines;
}

/** Up to `limit` lines that are not blank, from the end of the sampled text, in order. */
export function lastLines(sampled: SampledText, limit: number): Line[] {
  const lines: Line[] = [];
  const segment = sampled.segments.at(-1);
  if (segment === undefined) return lines;
  for (const line of linesBackwards(segment)) {
    if (lines.length >= limit) break;
    if (!isBlank(line.text)) lines.push(line);
  }
  return lines.reverse();
}

export function isBlank(text: string): boolean {
  return text.trim() === "";
}
