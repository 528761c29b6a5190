import type { ByteSource } from "../../../../../src/stores.js";
import { encodeWtf8 } from "../../../../../src/core/lib/text/wtf8.js";

export interface CountingSource extends ByteSource {
  /** The most bytes that were asked for at once. */
  readonly largestRead: number;
  /** All bytes that were asked for. */
  readonly bytesRead: number;
}

export function sourceOf(content: string | Uint8Array): CountingSource {
  const bytes = typeof content === "string" ? encodeWtf8(content) : content;
  return countReads(bytes.length, (start, end) => bytes.slice(start, end));
}

/** `[unit(0),unit(1),…]`, made when it is read; every unit must have the same length. */
export function generatedArray(
  count: number,
  unit: (index: number) => string,
  [before, after]: readonly [string, string] = ["[", "]"],
): CountingSource {
  const width = unit(0).length + 1;
  const size = before.length + count * width - 1 + after.length;
  const tail = before.length + count * width - 1;
  return countReads(size, (start, end) => {
    let text = "";
    let at = start;
    if (at < before.length) {
      text += before.slice(at, end);
      at += text.length;
    }
    while (at < Math.min(end, tail)) {
      const index = Math.floor((at - before.length) / width);
      const skipped = (at - before.length) % width;
      const piece = `${unit(index)},`.slice(skipped, skipped + Math.min(end, tail) - at);
      text += piece;
      at += piece.length;
    }
    if (end > tail) text += after.slice(Math.max(0, at - tail), end - tail);
    return Buffer.from(text, "latin1");
  });
}

function countReads(
  size: number,
  make: (start: number, end: number) => Uint8Array,
): CountingSource {
  const counts = { largestRead: 0, bytesRead: 0 };
  return {
    size,
    get largestRead() {
      return counts.largestRead;
    },
    get bytesRead() {
      return counts.bytesRead;
    },
    read: (start, end) => {
      const bytes = make(start, end);
      counts.largestRead = Math.max(counts.largestRead, bytes.length);
      counts.bytesRead += bytes.length;
      return Promise.resolve(bytes);
    },
  };
}
