import { LINE_FEED } from "../text/scan-bytes.js";
import type { CompiledPattern } from "./compile-pattern.js";
import type { LineSearchOptions, SearchTally } from "./line-search-options.js";
import type { SearchQuery } from "./search-terms.js";
import { LineWindows } from "./line-windows.js";
import { LongLine } from "./long-line.js";
import { MatchCollector, contextLine, endOfWholeCharacters } from "./match-collector.js";
import { createByteBlock, createTextBlock, type LineBlock } from "./line-block.js";
import { createSearchBuffer, type SearchBuffer } from "./search-buffer.js";

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
  readonly #searchBuffer: SearchBuffer;
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

  constructor(query: SearchQuery, options: LineSearchOptions) {
    this.#query = query;
    this.#pattern = options.pattern;
    this.#searchBuffer = options.searchBuffer ?? createSearchBuffer(SEARCH_BUFFER_BYTES);
    this.#shouldStop = options.shouldStop ?? (() => false);
    this.#collector = new MatchCollector(query, options.onMatch);
    this.#fromLine = query.fromLine ?? 1;
    this.tally = options.tally ?? { scannedLines: 0, matchingLines: 0 };
    const { requiredBytes } = this.#pattern;
    if (requiredBytes !== undefined) this.#searchBuffer.setNeedle(requiredBytes);
  }

  /** True once `shouldStop` returned true or `stop` was called. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Where to write the next bytes. */
  room(): Uint8Array {
    return this.#searchBuffer.bytes.subarray(this.#end, SEARCH_BUFFER_BYTES);
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
    const lastFeed = this.#searchBuffer.bytes.subarray(fresh, this.#end).lastIndexOf(LINE_FEED);
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
    if (this.#pattern.requiredBytes !== undefined || limit >= end) return end;
    const { bytes } = this.#searchBuffer;
    const lastFeed = bytes.subarray(this.#start, limit).lastIndexOf(LINE_FEED);
    if (lastFeed !== -1) return this.#start + lastFeed + 1;
    const nextFeed = bytes.subarray(limit, end).indexOf(LINE_FEED);
    return nextFeed === -1 ? end : limit + nextFeed + 1;
  }

  /** Forgets what is before `end` and makes room. */
  #drop(end: number): void {
    const left = this.#end - end;
    this.#searchBuffer.bytes.copyWithin(FRESH_AT - left, end, this.#end);
    this.#start = FRESH_AT - left;
    this.#end = FRESH_AT;
  }

  #searchBlock(byteEnd: number): LineBlock {
    const { requiredBytes, findInBlock } = this.#pattern;
    const bytes = createByteBlock(this.#searchBuffer, this.#start, byteEnd);
    const isWanted =
      this.#line >= this.#fromLine ||
      this.#line + this.#countLines(bytes, bytes.start) > this.#fromLine;
    if (requiredBytes !== undefined || !isWanted) {
      this.#collector.beginBlock(bytes, this.#line);
      this.#searchCandidates(bytes, (from) =>
        isWanted ? this.#searchBuffer.find(from, byteEnd) : -1,
      );
      return bytes;
    }
    const text = this.#searchBuffer.decode(this.#start, byteEnd);
    const block = createTextBlock(this.#searchBuffer, this.#start, byteEnd, text);
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
    if (this.#pattern.exact && this.#collector.isFull) {
      this.tally.matchingLines += 1;
      return;
    }
    const text = block.textOfLine(start, end);
    const match = this.#pattern.find(text, this.#fromIndex);
    if (match === undefined) return;
    this.tally.matchingLines += 1;
    if (this.#collector.isFull) return;
    const windows = new LineWindows(this.#query.windowChars, this.#collector.room);
    windows.takeAll(text, match, this.#pattern);
    const found = windows.toFound(this.#line, text.length);
    if (found) this.#collector.addInBlock(found, block, firstLine, start, end);
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
    const feed = this.#searchBuffer.bytes.subarray(this.#start, this.#end).indexOf(LINE_FEED);
    if (feed === -1) {
      const end = endOfWholeCharacters(this.#searchBuffer.bytes, this.#end);
      this.#long.push(this.#searchBuffer.decode(this.#start, end));
      this.#drop(end);
      return;
    }
    this.#endLongLine(this.#long, this.#start + feed, true);
    this.#start += feed + 1;
    this.#searchLinesOf(this.#start);
  }

  #endLongLine(long: LongLine, end: number, broken: boolean): void {
    long.push(this.#searchBuffer.decode(this.#start, end));
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
    this.tally.matchingLines += 1;
    if (!this.#collector.isFull) this.#collector.addAlone(found);
  }
}
