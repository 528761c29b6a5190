import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../../../../src/index.js";
import { rejectionOf } from "../../../../support/rejection.js";
import { followAll, joinReadings } from "../../../../support/follow-readings.js";
import { memoryWorkspaceOf, openMemoryWorkspace } from "../../../../support/memory-workspace.js";

const numbered = (count: number) =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n");

describe("a reading by lines", () => {
  it("has one shape: text, range of how much, what was left out, how to go on", async () => {
    const workspace = await memoryWorkspaceOf(numbered(10), { sessionId: "s1" });
    const reading = await workspace.getKnowledgeByLines("a", 3, 5, { maxChars: 14 });
    expect(reading).toEqual({
      artifactId: "a",
      sessionId: "s1",
      view: "readable",
      text: "line 3\nline 4",
      range: { unit: "lines", from: 3, to: 4, of: 10 },
      leftOut: { unit: "lines", count: 1 },
      next: {
        tool: "get_knowledge_by_lines",
        input: { artifact_id: "a", start_line: 5, end_line: 5 },
      },
      note: undefined,
    });
    const whole = await workspace.getKnowledgeByLines("a", 3, 4);
    expect(whole).toEqual({ ...reading, leftOut: undefined, next: undefined });
  });

  it("an end past the end is the end", async () => {
    const workspace = await memoryWorkspaceOf(numbered(3));
    expect(await workspace.getKnowledgeByLines("a", 2, 99)).toMatchObject({
      text: "line 2\nline 3",
      range: { from: 2, to: 3, of: 3 },
      leftOut: undefined,
      next: undefined,
    });
  });

  it.each([
    ["line 0", 0, 2, /counted from 1; the text has 3 lines/],
    ["a start after the end", 3, 2, /endLine 2 is before startLine 3; the text has 3 lines/],
    ["a start past the end", 4, 9, /the text has 3 lines.*from 1 to 3/],
    ["a negative line", -1, 2, /counted from 1/],
  ])("%s is refused with how many lines there are", async (_, start, end, message) => {
    const workspace = await memoryWorkspaceOf(numbered(3));
    const error = await rejectionOf(workspace.getKnowledgeByLines("a", start, end));
    expect(error.code).toBe("OUT_OF_RANGE");
    expect(error.message).toMatch(message);
  });

  it.each([
    ["startLine", [1.5, 2]],
    ["endLine", [1, NaN]],
    ["startLine", ["1", 2]],
  ])("a %s that is not a whole number is refused", async (argument, [start, end]) => {
    const workspace = await memoryWorkspaceOf(numbered(3));
    const reading = workspace.getKnowledgeByLines("a", start as number, end as number);
    expect(await rejectionOf(reading)).toMatchObject({ code: "INVALID_ARGUMENT", argument });
  });

  it.each([
    ["maxChars", { maxChars: 0 }],
    ["view", { view: "html" as "raw" }],
  ])("a wrong %s is refused", async (argument, options) => {
    const workspace = await memoryWorkspaceOf(numbered(3));
    const error = await rejectionOf(workspace.getKnowledgeById("a", options));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument });
  });

  it("an empty artifact says that it is empty", async () => {
    const workspace = await memoryWorkspaceOf("");
    expect(await workspace.getKnowledgeById("a")).toMatchObject({
      text: "",
      range: { unit: "lines", from: 0, to: 0, of: 0 },
      leftOut: undefined,
      next: undefined,
    });
    const error = await rejectionOf(workspace.getKnowledgeByLines("a", 1, 1));
    expect(error.message).toContain("the text is empty");
    const chars = await rejectionOf(workspace.getKnowledgeById("a", { startChar: 1 }));
    expect(chars.code).toBe("OUT_OF_RANGE");
  });
});

describe("a reading by id", () => {
  it("is capped at 20,000 characters unless told", async () => {
    const workspace = await memoryWorkspaceOf(numbered(10_000));
    const { text, range, leftOut } = await workspace.getKnowledgeById("a");
    expect(text.length).toBeLessThanOrEqual(DEFAULTS.readChars);
    expect(text).toBe(numbered(range.to));
    expect(text.length + `\nline ${range.to + 1}`.length).toBeGreaterThan(20_000);
    expect(leftOut).toEqual({ unit: "lines", count: 10_000 - range.to });
  });

  it("gives a range of characters, and says how to go on", async () => {
    const workspace = await memoryWorkspaceOf("0123456789\nabcdef");
    expect(
      await workspace.getKnowledgeById("a", { startChar: 9, endChar: 15, maxChars: 4 }),
    ).toMatchObject({
      text: "89\na",
      range: { unit: "chars", from: 9, to: 12, of: 17 },
      leftOut: { unit: "chars", count: 3 },
      next: {
        tool: "get_knowledge_by_id",
        input: { artifact_id: "a", start_char: 13, end_char: 15 },
      },
    });
  });

  it("a start past the end says how many characters there are", async () => {
    const workspace = await memoryWorkspaceOf("0123456789");
    const error = await rejectionOf(workspace.getKnowledgeById("a", { startChar: 50 }));
    expect(error.message).toMatch(/startChar 50 .*the text has 10 characters.*from 1 to 10/);
  });
});

/** Texts of all kinds, of which some have lines longer than what one reading gives. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc.string({ unit: fc.constantFrom("a", "é", "漢", "😀", "\ud800", "\udc00", "\r", "\0") }),
      fc.constantFrom("", "x".repeat(70), "😀".repeat(40)),
    ),
    { maxLength: 12 },
  )
  .map((lines) => lines.join("\n"));
const anyCap = fc.integer({ min: 1, max: 90 });

describe("following next", () => {
  const withoutLastBreak = (text: string) => (text.endsWith("\n") ? text.slice(0, -1) : text);

  it("property: from the start, it reads the whole text and ends", async () => {
    const workspace = openMemoryWorkspace();
    await fc.assert(
      fc.asyncProperty(anyText, anyCap, async (content, maxChars) => {
        const { record } = await workspace.put({ content }, { sessionId: "default" });
        const options = { maxChars };
        const first = await workspace.getKnowledgeById(record.artifactId, options);
        const readings = await followAll(workspace, first, options);
        expect(joinReadings(readings)).toBe(withoutLastBreak(content));
        for (const { text } of readings) {
          // A pair that is all there is to give is given whole.
          expect(text.length).toBeLessThanOrEqual(Math.max(maxChars, 2));
        }
        for (const { leftOut, next } of readings) expect(leftOut === undefined).toBe(!next);
      }),
      { numRuns: 150 },
    );
  });

  it("property: by characters, it reads the whole text exactly", async () => {
    const workspace = openMemoryWorkspace();
    await fc.assert(
      fc.asyncProperty(
        anyText.filter((text) => text !== ""),
        anyCap,
        async (content, maxChars) => {
          const { record } = await workspace.put({ content }, { sessionId: "default" });
          const first = await workspace.getKnowledgeById(record.artifactId, {
            startChar: 1,
            maxChars,
          });
          const readings = await followAll(workspace, first, { maxChars });
          expect(readings.map(({ text }) => text).join("")).toBe(content);
        },
      ),
      { numRuns: 100 },
    );
  });

  it.each([2, 4, 1_000])("by characters, it gives no more than was asked for: %d", async (most) => {
    const workspace = await memoryWorkspaceOf("ab😀cd");
    const options = { startChar: 1, endChar: 3, maxChars: most };
    for (const first of [
      await workspace.getKnowledgeById("a", options),
      await workspace.getKnowledgeByLines("a", 1, 1, options),
    ]) {
      const readings = await followAll(workspace, first, { maxChars: most });
      expect(readings.map(({ text }) => text).join("")).toBe("ab");
    }
  });
});

const LONG = Array.from({ length: 10_000 }, (_, at) => `<${at}>`).join("");
const TEXT = `first\n${LONG}\nlast but one\nlast`;

describe("a line that is longer than the cap", () => {
  it("is cut, and next goes on inside of it and then behind it", async () => {
    const workspace = await memoryWorkspaceOf(TEXT);
    const reading = await workspace.getKnowledgeByLines("a", 2, 4, { maxChars: 1_000 });
    expect(reading).toMatchObject({
      text: LONG.slice(0, 1_000),
      range: { unit: "lines", from: 2, to: 2, of: 4 },
      leftOut: { unit: "chars", count: LONG.length - 1_000 },
      next: {
        tool: "get_knowledge_by_lines",
        input: { artifact_id: "a", start_line: 2, end_line: 4, start_char: 1_001 },
      },
    });
    expect(reading.note).toBe("Line 2 goes on, and lines 3 to 4 follow.");
    const readings = await followAll(workspace, reading, { maxChars: 1_000 });
    expect(joinReadings(readings)).toBe(`${LONG}\nlast but one\nlast`);
    expect(readings).toHaveLength(Math.ceil((LONG.length + 18) / 1_000));
  });

  it("alone, says nothing of lines behind it", async () => {
    const workspace = await memoryWorkspaceOf(TEXT);
    const reading = await workspace.getKnowledgeByLines("a", 2, 2, { maxChars: 1_000 });
    expect(reading.note).toBeUndefined();
    expect(reading.next?.input).toMatchObject({ start_line: 2, end_line: 2 });
    const readings = await followAll(workspace, reading, { maxChars: 30_000 });
    expect(joinReadings(readings)).toBe(LONG);
  });

  it("within the default cap, one reading after the other", async () => {
    const workspace = await memoryWorkspaceOf(`${LONG}\n`.repeat(3));
    const readings = await followAll(workspace, await workspace.getKnowledgeById("a"));
    expect(joinReadings(readings)).toBe([LONG, LONG, LONG].join("\n"));
    for (const { text } of readings) expect(text.length).toBeLessThanOrEqual(20_000);
  });

  it("is read by a range of its characters", async () => {
    const workspace = await memoryWorkspaceOf(TEXT);
    const range = { startChar: 101, endChar: 150 };
    expect(await workspace.getKnowledgeByLines("a", 2, 2, range)).toEqual({
      artifactId: "a",
      sessionId: "default",
      view: "readable",
      text: LONG.slice(100, 150),
      range: { unit: "chars", from: 101, to: 150, of: LONG.length },
      leftOut: undefined,
      next: undefined,
      note: undefined,
    });
    const capped = await workspace.getKnowledgeByLines("a", 2, 2, { ...range, maxChars: 20 });
    expect(capped).toMatchObject({
      text: LONG.slice(100, 120),
      leftOut: { unit: "chars", count: 30 },
      next: { input: { start_line: 2, end_line: 2, start_char: 121, end_char: 150 } },
    });
    const readings = await followAll(workspace, capped, { maxChars: 20 });
    expect(joinReadings(readings)).toBe(LONG.slice(100, 150));
  });

  it("never splits a character, and gives each once", async () => {
    const workspace = await memoryWorkspaceOf("😀".repeat(50));
    const first = await workspace.getKnowledgeByLines("a", 1, 1, { maxChars: 7 });
    const readings = await followAll(workspace, first, { maxChars: 7 });
    expect(readings.map(({ text }) => text).join("")).toBe("😀".repeat(50));
    for (const { text } of readings) expect(text).toMatch(/^(?:😀)+$/u);
  });

  it.each([
    ["a start past the line's end", 2, 2, { startChar: LONG.length + 1 }, "line 2 has"],
    ["character 0", 2, 2, { startChar: 0 }, "counted from 1"],
    [
      "a start after the end",
      2,
      2,
      { startChar: 9, endChar: 3 },
      "endChar 3 is before startChar 9",
    ],
    ["a line past the end", 9, 9, { startChar: 1 }, "startLine 9 to endLine 9"],
  ])("%s is refused with what there is", async (_, start, end, range, message) => {
    const workspace = await memoryWorkspaceOf(TEXT);
    const error = await rejectionOf(workspace.getKnowledgeByLines("a", start, end, range));
    expect(error.code).toBe("OUT_OF_RANGE");
    expect(error.message).toContain(message);
    expect(error.message).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });

  it("endChar needs a single line", async () => {
    const workspace = await memoryWorkspaceOf(TEXT);
    const error = await rejectionOf(workspace.getKnowledgeByLines("a", 1, 2, { endChar: 5 }));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "endLine" });
  });
});
