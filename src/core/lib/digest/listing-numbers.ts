import { isDigit } from "../text/code-units.js";
import type { SampledText } from "./sampled-text.js";

/** A file shown with a number before each line, as `cat -n` and editor tools do. */
export interface Listing {
  /** How long the number and its separator are on the line that starts here. */
  readonly prefixOf: (text: string, start: number) => number;
  /** The file's own numbers of the first and the last line. */
  readonly first: number;
  readonly last: number;
  /** The number of the line here that shows the file's first one. */
  readonly line: number;
}

const CHECKED_LINES = 12;
const MAX_DIGITS = 7;
const ARROW = 0x2192;

/** What a text is a listing of, if its first lines carry consecutive numbers. */
export function readListing({ text, pieces, lines }: SampledText): Listing | undefined {
  const [head] = pieces;
  const tail = pieces.at(-1);
  if (head === undefined || tail === undefined) return undefined;
  let at = head.from;
  let first: { readonly number: number; readonly line: number } | undefined;
  let consecutive = 0;
  let checked = 0;
  let expected = NaN;
  for (; checked < CHECKED_LINES && at < head.to; checked += 1) {
    const number = numberAt(text, at);
    if (number !== undefined) {
      first ??= { number, line: head.line + checked };
      if (number === expected) consecutive += 1;
      expected = number + 1;
    }
    const feed = text.indexOf("\n", at);
    if (feed === -1) break;
    at = feed + 1;
  }
  if (first === undefined || consecutive < 2 || consecutive < checked * 0.6) return undefined;
  return {
    prefixOf: prefixLength,
    first: first.number,
    last: lastNumber(text, tail.from, tail.to) ?? first.number + lines - first.line,
    line: first.line,
  };
}

function lastNumber(text: string, from: number, to: number): number | undefined {
  let end = to;
  for (let tries = 0; tries < CHECKED_LINES && end > from; tries += 1) {
    const start = Math.max(from, text.lastIndexOf("\n", end - 2) + 1);
    const number = numberAt(text, start);
    if (number !== undefined) return number;
    end = start;
  }
  return undefined;
}

function numberAt(text: string, start: number): number | undefined {
  const length = prefixLength(text, start);
  return length === 0 ? undefined : parseInt(text.slice(start, start + length), 10);
}

/** `   12→`, `   12<tab>`, `12: `, `12| `, and 0 where there is none. */
function prefixLength(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) === 32 && at - start < 8) at += 1;
  const digits = at;
  while (isDigit(text.charCodeAt(at)) && at - digits < MAX_DIGITS) at += 1;
  if (at === digits) return 0;
  const separator = text.charCodeAt(at);
  if (separator === ARROW || separator === 9) return at + 1 - start;
  if (separator === 58 || separator === 124) {
    return at + (text.charCodeAt(at + 1) === 32 ? 2 : 1) - start;
  }
  // An empty line, or a tool that puts only a space after the number.
  return separator === 32 || separator === 10 ? at - start : 0;
}
