import { withoutColors } from "../text/printable.js";
import { LINE_FEED } from "../text/code-units.js";
import { decodeWtf8 } from "../text/wtf8.js";
import type { CompiledPattern, Span } from "./compile-pattern.js";
import {
  type SearchMatch,
  type MatchWindow,
  PatternError,
  type ContextLine,
  type SearchQuery,
} from "./search-terms.js";

/** The progress of a search. Updated while it runs, so that it can be read from elsewhere. */
export interface SearchTally {
  scannedLines: number;
  matchingLines: number;
}

/** What a search needs besides its query. */
export interface LineSearchOptions {
  readonly pattern: CompiledPattern;
  /** Called with each match, in order, as soon as its context lines are known. */
  readonly onMatch: (match: SearchMatch) => void;
  /** Called between lines; once it returns true, the search stops. Default: never. */
  readonly shouldStop?: () => boolean;
  /**
   * The memory to search in: `SEARCH_BUFFER_BYTES`, used by one search at a time. In Node, a `Buffer`
   * is searched faster than a plain array. Default: memory of its own.
   */
  readonly buffer?: Uint8Array;
  /** Default: an object of its own. */
  readonly tally?: SearchTally;
}

/** How many matches of one line are counted beyond those that are shown. */
const MAX_COUNTED = 1_000;

/** The windows on one line, as its matches are found. A match inside of the last window needs no other. */
export class LineWindows {
  readonly #windowChars: number;
  readonly #maxWindows: number;
  readonly #shown: MatchWindow[] = [];
  #unshown = 0;
  /** The index in the line after the last window. */
  #end = 0;

  /** @param maxWindows - How many windows to make; further matches are only counted. */
  constructor(windowChars: number, maxWindows: number) {
    this.#windowChars = windowChars;
    this.#maxWindows = maxWindows;
  }

  get isDone(): boolean {
    return this.#unshown >= MAX_COUNTED;
  }

  /** Takes a match in `text`, the part of the line from index `at` on; returns the index in `text` to search from. */
  take(text: string, found: Span, at = 0): number {
    const next = Math.max(found.end, found.index + 1);
    if (this.#shown.length >= this.#maxWindows) {
      this.#unshown += 1;
      return next;
    }
    const window = windowAround(text, found, this.#windowChars, this.#end - at);
    this.#end = at + window.start + window.text.length;
    const column = at + found.index + 1;
    this.#shown.push({ column, text: window.text, textColumn: at + window.start + 1 });
    return Math.max(next, this.#end - at);
  }

  /** Takes the first match of a line, and the others if it is too long to be shown whole. */
  takeAll(line: string, first: Span, pattern: CompiledPattern): void {
    let match: Span | undefined = first;
    while (match !== undefined && !this.isDone) {
      const next = this.take(line, match);
      match = line.length > this.#windowChars ? pattern.find(line, next) : undefined;
    }
  }

  /** The line, if it matches. */
  toFound(line: number, lineChars: number): FoundLine | undefined {
    const [first, ...further] = this.#shown;
    return first && { line, first, further, unshown: this.#unshown, lineChars };
  }
}

/** How much of a line is kept before and after the part that is searched. */
const OVERLAP_CHARS = 65_536;
/** The longest line that is held whole for a pattern that needs it. */
const WHOLE_LINE_CHARS = 67_108_864;

const TOO_LONG =
  `a line has more than ${WHOLE_LINE_CHARS} characters, and a pattern with unbounded repetition or ` +
  "lookaround needs the whole line; bound the repetitions, as in .{0,200}, and avoid lookaround";

/**
 * A line that is searched as it arrives, in overlapping pieces, so that its length costs no memory.
 * A pattern whose matches may be longer than the overlap, or that uses lookaround, is searched for in
 * the whole line once it is complete.
 */
export class LongLine {
  readonly #pattern: CompiledPattern | undefined;
  readonly #headChars: number;
  readonly #fromIndex: number;
  /** What is shown of the line's matches. */
  readonly windows: LineWindows;
  #held = "";
  /** Characters that came before `#held`. */
  #passed = 0;
  /** How much of `#held` was searched: no match begins there. */
  #searched = 0;
  #head = "";

  /** Without a pattern the line is only measured. */
  constructor(
    pattern: CompiledPattern | undefined,
    windows: LineWindows,
    { headChars, fromIndex = 0 }: { readonly headChars: number; readonly fromIndex?: number },
  ) {
    this.#pattern = pattern;
    this.windows = windows;
    this.#headChars = headChars;
    this.#fromIndex = fromIndex;
  }

  /** The start of the line, slightly longer than a window. */
  get head(): string {
    return this.#head;
  }

  get lineChars(): number {
    return this.#passed + this.#held.length;
  }

  /** Takes the next piece of the line, which ends with a whole character. */
  push(piece: string): void {
    this.#head += piece.slice(0, Math.max(0, this.#headChars + 1 - this.#head.length));
    if (this.windows.isDone || this.#pattern === undefined) {
      this.#measure(piece);
      return;
    }
    this.#held += piece;
    if (this.#pattern.longestMatch > OVERLAP_CHARS) {
      if (this.#held.length > WHOLE_LINE_CHARS) throw new PatternError(TOO_LONG);
      return;
    }
    const limit = this.#held.length - OVERLAP_CHARS;
    // The overlap is searched again, so small pieces wait until there is as much new text.
    if (limit - this.#searched < OVERLAP_CHARS) return;
    // A match that begins before the limit ends within the text, so more text cannot change it.
    this.#searchUpTo(limit);
    this.#searched = Math.max(this.#searched, limit);
    this.#forget();
  }

  /** Ends the line, at a line feed if it is `broken` by one. */
  finish(broken: boolean): void {
    if (broken && this.#held.endsWith("\r")) {
      if (this.lineChars <= this.#head.length) this.#head = this.#head.slice(0, -1);
      this.#held = this.#held.slice(0, -1);
    }
    this.#searchUpTo(this.#held.length + 1);
  }

  /** Keeps no more than the last character, which may belong to the line break. */
  #measure(piece: string): void {
    if (piece === "") return;
    this.#passed += this.#held.length + piece.length - 1;
    this.#held = piece.slice(-1);
  }

  /** Takes the matches that begin before `limit`. */
  #searchUpTo(limit: number): void {
    while (!this.windows.isDone) {
      const found = this.#find();
      if (found === undefined || found.index >= limit) return;
      this.#searched = this.windows.take(this.#held, found, this.#passed);
    }
  }

  #find(): Span | undefined {
    // After the start of the text `^` does not match, since the text before is still there.
    return this.#pattern?.find(
      this.#held,
      Math.max(this.#searched, this.#fromIndex - this.#passed),
    );
  }

  #forget(): void {
    const surplus = this.#searched - OVERLAP_CHARS;
    if (surplus <= 0) return;
    this.#held = this.#held.slice(surplus);
    this.#passed += surplus;
    this.#searched -= surplus;
  }
}

/** The next position of `wanted`, of at least one byte, that is completely between `from` and `end`; -1 if there is none. */
function findBytes(bytes: Uint8Array, wanted: Uint8Array, from: number, end: number): number {
  const first = wanted[0] ?? 0;
  let at = bytes.indexOf(first, from);
  while (at !== -1 && at + wanted.length <= end) {
    let same = 1;
    while (same < wanted.length && bytes[at + same] === wanted[same]) same += 1;
    if (same >= wanted.length) return at;
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

/** Whole lines, addressed by position: of a byte or of a character, depending on the block. */
export interface LineBlock {
  /** The position of the first line. */
  readonly start: number;
  /** The position after the last line. */
  readonly end: number;
  /** Where the line that holds `place` begins. */
  startOfLine(place: number): number;
  /** Where the line that begins at `start` or holds it ends: at its line feed, or at the block's end. */
  endOfLine(start: number): number;
  countLineFeeds(from: number, end: number): number;
  /** The text of the line from `start` to `end`, where `end` came from `endOfLine`. */
  textOfLine(start: number, end: number): string;
}

/** Lines in a search buffer, decoded one at a time. */
export function createByteBlock(bytes: Uint8Array, start: number, end: number): LineBlock {
  return {
    start,
    end,
    startOfLine: (place) =>
      place === start ? start : Math.max(start, bytes.lastIndexOf(LINE_FEED, place - 1) + 1),
    endOfLine: (place) => {
      const feed = bytes.indexOf(LINE_FEED, place);
      return feed === -1 || feed > end ? end : feed;
    },
    countLineFeeds: (from, to) => countLineFeeds(bytes, from, to),
    textOfLine: (from, to) => withoutReturn(decodeWtf8(bytes.subarray(from, to)), to < end),
  };
}

/** Lines in a search buffer, decoded all at once to `text`. */
export function createTextBlock(
  bytes: Uint8Array,
  byteStart: number,
  byteEnd: number,
  text: string,
): LineBlock {
  const end = text.length;
  // In ASCII a character is a byte, and bytes are counted faster.
  const ascii = end === byteEnd - byteStart;
  return {
    start: 0,
    end,
    startOfLine: (place) => (place === 0 ? 0 : text.lastIndexOf("\n", place - 1) + 1),
    endOfLine: (start) => {
      const feed = text.indexOf("\n", start);
      return feed === -1 ? end : feed;
    },
    countLineFeeds: (from, to) => {
      if (ascii) return countLineFeeds(bytes, byteStart + from, byteStart + to);
      if (from === 0 && to === end) return countLineFeeds(bytes, byteStart, byteEnd);
      let count = 0;
      let feed = text.indexOf("\n", from);
      while (feed !== -1 && feed < to) {
        count += 1;
        feed = text.indexOf("\n", feed + 1);
      }
      return count;
    },
    textOfLine: (start, to) => withoutReturn(text.slice(start, to), to < end),
  };
}

/** A "\r" before a "\n" belongs to the line break; one at the end of the text does not. */
export function withoutReturn(line: string, broken: boolean): string {
  return broken && line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** The part of a line that is shown, and at which index of the line it begins. */
export interface LineWindow {
  readonly text: string;
  readonly start: number;
}

/** The whole line where it is short enough; otherwise a part of it, from `least` on, in which the match can be seen. */
export function windowAround(
  line: string,
  match: Span,
  windowChars: number,
  least = 0,
): LineWindow {
  if (line.length <= windowChars) return { text: line, start: 0 };
  const spare = Math.max(0, windowChars - (match.end - match.index));
  const wanted = match.index - Math.floor(spare / 2);
  let start = Math.max(0, least, Math.min(wanted, line.length - windowChars));
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
  readonly first: MatchWindow;
  readonly further: readonly MatchWindow[];
  readonly unshown: number;
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

  /** How many more matches can be shown. */
  get room(): number {
    return this.#query.maxResults - this.#collected;
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
    const { line, first, further, unshown, lineChars } = found;
    this.#collected += 1 + further.length;
    this.#chars += countChars([first, ...further]) + countChars(before) + countChars(after);
    this.#open.push({
      ...{ line, ...first, lineChars, before, after },
      ...(further.length > 0 ? { further } : {}),
      ...(unshown > 0 ? { unshown } : {}),
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

function countChars(lines: readonly { readonly text: string }[]): number {
  return lines.reduce((sum, line) => sum + shownChars(line), 0);
}

/** A line is shown with its number, so that even empty lines fill an answer. */
function shownChars({ text }: { readonly text: string }): number {
  return text.length + LINE_NUMBER_CHARS;
}

/** Every code of a terminal begins with it. */
const ESCAPE = 0x1b;
/** How `cat -v` and some CI services write the start of a color: ^[[ */
const WRITTEN_ESCAPE = new Uint8Array([0x5e, 0x5b, 0x5b]);
/** How much is read and searched at once. */
const PIECE_BYTES = 1_048_576;
/** How much is decoded at once: strings of this size are freed cheaply. */
const TEXT_BYTES = 65_536;
/** A line that is longer may be searched in pieces. */
const LONG_LINE_BYTES = 1_048_576;
/**
 * Where new bytes are written; what is left of the previous ones is moved before them. The fixed
 * position keeps writes aligned: just after the start of a page they take several times as long.
 */
const FRESH_AT = LONG_LINE_BYTES;
/** What a search buffer must hold for a search. */
export const SEARCH_BUFFER_BYTES = PIECE_BYTES + LONG_LINE_BYTES;

/**
 * A search over a text that is fed in pieces of any size. Memory is bounded even for long lines: see
 * `LongLine` for lines of more than 1 MB.
 *
 * Feed it with `push`, or without a copy: write to the start of `room()` and call `filled()`.
 */
export class LineSearch {
  readonly #query: SearchQuery;
  readonly #pattern: CompiledPattern;
  readonly #buffer: Uint8Array;
  readonly #shouldStop: () => boolean;
  readonly #collector: MatchCollector;
  readonly #fromLine: number;
  readonly tally: SearchTally;
  /** The bytes of the search buffer from here to `#end` are still to be searched. */
  #start = FRESH_AT;
  #end = FRESH_AT;
  /** Number of the line that begins there, or of the long line under way. */
  #line = 1;
  #long: LongLine | undefined;
  #stopped = false;
  /** True while a line matches if and only if it is a candidate. */
  #isExact = false;

  constructor(query: SearchQuery, options: LineSearchOptions) {
    this.#query = query;
    this.#pattern = options.pattern;
    this.#buffer = options.buffer ?? new Uint8Array(SEARCH_BUFFER_BYTES);
    this.#shouldStop = options.shouldStop ?? (() => false);
    this.#collector = new MatchCollector(query, options.onMatch);
    this.#fromLine = query.fromLine ?? 1;
    this.tally = options.tally ?? { scannedLines: 0, matchingLines: 0 };
  }

  /** True once `shouldStop` returned true or `stop` was called. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Where to write the next bytes. */
  room(): Uint8Array {
    return this.#buffer.subarray(this.#end, SEARCH_BUFFER_BYTES);
  }

  /** `count` bytes were written to the start of `room()`. */
  filled(count: number): void {
    if (this.#stopped) return;
    const fresh = this.#end;
    this.#end += count;
    if (this.#long !== undefined) this.#goOnWithLongLine();
    else {
      this.#searchLinesOf(fresh);
      if (this.#end - this.#start > LONG_LINE_BYTES) this.#goOnWithLongLine();
    }
    if (this.#end === SEARCH_BUFFER_BYTES) this.#drop(this.#start);
    if (this.#shouldStop()) this.#stopped = true;
  }

  /** Ends the search here: what is fed from now on is ignored. */
  stop(): void {
    this.#stopped = true;
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && !this.#stopped;) {
      const room = this.room();
      const part = chunk.subarray(at, at + room.length);
      room.set(part);
      this.filled(part.length);
      at += part.length;
    }
  }

  /** Ends the text or the search: reports matches that were still waiting for context lines. */
  finish(): void {
    if (this.#stopped) {
      if (this.#long !== undefined) this.#report(this.#long);
    } else {
      if (this.#long !== undefined) this.#endLongLine(this.#long, this.#end, false);
      else if (this.#end > this.#start) this.#searchLines(this.#end);
    }
    this.#collector.flush();
  }

  /** Searches all lines up to the last line feed, which is looked for from `fresh` on. */
  #searchLinesOf(fresh: number): void {
    const lastFeed = this.#buffer.subarray(fresh, this.#end).lastIndexOf(LINE_FEED);
    if (lastFeed !== -1) this.#searchLines(fresh + lastFeed + 1);
  }

  #searchLines(end: number): void {
    while (this.#start < end) {
      const firstLine = this.#line;
      const blockEnd = this.#endOfBlock(end);
      const block = this.#searchBlock(blockEnd);
      if (this.#stopped) return;
      this.#collector.endBlock(block, firstLine, this.#line);
      this.#start = blockEnd;
      this.tally.scannedLines = this.#line - 1;
    }
    this.#drop(end);
  }

  /** Bytes are searched all at once, text in blocks of whole lines. */
  #endOfBlock(end: number): number {
    const limit = this.#start + TEXT_BYTES;
    const bytes = this.#buffer;
    const isInBytes = this.#pattern.requiredBytes !== undefined && !this.#hasCodes(end);
    if (isInBytes || limit >= end) return end;
    const lastFeed = bytes.subarray(this.#start, limit).lastIndexOf(LINE_FEED);
    if (lastFeed !== -1) return this.#start + lastFeed + 1;
    const nextFeed = bytes.subarray(limit, end).indexOf(LINE_FEED);
    return nextFeed === -1 ? end : limit + nextFeed + 1;
  }

  /** Whether there are colors or other codes of a terminal up to `end`. */
  #hasCodes(end: number): boolean {
    return (
      this.#buffer.subarray(this.#start, end).includes(ESCAPE) ||
      findBytes(this.#buffer, WRITTEN_ESCAPE, this.#start, end) !== -1
    );
  }

  /** The text from where the search is to `end`. */
  #decodeTo(end: number): string {
    return decodeWtf8(this.#buffer.subarray(this.#start, end));
  }

  /** Forgets what is before `end` and makes room. */
  #drop(end: number): void {
    const left = this.#end - end;
    this.#buffer.copyWithin(FRESH_AT - left, end, this.#end);
    this.#start = FRESH_AT - left;
    this.#end = FRESH_AT;
  }

  #searchBlock(byteEnd: number): LineBlock {
    const { requiredBytes, findInBlock } = this.#pattern;
    const bytes = createByteBlock(this.#buffer, this.#start, byteEnd);
    const isWanted =
      this.#line >= this.#fromLine ||
      this.#line + this.#countLines(bytes, bytes.start) > this.#fromLine;
    const hasCodes = this.#hasCodes(byteEnd);
    this.#isExact = this.#pattern.exact && !hasCodes;
    if ((requiredBytes !== undefined && !hasCodes) || !isWanted) {
      this.#collector.beginBlock(bytes, this.#line);
      this.#searchCandidates(bytes, (from) =>
        isWanted && requiredBytes !== undefined
          ? findBytes(this.#buffer, requiredBytes, from, byteEnd)
          : -1,
      );
      return bytes;
    }
    const decoded = this.#decodeTo(byteEnd);
    // Colors would split what a reader sees as one text.
    const text = hasCodes ? withoutColors(decoded) : decoded;
    const block = createTextBlock(this.#buffer, this.#start, byteEnd, text);
    this.#collector.beginBlock(block, this.#line);
    this.#searchCandidates(block, (from) => findInBlock?.(text, from) ?? from);
    return block;
  }

  /** Searches each line in which `next` finds a position; each line is searched only once. */
  #searchCandidates(block: LineBlock, next: (from: number) => number): void {
    const firstLine = this.#line;
    let from = block.start;
    while (this.#line < this.#fromLine && from < block.end) {
      from = block.endOfLine(from) + 1;
      this.#line += 1;
    }
    let lineStart = from;
    while (from < block.end) {
      const place = next(from);
      const start = place === -1 ? block.end : block.startOfLine(place);
      // After the last line break there is no further line.
      if (start >= block.end) break;
      this.#line += block.countLineFeeds(lineStart, start);
      lineStart = start;
      this.tally.scannedLines = this.#line - 1;
      if (this.#shouldStop()) {
        this.#stopped = true;
        return;
      }
      const end = block.endOfLine(place);
      this.#searchLine(block, firstLine, start, end);
      this.tally.scannedLines = this.#line;
      from = end + 1;
    }
    this.#line += this.#countLines(block, Math.min(lineStart, block.end));
  }

  #searchLine(block: LineBlock, firstLine: number, start: number, end: number): void {
    if (this.#isExact && (this.#collector.isFull || this.#isSkipping)) {
      this.tally.matchingLines += 1;
      return;
    }
    const text = block.textOfLine(start, end);
    const match = this.#pattern.find(text, this.#fromIndex);
    if (match === undefined) return;
    const isSkipped = this.#isSkipping;
    this.tally.matchingLines += 1;
    if (isSkipped || this.#collector.isFull) return;
    const windows = new LineWindows(this.#query.windowChars, this.#collector.room);
    windows.takeAll(text, match, this.#pattern);
    const found = windows.toFound(this.#line, text.length);
    if (found) this.#collector.addInBlock(found, block, firstLine, start, end);
  }

  /** True while matching lines are only counted. */
  get #isSkipping(): boolean {
    return this.tally.matchingLines < (this.#query.skipMatches ?? 0);
  }

  /** Where the search begins in the current line. */
  get #fromIndex(): number {
    return this.#line === this.#fromLine ? (this.#query.fromChar ?? 1) - 1 : 0;
  }

  /** Lines from the start of one to the end of the block, whose last line may lack its line break. */
  #countLines(block: LineBlock, from: number): number {
    const broken = block.countLineFeeds(from, block.end);
    const lastEnds = from >= block.end || block.startOfLine(block.end) === block.end;
    return broken + (lastEnds ? 0 : 1);
  }

  #goOnWithLongLine(): void {
    this.#long ??= new LongLine(
      this.#line < this.#fromLine ? undefined : this.#pattern,
      new LineWindows(this.#query.windowChars, Math.max(1, this.#collector.room)),
      { headChars: this.#query.windowChars, fromIndex: this.#fromIndex },
    );
    const feed = this.#buffer.subarray(this.#start, this.#end).indexOf(LINE_FEED);
    if (feed === -1) {
      const end = endOfWholeCharacters(this.#buffer, this.#end);
      this.#long.push(this.#decodeTo(end));
      this.#drop(end);
      return;
    }
    this.#endLongLine(this.#long, this.#start + feed, true);
    this.#start += feed + 1;
    this.#searchLinesOf(this.#start);
  }

  #endLongLine(long: LongLine, end: number, broken: boolean): void {
    long.push(this.#decodeTo(end));
    long.finish(broken);
    this.#report(long);
    const head = contextLine(this.#line, long.head, this.#query.windowChars);
    this.#collector.passLine({ ...head, lineChars: long.lineChars });
    this.#long = undefined;
    this.tally.scannedLines = this.#line;
    this.#line += 1;
  }

  #report({ windows, lineChars }: LongLine): void {
    const found = windows.toFound(this.#line, lineChars);
    if (found === undefined) return;
    const isSkipped = this.#isSkipping;
    this.tally.matchingLines += 1;
    if (!isSkipped && !this.#collector.isFull) this.#collector.addAlone(found);
  }
}
