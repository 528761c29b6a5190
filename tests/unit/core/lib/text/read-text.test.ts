import fc from "fast-check";
import { describe, expect, it, beforeAll } from "vitest";
import type { ByteSource } from "../../../../../src/stores.js";
import {
  readLines,
  type LinesRead,
  readChars,
  readLineChars,
  type CharsRead,
  type CharsRequest,
} from "../../../../../src/core/lib/text/read-text.js";
import { indexText, type TextIndex } from "../../../../../src/core/lib/text/text-index.js";
import { ArgumentError, TextRangeError } from "../../../../../src/core/lib/text/text-range.js";
import { encodeWtf8 } from "../../../../../src/core/lib/text/wtf8.js";
import {
  anyCuts,
  anyText,
  encodeInParts,
  indexed,
  isInsidePair,
  memorySource,
  splitLines,
  tinyDistance,
} from "./texts.js";

const nonEmptyText = anyText.filter((text) => text !== "");
/** What a reader would give that holds the whole text in memory. */
function naiveLines(text: string, startLine: number, endLine: number, maxChars: number): LinesRead {
  const lines = splitLines(text).slice(startLine - 1, endLine);
  const whole: string[] = [];
  for (const [index, line] of lines.entries()) {
    if ([...whole, line].join("\n").length <= maxChars) {
      whole.push(line);
      continue;
    }
    const before = index === 0 ? "" : `${whole.join("\n")}\n`;
    const room = maxChars - before.length;
    const alone = index === 0 && room === 1 ? 2 : room - 1;
    const shown = isInsidePair(line, room) ? alone : room;
    if (index > 0 && (shown <= 0 || line.length <= maxChars)) break;
    const read = { text: before + line.slice(0, shown), startLine, endLine: startLine + index };
    if (shown >= line.length) return read;
    const cut = { line: startLine + index, shownChars: shown, lineChars: line.length };
    return { ...read, cut };
  }
  return { text: whole.join("\n"), startLine, endLine: startLine + whole.length - 1 };
}
describe("readLines", () => {
  it("gives what a naive split gives, whatever the text, the range and the cap", async () => {
    await fc.assert(
      fc.asyncProperty(
        nonEmptyText,
        anyCuts,
        tinyDistance,
        fc.nat(),
        fc.nat({ max: 12 }),
        fc.integer({ min: 1, max: 60 }),
        async (content, cuts, distance, place, more, maxChars) => {
          const text = indexed(encodeInParts(content, cuts), distance);
          const startLine = 1 + (place % text.index.lines);
          const endLine = startLine + more;
          const read = await readLines(text, { startLine, endLine, maxChars });
          expect(read).toEqual(naiveLines(content, startLine, endLine, maxChars));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("gives the whole text in consecutive reads", async () => {
    await fc.assert(
      fc.asyncProperty(nonEmptyText, tinyDistance, async (content, distance) => {
        const text = indexed(content, distance);
        const parts: string[] = [];
        for (let startLine = 1; startLine <= text.index.lines;) {
          const endLine = startLine + 2;
          const read = await readLines(text, { startLine, endLine, maxChars: 10_000 });
          parts.push(read.text);
          startLine = read.endLine + 1;
        }
        expect(parts.join("\n")).toBe(content.replace(/\n$/, ""));
      }),
    );
  });

  it("keeps a carriage return and drops only the last line break", async () => {
    const text = indexed("a\r\n\r\nb\r\n\n");
    expect(await readLines(text, { startLine: 1, endLine: 9, maxChars: 99 })).toEqual({
      text: "a\r\n\r\nb\r\n",
      startLine: 1,
      endLine: 4,
    });
  });

  it("takes along a line that just fits", async () => {
    const text = indexed("ab\ncd\nef\n");
    const linesIn = async (maxChars: number): Promise<number> =>
      (await readLines(text, { startLine: 1, endLine: 3, maxChars })).endLine;
    expect(await Promise.all([2, 4, 5, 7, 8].map(linesIn))).toEqual([1, 1, 2, 2, 3]);
  });

  it("cuts a first line that is too long, never inside of a pair", async () => {
    const text = indexed("ab😀cd\nnext");
    const read = await readLines(text, { startLine: 1, endLine: 2, maxChars: 3 });
    expect(read).toEqual({
      text: "ab",
      startLine: 1,
      endLine: 1,
      cut: { line: 1, shownChars: 2, lineChars: 6 },
    });
    const pair = await readLines(indexed("😀"), { startLine: 1, endLine: 1, maxChars: 1 });
    expect(pair).toEqual({ text: "😀", startLine: 1, endLine: 1 });
  });

  it("does not stop before a long line, and goes on inside of it", async () => {
    const text = indexed(`short\n${"x".repeat(50)}\nend`);
    const request = { startLine: 1, endLine: 3, maxChars: 20 };
    const read = await readLines(text, request);
    expect(read.text).toBe(`short\n${"x".repeat(14)}`);
    expect(read.cut).toEqual({ line: 2, shownChars: 14, lineChars: 50 });
    const rest = { ...request, startLine: 2, startChar: 15, maxChars: 40 };
    expect(await readLines(text, rest)).toEqual({
      text: `${"x".repeat(36)}\nend`,
      startLine: 2,
      endLine: 3,
    });
    await expect(readLines(text, { ...rest, startChar: 51 })).rejects.toMatchObject({
      range: { start: 51, count: 50, owner: "line 2" },
    });
  });

  it("leaves a line of ordinary length whole for the next read", async () => {
    const line = "y".repeat(400);
    const text = indexed(`${line}\n${line}\n${line}`);
    const read = await readLines(text, { startLine: 1, endLine: 3, maxChars: 1_000 });
    expect(read).toEqual({ text: `${line}\n${line}`, startLine: 1, endLine: 2 });
  });

  it("is bounded on bytes that are not text", async () => {
    const text = indexed(new Uint8Array(1_000_000).fill(0x80));
    const read = await readLines(text, { startLine: 1, endLine: 1, maxChars: 10 });
    expect(read.text).toMatch(/^\ufffd+$/);
    expect(read.text.length).toBeLessThan(70_000);
  });
});
describe("readLines refuses", () => {
  const text = indexed("line\n".repeat(3_412));
  const read = (startLine: number, endLine: number, maxChars = 100): Promise<unknown> =>
    readLines(text, { startLine, endLine, maxChars });

  it.each([
    [4_000, 4_100],
    [0, 5],
    [-7, 5],
    [20, 10],
  ])("lines %i to %i and says what there is", async (start, end) => {
    const error = await read(start, end).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TextRangeError);
    expect(error).toMatchObject({ range: { start, end, count: 3_412, unit: "line" } });
  });

  it("any line of an empty text", async () => {
    const reading = readLines(indexed(""), { startLine: 1, endLine: 1, maxChars: 9 });
    await expect(reading).rejects.toMatchObject({ range: { count: 0 } });
  });

  it("numbers that are not whole, and a cap that lets nothing through", async () => {
    for (const reading of [read(1.5, 2), read(1, Infinity), read(NaN, 2), read(1, 2, 0)]) {
      await expect(reading).rejects.toBeInstanceOf(ArgumentError);
    }
  });

  it("an index of other bytes, and a source that is shorter than it says", async () => {
    const request = { startLine: 1, endLine: 2, maxChars: 100 };
    const other = { source: memorySource(new Uint8Array(5)), index: text.index };
    await expect(readLines(other, request)).rejects.toMatchObject({
      argument: "text.index.bytes",
      received: 17_060,
    });
    const short = { source: { ...other.source, size: text.index.bytes }, index: text.index };
    await expect(readLines(short, request)).rejects.toMatchObject({ endedAt: 5, end: 17_060 });
  });

  it("to go on when the signal says so", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    const reading = readLines(text, { startLine: 1, endLine: 2, maxChars: 100, signal });
    await expect(reading).rejects.toThrow("enough");
  });
});

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
      lastChar: SIZE - 1,
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

const anyLength = fc.integer({ min: 1, max: 40 });
/** What a reader would give that holds the whole text in memory. */
function naiveChars(text: string, { startChar, endChar, maxChars }: CharsRequest): CharsRead {
  const start = isInsidePair(text, startChar - 1) ? startChar - 2 : startChar - 1;
  const endAt = (end: number): number =>
    isInsidePair(text, end) ? end + (end - 1 > start ? -1 : 1) : end;
  const last = Math.min(endChar, text.length);
  const end = endAt(Math.min(last, start + maxChars));
  const place = { startChar: start + 1, endChar: end, lastChar: endAt(last) };
  return { text: text.slice(start, end), ...place };
}
describe("readChars", () => {
  it("gives the units that were asked for, and no half of a pair", async () => {
    await fc.assert(
      fc.asyncProperty(
        nonEmptyText,
        anyCuts,
        tinyDistance,
        fc.nat(),
        anyLength,
        anyLength,
        async (content, cuts, distance, place, length, maxChars) => {
          const text = indexed(encodeInParts(content, cuts), distance);
          const startChar = 1 + (place % content.length);
          const request = { startChar, endChar: startChar + length - 1, maxChars };
          expect(await readChars(text, request)).toEqual(naiveChars(content, request));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("gives the whole text in consecutive reads", async () => {
    await fc.assert(
      fc.asyncProperty(
        nonEmptyText,
        anyCuts,
        tinyDistance,
        fc.integer({ min: 1, max: 9 }),
        async (content, cuts, distance, maxChars) => {
          const text = indexed(encodeInParts(content, cuts), distance);
          let joined = "";
          while (joined.length < content.length) {
            const startChar = joined.length + 1;
            const read = await readChars(text, { startChar, endChar: content.length, maxChars });
            expect(read.startChar).toBe(startChar);
            joined += read.text;
            expect(read.endChar).toBe(joined.length);
          }
          expect(joined).toBe(content);
        },
      ),
    );
  });

  it.each([
    [9, 12],
    [0, 2],
    [3, 2],
  ])("refuses %i to %i and says what there is", async (start, end) => {
    const request = { startChar: start, endChar: end, maxChars: 10 };
    const reading = readChars(indexed("a😀b"), request);
    const range = { start, end, count: 4, unit: "character", owner: "the text" };
    await expect(reading).rejects.toMatchObject({ range });
  });

  it("refuses numbers that are not whole", async () => {
    const reading = readChars(indexed("abc"), { startChar: 1, endChar: 2.5, maxChars: 10 });
    await expect(reading).rejects.toMatchObject({ argument: "endChar" });
  });
});
describe("readLineChars", () => {
  it("counts inside of the line", async () => {
    await fc.assert(
      fc.asyncProperty(
        nonEmptyText.filter((text) => /[^\n]/.test(text)),
        tinyDistance,
        fc.nat(),
        fc.nat(),
        anyLength,
        anyLength,
        async (content, distance, which, place, length, maxChars) => {
          const lines = [...splitLines(content).entries()].filter(([, line]) => line !== "");
          const [number, line] = lines[which % lines.length] ?? [0, ""];
          const startChar = 1 + (place % line.length);
          const request = { startChar, endChar: startChar + length - 1, maxChars };
          const text = indexed(content, distance);
          expect(await readLineChars(text, { ...request, line: number + 1 })).toEqual({
            ...naiveChars(line, request),
            line: number + 1,
            lineChars: line.length,
          });
        },
      ),
      { numRuns: 300 },
    );
  });

  it("goes on where a line was cut", async () => {
    const text = indexed("short\n" + "x".repeat(200_000) + "end\nlast", 1_000);
    const request = { line: 2, startChar: 200_001, endChar: 999_999, maxChars: 50 };
    expect(await readLineChars(text, request)).toEqual({
      text: "end",
      line: 2,
      startChar: 200_001,
      endChar: 200_003,
      lastChar: 200_003,
      lineChars: 200_003,
    });
  });

  it("refuses a line or a column that is not there", async () => {
    const text = indexed("abc\n\nd");
    const range = { startChar: 1, endChar: 2, maxChars: 10 };
    const refused = async (request: object) => {
      const reading = readLineChars(text, { ...range, line: 1, ...request });
      return (await reading.catch((error: unknown) => error)) as { range: object };
    };
    const line = { names: ["line"], count: 3, unit: "line" };
    expect((await refused({ line: 4 })).range).toMatchObject({ ...line, start: 4 });
    expect((await refused({ line: 0 })).range).toMatchObject({ ...line, start: 0 });
    expect((await refused({ line: 2 })).range).toMatchObject({ owner: "line 2", count: 0 });
    const past = { startChar: 4, endChar: 5 };
    expect((await refused(past)).range).toMatchObject({ owner: "line 1", count: 3 });
  });
});
