import { describe, expect, it } from "vitest";
import { rejectionOf } from "../../support/rejection.js";
import { followAll, joinReadings, workspaceOf } from "./open-workspace.js";

const LONG = Array.from({ length: 10_000 }, (_, at) => `<${at}>`).join("");
const TEXT = `first\n${LONG}\nlast but one\nlast`;

describe("a line that is longer than the cap [DESIGN-W-read-long-line]", () => {
  it("is cut, and next goes on inside of it and then behind it", async () => {
    const workspace = await workspaceOf(TEXT);
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
    expect(reading.note).toMatch(/Line 2 is longer.*lines 3 to 4 come after it/);
    const readings = await followAll(workspace, reading, { maxChars: 1_000 });
    expect(joinReadings(readings)).toBe(`${LONG}\nlast but one\nlast`);
    expect(readings).toHaveLength(Math.ceil(LONG.length / 1_000) + 1);
  });

  it("alone, says nothing of lines behind it", async () => {
    const workspace = await workspaceOf(TEXT);
    const reading = await workspace.getKnowledgeByLines("a", 2, 2, { maxChars: 1_000 });
    expect(reading.note).not.toContain("come after");
    expect(reading.next?.input).toMatchObject({ start_line: 2, end_line: 2 });
    const readings = await followAll(workspace, reading, { maxChars: 30_000 });
    expect(joinReadings(readings)).toBe(LONG);
  });

  it("within the default cap, one reading after the other", async () => {
    const workspace = await workspaceOf(`${LONG}\n`.repeat(3));
    const readings = await followAll(workspace, await workspace.getKnowledgeById("a"));
    expect(joinReadings(readings)).toBe([LONG, LONG, LONG].join("\n"));
    for (const { text } of readings) expect(text.length).toBeLessThanOrEqual(20_000);
  });

  it("is read by a range of its characters", async () => {
    const workspace = await workspaceOf(TEXT);
    const range = { startChar: 101, endChar: 150 };
    expect(await workspace.getKnowledgeByLines("a", 2, 2, range)).toEqual({
      artifactId: "a",
      sessionId: "default",
      view: "readable",
      text: LONG.slice(100, 150),
      range: { unit: "chars", from: 101, to: 150, of: LONG.length },
      leftOut: undefined,
      next: undefined,
      note: "These are characters of line 2.",
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
    const workspace = await workspaceOf("😀".repeat(50));
    const first = await workspace.getKnowledgeByLines("a", 1, 1, { maxChars: 7 });
    const readings = await followAll(workspace, first, { maxChars: 7 });
    expect(readings.map(({ text }) => text).join("")).toBe("😀".repeat(50));
    for (const { text } of readings) expect(text).toMatch(/^(?:😀)+$/u);
  });

  it.each([
    ["a start past the line's end", 2, 2, { startChar: LONG.length + 1 }, "line 2 has"],
    ["character 0", 2, 2, { startChar: 0 }, "counted from 1"],
    ["a start after the end", 2, 2, { startChar: 9, endChar: 3 }, "start is after the end"],
    ["a line past the end", 9, 9, { startChar: 1 }, "startLine 9 to endLine 9"],
  ])("%s is refused with what there is", async (_, start, end, range, message) => {
    const workspace = await workspaceOf(TEXT);
    const error = await rejectionOf(workspace.getKnowledgeByLines("a", start, end, range));
    expect(error.code).toBe("OUT_OF_RANGE");
    expect(error.message).toContain(message);
    expect(error.message).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });

  it("endChar needs a single line", async () => {
    const workspace = await workspaceOf(TEXT);
    const error = await rejectionOf(workspace.getKnowledgeByLines("a", 1, 2, { endChar: 5 }));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "endLine" });
  });
});

describe("a match on a long line [DESIGN-W-search-window]", () => {
  const needle = (before: number, after: number) =>
    `head\n${"x".repeat(before)}NEEDLE${"y".repeat(after)}\ntail`;

  it.each([
    ["in the middle", 300_000, 349_000],
    ["at the start", 0, 649_000],
    ["at the end", 649_000, 0],
  ])("%s is a window with its column", async (_, before, after) => {
    const workspace = await workspaceOf(needle(before, after));
    const { text, range } = await workspace.grepKnowledge("a", "NEEDLE");
    expect(range).toEqual({ unit: "matches", from: 1, to: 1, of: 1 });
    expect(text.length).toBeLessThan(500);
    const [, line, from, to, of, column, shown = ""] =
      /^(\d+):\[characters (\d+)-(\d+) of (\d+), match at (\d+)\] (.*)$/.exec(text) ?? [];
    expect([line, of, column].map(Number)).toEqual([2, before + after + 6, before + 1]);
    expect(shown).toContain("NEEDLE");
    const { text: read } = await workspace.getKnowledgeByLines("a", 2, 2, {
      startChar: Number(from),
      endChar: Number(to),
    });
    expect(read).toBe(shown);
    const exact = { startChar: Number(column), endChar: Number(column) + 5 };
    expect((await workspace.getKnowledgeByLines("a", 2, 2, exact)).text).toBe("NEEDLE");
  });

  it("beside a match, a long line is cut and says how long it is", async () => {
    const workspace = await workspaceOf(needle(100_000, 0));
    const { text } = await workspace.grepKnowledge("a", "head|tail", {
      contextBefore: 1,
      contextAfter: 1,
    });
    expect(text.length).toBeLessThan(2_000);
    expect(text).toMatch(/^1:head\n2-x+ \[… 100006 characters\]\n--\n2-x+ .*\n3:tail$/);
  });
});
