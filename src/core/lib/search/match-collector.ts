import type { LineBlock } from "./line-block.js";
import { contextLine, type LineWindow } from "./match-window.js";
import type { ContextLine, SearchMatch, SearchQuery } from "./search-query.js";

interface OpenMatch extends SearchMatch {
  readonly after: ContextLine[];
}

/** Where a line was found that matches. */
export interface FoundLine {
  readonly line: number;
  /** Index of the match in the line. */
  readonly index: number;
  readonly window: LineWindow;
  readonly lineChars: number;
}

/** Puts the lines before and after to each match, also where they come in another block, and hands it on in order. */
export class MatchCollector {
  readonly #query: SearchQuery;
  readonly #onMatch: (match: SearchMatch) => void;
  /** The last lines before the block. */
  #history: ContextLine[] = [];
  /** Matches that wait for lines after them. */
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

  /** A match on a line that is no part of a block. */
  addAlone(found: FoundLine): void {
    this.#add(found, this.#historyFrom(found.line - this.#query.contextBefore), []);
  }

  /** To be called before a block is searched: its first lines may be what matches wait for. */
  beginBlock(block: LineBlock, firstLine: number): void {
    if (this.#open.length === 0) return;
    const next = this.#linesAfter(firstLine, block, block.start, this.#query.contextAfter);
    for (const line of next) this.#passToOpen(line);
  }

  /** To be called after a block was searched: its last lines may stand before the next match. */
  endBlock(block: LineBlock, firstLine: number, nextLine: number): void {
    if (this.#query.contextBefore === 0) return;
    this.#history = this.#linesBefore(nextLine, block, firstLine, block.end);
  }

  /** A line that is no part of a block has passed. */
  passLine(line: ContextLine): void {
    this.#passToOpen(line);
    const { contextBefore } = this.#query;
    if (contextBefore > 0) this.#history = [...this.#history, line].slice(-contextBefore);
  }

  /** Hands on what still waits; no more lines will come. */
  flush(): void {
    for (const match of this.#open.splice(0)) this.#onMatch(match);
  }

  #add(found: FoundLine, before: ContextLine[], after: ContextLine[]): void {
    this.#collected += 1;
    this.#chars += found.window.text.length + countChars(before) + countChars(after);
    this.#open.push({
      line: found.line,
      column: found.index + 1,
      text: found.window.text,
      textColumn: found.window.start + 1,
      lineChars: found.lineChars,
      before,
      after,
    });
    this.#handOn();
  }

  #passToOpen(line: ContextLine): void {
    for (const match of this.#open) {
      if (line.line > match.line && match.after.length < this.#query.contextAfter) {
        match.after.push(line);
        this.#chars += line.text.length;
      }
    }
    this.#handOn();
  }

  #handOn(): void {
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
  return lines.reduce((sum, { text }) => sum + text.length, 0);
}
