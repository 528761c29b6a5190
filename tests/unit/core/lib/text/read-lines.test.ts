import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArgumentError, TextRangeError } from "../../../../../src/core/lib/text/text-range.js";
import { readLines, type LinesRead } from "../../../../../src/core/lib/text/read-text.js";
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
