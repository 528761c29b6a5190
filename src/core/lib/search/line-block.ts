import { LINE_FEED } from "../text/scan-bytes.js";
import type { SearchBuffer } from "./search-buffer.js";

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
export function createByteBlock(searchBuffer: SearchBuffer, start: number, end: number): LineBlock {
  const { bytes } = searchBuffer;
  return {
    start,
    end,
    startOfLine: (place) =>
      place === start ? start : Math.max(start, bytes.lastIndexOf(LINE_FEED, place - 1) + 1),
    endOfLine: (place) => {
      const feed = bytes.indexOf(LINE_FEED, place);
      return feed === -1 || feed > end ? end : feed;
    },
    countLineFeeds: (from, to) => searchBuffer.countLineFeeds(from, to),
    textOfLine: (from, to) => withoutReturn(searchBuffer.decode(from, to), to < end),
  };
}

/** Lines in a search buffer, decoded all at once to `text`. */
export function createTextBlock(
  searchBuffer: SearchBuffer,
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
      if (ascii) return searchBuffer.countLineFeeds(byteStart + from, byteStart + to);
      if (from === 0 && to === end) return searchBuffer.countLineFeeds(byteStart, byteEnd);
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
