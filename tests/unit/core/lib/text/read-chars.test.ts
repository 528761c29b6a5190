import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  readChars,
  readLineChars,
  type CharsRead,
  type CharsRequest,
} from "../../../../../src/core/lib/text/read-text.js";
import {
  anyCuts,
  anyText,
  encodeInParts,
  indexed,
  isInsidePair,
  splitLines,
  tinyDistance,
} from "./texts.js";

const nonEmptyText = anyText.filter((text) => text !== "");
const anyLength = fc.integer({ min: 1, max: 40 });

/** What a reader would give that holds the whole text in memory. */
function naiveChars(text: string, { startChar, endChar, maxChars }: CharsRequest): CharsRead {
  const start = isInsidePair(text, startChar - 1) ? startChar - 2 : startChar - 1;
  let end = Math.min(endChar, text.length, start + maxChars);
  if (isInsidePair(text, end)) end += end - 1 > start ? -1 : 1;
  return { text: text.slice(start, end), startChar: start + 1, endChar: end };
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
