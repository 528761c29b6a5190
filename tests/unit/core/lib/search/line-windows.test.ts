import { describe, expect, it } from "vitest";
import { followAll } from "../../../../support/follow-readings.js";
import { memoryWorkspaceOf } from "../../../../support/memory-workspace.js";

/** One line with many matches, far enough apart that no window shows two. */
const spread = (count: number, apart = 1_000) =>
  Array.from({ length: count }, (_, at) => `<m${at}>${"x".repeat(apart)}`).join("");

const shownIn = (texts: readonly string[]) => texts.flatMap((text) => text.match(/<m\d+>/g) ?? []);
const all = (count: number) => Array.from({ length: count }, (_, at) => `<m${at}>`);

describe("several matches of one line", () => {
  it("show a line that is short once", async () => {
    const workspace = await memoryWorkspaceOf("needle needle needle\nneedle");
    const { text, range } = await workspace.grepKnowledge("a", "needle");
    expect(text).toBe("1:needle needle needle\n2:needle");
    expect(range.of).toBe(2);
  });

  it("show as many windows on a long line as are needed", async () => {
    const workspace = await memoryWorkspaceOf(`head\n${spread(5)}\n<m5>`);
    const { text, range, next } = await workspace.grepKnowledge("a", "<m");
    expect(shownIn([text])).toEqual(all(6));
    expect(text.split("\n").map((row) => row.slice(0, 8))).toEqual([
      ...Array<string>(5).fill("2:[chars"),
      "3:<m5>",
    ]);
    expect(range).toEqual({ unit: "matches", from: 1, to: 6, of: 6 });
    expect(next).toBeUndefined();
  });

  it("share a window where they are close", async () => {
    const workspace = await memoryWorkspaceOf(spread(9, 20) + "x".repeat(5_000));
    const { text } = await workspace.grepKnowledge("a", "<m");
    expect(shownIn([text])).toEqual(all(9));
    expect(text.split("\n")).toHaveLength(1);
  });

  it.each([
    ["a line that fits into memory", 1_224, 300, {}],
    ["a line of more than a megabyte", 300, 9_000, {}],
    ["few at a time", 30, 1_000, { maxResults: 4 }],
    ["few characters at a time", 30, 1_000, { maxChars: 900 }],
  ])("are counted and continued inside of the line: %s", async (_, count, apart, options) => {
    const workspace = await memoryWorkspaceOf(`${spread(count, apart)}\n<m${count}>`);
    const first = await workspace.grepKnowledge("a", "<m", options);
    expect(first.leftOut?.unit).toBe("matches");
    expect(first.next?.input).toMatchObject({ start_line: 1 });
    expect(first.next?.input["start_char"]).toBeGreaterThan(1);
    const texts: string[] = [];
    for (let reading = first; ;) {
      texts.push(reading.text);
      if (!reading.next) break;
      const { start_line, start_char } = reading.next.input;
      reading = await workspace.grepKnowledge("a", "<m", {
        ...options,
        startLine: Number(start_line),
        startChar: start_char === undefined ? undefined : Number(start_char),
      });
    }
    expect(shownIn(texts)).toEqual(all(count + 1));
  });

  it("that match the empty text come to an end", async () => {
    const workspace = await memoryWorkspaceOf("y".repeat(3_000));
    const reading = await workspace.grepKnowledge("a", "x*", { maxResults: 3 });
    expect(reading.range.to).toBe(3);
    expect((await followAll(workspace, reading, {})).length).toBeGreaterThan(0);
  });
});
