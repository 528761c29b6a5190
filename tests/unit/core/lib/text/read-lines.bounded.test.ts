import { beforeAll, describe, expect, it } from "vitest";
import type { ByteSource } from "../../../../../src/core/lib/text/byte-source.js";
import { readChars, readLineChars, readLines } from "../../../../../src/core/lib/text/read-text.js";
import { indexText, type TextIndex } from "../../../../../src/core/lib/text/text-index.js";
import { encodeWtf8 } from "../../../../../src/core/lib/text/wtf8.js";

const LINE = "0000000 INFO 漢字 é 😀 a line of a log that nobody keeps in memory\n";
const LINE_BYTES = encodeWtf8(LINE);
const NUMBER_DIGITS = 7;
const SIZE = 300_000_000 - (300_000_000 % LINE_BYTES.length);
const LINES = SIZE / LINE_BYTES.length;

interface CountingSource extends ByteSource {
  /** Bytes that were read, and the most in one piece. */
  readonly total: number;
  readonly largest: number;
}

/** Makes its bytes when they are asked for, and counts them. */
function generated(size: number, make: (start: number, end: number) => Uint8Array): CountingSource {
  let total = 0;
  let largest = 0;
  return {
    size,
    read(start, end) {
      total += end - start;
      largest = Math.max(largest, end - start);
      return Promise.resolve(make(start, end));
    },
    get total() {
      return total;
    },
    get largest() {
      return largest;
    },
  };
}

/** Every line begins with its number. */
function makeLog(start: number, end: number): Uint8Array {
  const first = Math.floor(start / LINE_BYTES.length);
  const last = Math.ceil(end / LINE_BYTES.length);
  const bytes = new Uint8Array((last - first) * LINE_BYTES.length);
  for (let line = first; line < last; line++) {
    const at = (line - first) * LINE_BYTES.length;
    bytes.set(LINE_BYTES, at);
    let rest = line + 1;
    for (let digit = NUMBER_DIGITS - 1; rest > 0; digit--) {
      bytes[at + digit] = 0x30 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
  }
  const offset = first * LINE_BYTES.length;
  return bytes.subarray(start - offset, end - offset);
}

function lineText(line: number): string {
  return String(line).padStart(NUMBER_DIGITS, "0") + LINE.slice(NUMBER_DIGITS, -1);
}

describe("of a log of 300 MB", () => {
  let index: TextIndex;

  beforeAll(async () => {
    index = await indexText(generated(SIZE, makeLog));
  });

  it("the index knows the size", () => {
    expect(index).toMatchObject({ bytes: SIZE, lines: LINES, chars: LINES * LINE.length });
  });

  it.each([
    ["first", 1],
    ["middle", Math.floor(LINES / 2)],
    ["last", LINES - 99],
  ])("the %s 100 lines come back by reading less than 150 kB", async (_, startLine) => {
    const source = generated(SIZE, makeLog);
    const request = { startLine, endLine: startLine + 99, maxChars: 20_000 };
    const read = await readLines({ source, index }, request);
    const lines = read.text.split("\n");
    expect(lines).toHaveLength(100);
    expect([lines[0], lines[99]]).toEqual([lineText(startLine), lineText(startLine + 99)]);
    expect(source.total).toBeLessThan(150_000);
    expect(source.largest).toBeLessThan(70_000);
  });

  it("a range of millions of lines is bounded by the cap", async () => {
    const source = generated(SIZE, makeLog);
    const request = { startLine: 2, endLine: LINES, maxChars: 20_000 };
    const read = await readLines({ source, index }, request);
    expect(read.endLine).toBe(1 + Math.floor(20_001 / LINE.length));
    expect(source.total).toBeLessThan(350_000);
  });

  it("characters near the end come back by reading less than 150 kB", async () => {
    const source = generated(SIZE, makeLog);
    const endChar = index.chars - 1;
    const startChar = endChar - (LINE.length - 2);
    const read = await readChars({ source, index }, { startChar, endChar, maxChars: 1_000 });
    expect(read.text).toBe(lineText(LINES));
    expect(source.total).toBeLessThan(150_000);
  });
});

describe("of a line of 300 MB", () => {
  const makeLine = (start: number, end: number): Uint8Array => {
    const bytes = new Uint8Array(end - start).fill(0x78);
    if (end === SIZE) bytes[bytes.length - 1] = 0x0a;
    return bytes;
  };

  it("the start and the end come back by reading a few blocks", async () => {
    const index = await indexText(generated(SIZE, makeLine));
    const source = generated(SIZE, makeLine);
    const text = { source, index };
    const read = await readLines(text, { startLine: 1, endLine: 1, maxChars: 1_000 });
    expect(read.text).toBe("x".repeat(1_000));
    expect(read.cut).toEqual({ line: 1, shownChars: 1_000, lineChars: SIZE - 1 });

    const request = { line: 1, startChar: SIZE - 10, endChar: SIZE, maxChars: 1_000 };
    expect(await readLineChars(text, request)).toEqual({
      text: "x".repeat(10),
      line: 1,
      startChar: SIZE - 10,
      endChar: SIZE - 1,
      lineChars: SIZE - 1,
    });
    expect(source.total).toBeLessThan(500_000);
    expect(source.largest).toBeLessThan(70_000);
  });

  it("a large part is read in pieces of at most 256 kB", async () => {
    const index = await indexText(generated(SIZE, makeLine));
    const source = generated(SIZE, makeLine);
    const request = { startChar: 100_000_000, endChar: SIZE, maxChars: 2_000_000 };
    expect((await readChars({ source, index }, request)).text).toHaveLength(2_000_000);
    expect(source.largest).toBe(262_144);
  });
});
