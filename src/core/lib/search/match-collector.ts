import type { ContextLine, SearchMatch, SearchQuery } from "./search-terms.js";
import type { LineBlock } from "./line-block.js";
import type { Span } from "./compile-pattern.js";

/** The part of a line that is shown, and at which index of the line it begins. */
export interface LineWindow {
  readonly text: string;
  readonly start: number;
}

/** The whole line where it is short enough; otherwise a part of it in which the match can be seen. */
export function windowAround(line: string, match: Span, windowChars: number): LineWindow {
  if (line.length <= windowChars) return { text: line, start: 0 };
  const spare = Math.max(0, windowChars - (match.end - match.index));
  const wanted = match.index - Math.floor(spare / 2);
  let start = Math.max(0, Math.min(wanted, line.length - windowChars));
  if (start < match.index && splitsPair(line, start)) start += 1;
  return { text: cutAt(line, start, windowChars), start };
}

/** A line beside a match, cut to the window's length. */
export function contextLine(line: number, text: string, windowChars: number): ContextLine {
  return { line, text: cutAt(text, 0, windowChars), lineChars: text.length };
}

function cutAt(text: string, start: number, chars: number): string {
  const end = Math.min(start + chars, text.length);
  return text.slice(start, splitsPair(text, end) ? end - 1 : end);
}

/** True when the place lies between the two halves of one character. */
function splitsPair(text: string, place: number): boolean {
  return (
    place > 0 &&
    (text.charCodeAt(place) & 0xfc00) === 0xdc00 &&
    (text.charCodeAt(place - 1) & 0xfc00) === 0xd800
  );
}

/** The end of the last complete character; looks back as far as a character can reach. */
export function endOfWholeCharacters(bytes: Uint8Array, end: number): number {
  for (let back = 1; back <= 3 && back <= end; back += 1) {
    const byte = bytes[end - back] ?? 0;
    if (byte < 0x80) return end;
    if (byte < 0xc0) continue;
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length > back ? end - back : end;
  }
  return end;
}

/** What a line takes at least besides its text: a digit, a separator and a line break. */
const LINE_NUMBER_CHARS = 3;

interface OpenMatch extends SearchMatch {
  readonly after: ContextLine[];
}

/** A matching line. */
export interface FoundLine {
  readonly line: number;
  /** Index of the match in the line. */
  readonly index: number;
  readonly window: LineWindow;
  readonly lineChars: number;
}

/** Adds context lines to each match, even from other blocks, and reports the matches in order. */
export class MatchCollector {
  readonly #query: SearchQuery;
  readonly #onMatch: (match: SearchMatch) => void;
  /** The last lines before the block. */
  #history: ContextLine[] = [];
  /** Matches that are waiting for lines after them. */
  #open: OpenMatch[] = [];
  #collected = 0;
  /** Characters of the matches and of the lines around them. */
  #chars = 0;

  constructor(query: SearchQuery, onMatch: (match: SearchMatch) => void) {
    this.#query = query;
    this.#onMatch = onMatch;
  }

  get isFull(): boolean {
    const { maxResults, maxChars = Infinity } = this.#query;
    return this.#collected >= maxResults || this.#chars > maxChars;
  }

  /** A match in a block whose first line has the number `firstLine`; `start` and `end` are the line's. */
  addInBlock(
    found: FoundLine,
    block: LineBlock,
    firstLine: number,
    start: number,
    end: number,
  ): void {
    const before = this.#linesBefore(found.line, block, firstLine, start);
    this.#add(
      found,
      before,
      this.#linesAfter(found.line + 1, block, end + 1, this.#query.contextAfter),
    );
  }

  /** A match on a line that is not part of a block. */
  addAlone(found: FoundLine): void {
    this.#add(found, this.#historyFrom(found.line - this.#query.contextBefore), []);
  }

  /** To be called before a block is searched: matches may be waiting for its first lines. */
  beginBlock(block: LineBlock, firstLine: number): void {
    if (this.#open.length === 0) return;
    const next = this.#linesAfter(firstLine, block, block.start, this.#query.contextAfter);
    for (const line of next) this.#passToOpen(line);
  }

  /** To be called after a block was searched: its last lines may precede the next match. */
  endBlock(block: LineBlock, firstLine: number, nextLine: number): void {
    if (this.#query.contextBefore === 0) return;
    this.#history = this.#linesBefore(nextLine, block, firstLine, block.end);
  }

  /** A line that is not part of a block has passed. */
  passLine(line: ContextLine): void {
    this.#passToOpen(line);
    const { contextBefore } = this.#query;
    if (contextBefore > 0) this.#history = [...this.#history, line].slice(-contextBefore);
  }

  /** Reports the matches that are still waiting; no more lines will come. */
  flush(): void {
    for (const match of this.#open.splice(0)) this.#onMatch(match);
  }

  #add(found: FoundLine, before: ContextLine[], after: ContextLine[]): void {
    this.#collected += 1;
    this.#chars += shownChars(found.window) + countChars(before) + countChars(after);
    this.#open.push({
      line: found.line,
      column: found.index + 1,
      text: found.window.text,
      textColumn: found.window.start + 1,
      lineChars: found.lineChars,
      before,
      after,
    });
    this.#reportComplete();
  }

  #passToOpen(line: ContextLine): void {
    for (const match of this.#open) {
      if (line.line > match.line && match.after.length < this.#query.contextAfter) {
        match.after.push(line);
        this.#chars += shownChars(line);
      }
    }
    this.#reportComplete();
  }

  #reportComplete(): void {
    const { contextAfter } = this.#query;
    const waiting = this.#open.findIndex((match) => match.after.length < contextAfter);
    const done = this.#open.splice(0, waiting === -1 ? this.#open.length : waiting);
    for (const match of done) this.#onMatch(match);
  }

  #linesBefore(line: number, block: LineBlock, firstLine: number, start: number): ContextLine[] {
    const { contextBefore, windowChars } = this.#query;
    const lines: ContextLine[] = [];
    let number = line;
    let end = start;
    while (lines.length < contextBefore && number > firstLine && end > block.start) {
      number -= 1;
      const from = block.startOfLine(end - 1);
      lines.push(contextLine(number, block.textOfLine(from, end - 1), windowChars));
      end = from;
    }
    lines.reverse();
    return [...this.#historyFrom(line - contextBefore), ...lines];
  }

  #historyFrom(line: number): ContextLine[] {
    return this.#history.filter((kept) => kept.line >= line);
  }

  #linesAfter(line: number, block: LineBlock, start: number, count: number): ContextLine[] {
    const lines: ContextLine[] = [];
    let from = start;
    while (lines.length < count && from < block.end) {
      const end = block.endOfLine(from);
      const text = block.textOfLine(from, end);
      lines.push(contextLine(line + lines.length, text, this.#query.windowChars));
      from = end + 1;
    }
    return lines;
  }
}

function countChars(lines: readonly ContextLine[]): number {
  return lines.reduce((sum, line) => sum + shownChars(line), 0);
}

/** A line is shown with its number, so that even empty lines fill an answer. */
function shownChars({ text }: { readonly text: string }): number {
  return text.length + LINE_NUMBER_CHARS;
}
