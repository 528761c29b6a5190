import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createTextIndexer,
  indexText,
  decodeTextIndex,
  encodeTextIndex,
} from "../../../../../src/core/lib/text/text-index.js";
import { decodeWtf8, encodeWtf8, isWellFormed } from "../../../../../src/core/lib/text/wtf8.js";
import {
  anyCuts,
  anyText,
  cutAt,
  memorySource,
  splitLines,
  tinyDistance,
  indexed,
} from "./texts.js";

describe("createTextIndexer", () => {
  it("counts as a naive split does, however the bytes are cut into chunks", () => {
    fc.assert(
      fc.property(anyText, anyCuts, tinyDistance, (text, cuts, checkpointBytes) => {
        const bytes = encodeWtf8(text);
        const indexer = createTextIndexer({ checkpointBytes });
        for (const chunk of cutAt(bytes, cuts)) indexer.push(chunk);
        const { checkpoints, ...counts } = indexer.end();
        expect(counts).toEqual({
          bytes: bytes.length,
          chars: text.length,
          lines: splitLines(text).length,
          wellFormed: isWellFormed(text),
        });

        const places = [...checkpoints.bytes];
        expect(places[0]).toBe(0);
        for (const [i, byte] of places.entries()) {
          const before = decodeWtf8(bytes.subarray(0, byte));
          expect(text.startsWith(before)).toBe(true);
          expect(checkpoints.chars[i]).toBe(before.length);
          expect(checkpoints.breaks[i]).toBe(before.split("\n").length - 1);
          const distance = (places[i + 1] ?? byte + checkpointBytes) - byte;
          expect(distance).toBeGreaterThanOrEqual(checkpointBytes);
          expect(distance).toBeLessThanOrEqual(checkpointBytes + 3);
        }
      }),
    );
  });

  it("makes the same index of one chunk and of single bytes", () => {
    const bytes = encodeWtf8("é漢😀\ud800\n".repeat(20));
    const whole = createTextIndexer({ checkpointBytes: 5 });
    const single = createTextIndexer({ checkpointBytes: 5 });
    whole.push(bytes);
    for (const byte of bytes) single.push(Uint8Array.of(byte));
    expect(single.end()).toEqual(whole.end());
  });

  it("sees a surrogate that a chunk cuts, and no other character of the same lead byte", () => {
    for (const [text, wellFormed] of [
      ["\ud83d", false],
      ["\ude00", false],
      ["\ud7ff", true],
    ] as const) {
      const bytes = encodeWtf8(text);
      for (const cut of [0, 1, 2, 3]) {
        const indexer = createTextIndexer();
        indexer.push(bytes.subarray(0, cut));
        indexer.push(bytes.subarray(cut));
        expect(indexer.end()).toMatchObject({ wellFormed, chars: 1, lines: 1 });
      }
    }
  });

  it("counts lines by their ends", () => {
    const linesOf = (text: string): number => {
      const indexer = createTextIndexer();
      indexer.push(encodeWtf8(text));
      return indexer.end().lines;
    };
    expect(["", "\n", "a", "a\n", "a\nb", "a\n\n", "\n\n"].map(linesOf)).toEqual([
      0, 1, 1, 1, 2, 2, 2,
    ]);
  });

  it("keeps its checkpoints near to each other where the bytes are no text", () => {
    const indexer = createTextIndexer({ checkpointBytes: 100 });
    indexer.push(new Uint8Array(1_000).fill(0x80));
    expect(indexer.end().checkpoints.bytes).toHaveLength(10);
  });
});
describe("indexText", () => {
  const megabytes = encodeWtf8("12:00 GET /漢字/😀 200\n".repeat(100_000));

  it("reads in pieces of 1 MB and marks every 64 kB", async () => {
    const lengths: number[] = [];
    const source = memorySource(megabytes);
    const index = await indexText({
      size: source.size,
      async read(start, end) {
        lengths.push(end - start);
        return source.read(start, end);
      },
    });
    expect(index).toMatchObject({ bytes: megabytes.length, lines: 100_000, wellFormed: true });
    expect(index.chars).toBe(decodeWtf8(megabytes).length);
    expect(index.checkpoints.bytes).toHaveLength(Math.ceil(megabytes.length / 65_540));
    expect(Math.max(...lengths)).toBe(1_048_576);
    expect(lengths).toHaveLength(Math.ceil(megabytes.length / 1_048_576));
  });

  it("accepts pieces that are shorter than asked for, and a source that ends early", async () => {
    const bytes = encodeWtf8("a\n漢字\n".repeat(50));
    const source = memorySource(bytes);
    const slow = {
      size: source.size,
      read: (start: number, end: number) => source.read(start, Math.min(end, start + 7)),
    };
    expect(await indexText(slow)).toEqual(await indexText(source));
    const early = { size: bytes.length + 10, read: source.read.bind(source) };
    expect(await indexText(early)).toMatchObject({ bytes: bytes.length, lines: 100 });
  });

  it("stops when the signal says so", async () => {
    const controller = new AbortController();
    const source = memorySource(megabytes);
    let reads = 0;
    const aborting = {
      size: source.size,
      read(start: number, end: number) {
        reads += 1;
        controller.abort(new Error("enough"));
        return source.read(start, end);
      },
    };
    await expect(indexText(aborting, { signal: controller.signal })).rejects.toThrow("enough");
    expect(reads).toBe(1);
  });
});

describe("an encoded index", () => {
  it("comes back as it was, from any place in memory", () => {
    fc.assert(
      fc.property(anyText, tinyDistance, fc.integer({ min: 0, max: 7 }), (text, distance, by) => {
        const { index } = indexed(text, distance);
        const encoded = encodeTextIndex(index);
        const moved = new Uint8Array(encoded.length + by);
        moved.set(encoded, by);
        expect(decodeTextIndex(moved.subarray(by))).toEqual(index);
      }),
    );
  });

  it("is small beside the text", () => {
    expect(encodeTextIndex(indexed("x".repeat(6_553_600)).index).length).toBeLessThan(2_500);
  });

  it("is refused when it is cut short, has something behind it, or is something else", () => {
    const encoded = encodeTextIndex(indexed("a\nb\n", 1).index);
    for (let length = 0; length < encoded.length; length++) {
      expect(decodeTextIndex(encoded.subarray(0, length))).toBeUndefined();
    }
    expect(decodeTextIndex(Uint8Array.of(...encoded, 0))).toBeUndefined();
    expect(decodeTextIndex(new Uint8Array(encoded.length))).toBeUndefined();
  });

  it("is refused when it is of another version", () => {
    const encoded = encodeTextIndex(indexed("a\nb\n").index);
    new DataView(encoded.buffer).setUint32(4, 2, true);
    expect(decodeTextIndex(encoded)).toBeUndefined();
  });
});
