import { countLineFeeds } from "../text/text-index.js";
import type { ContentSample } from "./content-kind.js";

const HEAD_CHARS = 7_168;
const TAIL_CHARS = 3_072;
/** A shorter text would gain nothing by being sampled. */
const MIN_WHOLE_CHARS = HEAD_CHARS + 2 * TAIL_CHARS;
const SLICES = 6;
const SLICE_CHARS = 1_536;
/**
 * Looked for in what is skipped. A search is as fast as its first letter is rare, and every line of
 * a log may have the F of INFO: so that is compared only where the rest was found.
 */
const TROUBLE = [
  { lead: "", rest: "ERROR" },
  { lead: "F", rest: "ATAL" },
  { lead: "F", rest: "AIL" },
  { lead: "", rest: "Error" },
];
const MAX_TROUBLE = 3;
const MAX_ODD_LINES = 12;

/** Consecutive lines: positions in the text, and the number of the first line. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly line: number;
}

/** The parts of a text that are looked at. */
export interface SampledText {
  readonly text: string;
  /** In order, not overlapping. Each begins at the start of a line, unless the line is very long. */
  readonly pieces: readonly Piece[];
  readonly chars: number;
  readonly lines: number;
  /** Whether the pieces hold every line. */
  readonly whole: boolean;
  /** Where lines begin; all of them, but for a very long text and a stream. */
  readonly starts: readonly number[];
  /** So many lines are missing before the line with this index. */
  readonly gap: number;
  readonly skipped: number;
}

/** Of a longer text, the lines of its start and its end are known. */
const KNOWN_CHARS = 4_194_304;
const KNOWN_TAIL_CHARS = 1_048_576;

/** Where lines begin, and how many there are in all. */
function findLines(text: string): Pick<SampledText, "lines" | "starts" | "gap" | "skipped"> {
  const starts = text === "" ? [] : [0];
  const chars = text.length;
  const isLong = chars > KNOWN_CHARS;
  const headEnd = isLong ? KNOWN_CHARS - KNOWN_TAIL_CHARS : chars;
  let at = text.indexOf("\n");
  for (; at !== -1 && at < headEnd; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  let skipped = 0;
  let gap = Infinity;
  if (isLong) {
    const tail = chars - KNOWN_TAIL_CHARS;
    gap = starts.length;
    for (; at !== -1 && at < tail; at = text.indexOf("\n", at + 1)) skipped += 1;
    for (; at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    // The first one of the tail is the last that was skipped.
    if (starts.length === gap) gap = Infinity;
  }
  if (starts.at(-1) === chars) starts.pop();
  return { lines: starts.length + skipped, starts, gap, skipped };
}

/** A text with its lines; its pieces are its start, its end and parts of what is between, if it is longer than `wholeChars`. */
export function sampleText(text: string, wholeChars = Infinity): SampledText {
  const chars = text.length;
  const whole = chars <= Math.max(wholeChars, MIN_WHOLE_CHARS);
  let pieces: readonly Piece[] | undefined;
  return {
    ...{ text, chars, whole },
    ...findLines(text),
    get pieces() {
      return (pieces ??= whole ? [{ from: 0, to: chars, line: 1 }] : piecesOf(text));
    },
  };
}

function piecesOf(text: string): Piece[] {
  const ranges = rangesOf(text);
  const pieces: Piece[] = [];
  const usual = usualLengths(text);
  let odd = usual === undefined ? MAX_ODD_LINES : 0;
  let line = 1;
  let at = 0;
  // One search for line feeds goes through the text; none is started twice.
  let feed = text.indexOf("\n");
  for (const { from, to } of ranges) {
    if (to <= at) continue;
    // What is skipped is counted, and a line that is unlike the others in length is looked at.
    for (; feed !== -1 && feed < from; feed = text.indexOf("\n", at)) {
      const length = Math.min(feed - at, 255);
      if (odd < MAX_ODD_LINES && usual?.[length] === 0 && feed > at) {
        pieces.push({ from: at, to: feed + 1, line });
        // The next one of this length is not odd any more.
        usual[length] = 1;
        odd += 1;
      }
      line += 1;
      at = feed + 1;
    }
    pieces.push({ from: Math.max(at, from), to, line });
    for (; feed !== -1 && feed < to; feed = text.indexOf("\n", feed + 1)) line += 1;
    at = to;
  }
  return pieces;
}

/** The start and the end of content that is not available as a whole. */
export function sampleOfStream(sample: ContentSample, wholeChars = Infinity): SampledText {
  const head = sampleText(sample.head, wholeChars);
  if (sample.complete) return head;
  const { tail, tailLine, chars, lines } = sample;
  const start = startOfLine(tail, tail.length - TAIL_CHARS);
  const offset = sample.head.length;
  const line = tailLine + countLineFeeds(tail, 0, start);
  const end = { from: offset + start, to: offset + tail.length, line };
  const text = sample.head + tail;
  const rest = findLines(tail).starts;
  const pieces = [...head.pieces, end];
  const gap = head.starts.length;
  const starts = [...head.starts, ...rest.map((at) => at + offset)];
  return { text, pieces, chars, lines, whole: false, starts, gap, skipped: tailLine - gap - 1 };
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Start, end, evenly spaced slices, and lines that name a failure. */
function rangesOf(text: string): Range[] {
  const tail = startOfLine(text, text.length - TAIL_CHARS);
  const ranges: Range[] = [
    { from: 0, to: endOfLine(text, HEAD_CHARS) },
    { from: tail, to: text.length },
  ];
  const stride = (tail - HEAD_CHARS) / SLICES;
  for (let slice = 0; slice < SLICES; slice += 1) {
    const middle = Math.floor(HEAD_CHARS + stride * (slice + 0.5));
    const from = startOfLine(text, middle - SLICE_CHARS / 2);
    ranges.push({ from, to: endOfLine(text, Math.max(from, middle + SLICE_CHARS / 2)) });
  }
  for (const { lead, rest } of TROUBLE) {
    let at = text.indexOf(rest, HEAD_CHARS);
    for (let found = 0; at !== -1 && at < tail && found < MAX_TROUBLE;) {
      if (lead !== "" && text[at - 1] !== lead) {
        at = text.indexOf(rest, at + 1);
        continue;
      }
      found += 1;
      const from = startOfLine(text, at - lead.length);
      const feed = text.slice(at, at + SLICE_CHARS).indexOf("\n");
      const to = feed === -1 ? Math.min(text.length, at + SLICE_CHARS) : at + feed + 1;
      ranges.push({ from, to });
      at = text.indexOf(rest, to);
    }
  }
  return ranges.sort((a, b) => a.from - b.from);
}

/** Which lengths of lines occur at the start of a text, if they are few. */
function usualLengths(text: string): Uint8Array | undefined {
  const usual = new Uint8Array(256);
  let lines = 0;
  let lengths = 0;
  let at = 0;
  for (
    let next = text.indexOf("\n");
    next !== -1 && at < HEAD_CHARS;
    next = text.indexOf("\n", at)
  ) {
    const length = Math.min(next - at, 255);
    if (usual[length] === 0) lengths += 1;
    usual[length] = 1;
    lines += 1;
    at = next + 1;
  }
  return lines >= 20 && lengths * 4 <= lines ? usual : undefined;
}

/** The start of the line at this position, if it is near. */
function startOfLine(text: string, at: number): number {
  if (at <= 0) return 0;
  const least = Math.max(0, at - SLICE_CHARS);
  const feed = text.slice(least, at).lastIndexOf("\n");
  return feed === -1 ? at : least + feed + 1;
}

/** The end of the last line that ends before this position, if it is near. */
function endOfLine(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const least = Math.max(0, at - SLICE_CHARS);
  const feed = text.slice(least, at).lastIndexOf("\n");
  return feed === -1 ? at : least + feed + 1;
}
