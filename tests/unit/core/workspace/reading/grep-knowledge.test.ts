import { describe, expect, it } from "vitest";
import { followAll } from "../../../../support/follow-readings.js";
import { memoryWorkspaceOf } from "../../../../support/memory-workspace.js";
import { rejectionOf } from "../../../../support/rejection.js";

const BIG = "some words on a line\n".repeat(100_000);
const TEXT = ["alpha", "Beta", "gamma (1)", "delta", "beta", "épsilon", "zeta"].join("\n");

describe("a search", () => {
  it("answers with lines and their numbers, in the one shape of readings", async () => {
    const workspace = await memoryWorkspaceOf(TEXT, { sessionId: "s1" });
    expect(await workspace.grepKnowledge("a", "^.eta$")).toEqual({
      artifactId: "a",
      sessionId: "s1",
      view: "readable",
      text: "2:Beta\n5:beta\n7:zeta",
      range: { unit: "matches", from: 1, to: 3, of: 3 },
      leftOut: undefined,
      next: undefined,
      note: undefined,
    });
  });

  it("shows the lines around a match", async () => {
    const workspace = await memoryWorkspaceOf(TEXT);
    const before = await workspace.grepKnowledge("a", "gamma|zeta", { contextBefore: 1 });
    expect(before.text).toBe("2-Beta\n3:gamma (1)\n--\n6-épsilon\n7:zeta");
    const after = await workspace.grepKnowledge("a", "gamma|zeta", { contextAfter: 2 });
    expect(after.text).toBe("3:gamma (1)\n4-delta\n5-beta\n--\n7:zeta");
  });

  it("can overlook capital letters, and can take the pattern as it stands", async () => {
    const workspace = await memoryWorkspaceOf(TEXT);
    const grep = async (pattern: string, options = {}) =>
      (await workspace.grepKnowledge("a", pattern, options)).text;
    expect(await grep("BETA", { ignoreCase: true })).toBe("2:Beta\n5:beta");
    expect(await grep("ÉPS", { ignoreCase: true })).toBe("6:épsilon");
    expect(await grep("a (1)", { literal: true })).toBe("3:gamma (1)");
    expect(await grep("a (1)")).toBe("");
    expect(await grep("A (1)", { literal: true, ignoreCase: true })).toBe("3:gamma (1)");
    expect(await grep("$&", { literal: true })).toBe("");
  });

  it("says when nothing matches, in an empty artifact too", async () => {
    for (const content of [TEXT, ""]) {
      const workspace = await memoryWorkspaceOf(content);
      expect(await workspace.grepKnowledge("a", "nothing")).toMatchObject({
        text: "",
        range: { unit: "matches", from: 0, to: 0, of: 0 },
        next: undefined,
        note: "No match.",
      });
    }
  });

  it.each([
    ["a group that is not closed", "(a", {}],
    ["a range out of order", "[b-a]", {}],
    ["a repetition of nothing", "*", {}],
  ])("%s is refused, with what to do", async (_, pattern, options) => {
    const workspace = await memoryWorkspaceOf(TEXT);
    const error = await rejectionOf(workspace.grepKnowledge("a", pattern, options));
    expect(error.code).toBe("INVALID_PATTERN");
    expect(error.message).toContain(JSON.stringify(pattern));
    expect(error.message).toContain("literal: true");
  });

  it.each([
    ["pattern", "", {}],
    ["contextBefore", "a", { contextBefore: -1 }],
    ["contextAfter", "a", { contextAfter: 0.5 }],
    ["maxResults", "a", { maxResults: 0 }],
    ["startLine", "a", { startLine: 0 }],
    ["deadlineMs", "a", { deadlineMs: -5 }],
  ])("a wrong %s is refused", async (argument, pattern, options) => {
    const workspace = await memoryWorkspaceOf(TEXT);
    const error = await rejectionOf(workspace.grepKnowledge("a", pattern, options));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument });
  });

  it("from a line past the end says how many lines there are", async () => {
    const workspace = await memoryWorkspaceOf(TEXT);
    expect((await workspace.grepKnowledge("a", "beta", { startLine: 3 })).text).toBe("5:beta");
    const error = await rejectionOf(workspace.grepKnowledge("a", "beta", { startLine: 8 }));
    expect(error.code).toBe("OUT_OF_RANGE");
    expect(error.message).toContain("the text has 7 lines");
  });
});

describe("a search with more matches than fit", () => {
  const many = Array.from({ length: 500 }, (_, at) => `item ${at + 1}${at % 2 ? " even" : ""}`);
  const even = many.flatMap((line, at) => (at % 2 ? [`${at + 1}:${line}`] : []));

  it("shows 50 unless told, counts all, and goes on where it stopped", async () => {
    const workspace = await memoryWorkspaceOf(many.join("\n"));
    const first = await workspace.grepKnowledge("a", "EVEN", { ignoreCase: true, literal: true });
    expect(first).toMatchObject({
      text: even.slice(0, 50).join("\n"),
      range: { unit: "matches", from: 1, to: 50, of: 250 },
      leftOut: { unit: "matches", count: 200 },
      next: {
        tool: "grep_knowledge",
        input: {
          artifact_id: "a",
          pattern: "EVEN",
          start_line: 101,
          ignore_case: true,
          literal: true,
        },
      },
    });
    const readings = await followAll(workspace, first);
    expect(readings.map(({ text }) => text).join("\n")).toBe(even.join("\n"));
  });

  it("goes on with as many results as were asked for", async () => {
    const workspace = await memoryWorkspaceOf(many.join("\n"));
    const first = await workspace.grepKnowledge("a", "even$", { maxResults: 100, view: "raw" });
    const readings = await followAll(workspace, first);
    expect(readings.map(({ range }) => range.to)).toEqual([100, 100, 50]);
    expect(readings.map(({ view }) => view)).toEqual(["raw", "raw", "raw"]);
    expect(readings.map(({ text }) => text).join("\n")).toBe(even.join("\n"));
  });

  it("is capped by characters as well", async () => {
    const workspace = await memoryWorkspaceOf(many.join("\n"));
    const options = { maxChars: 60 };
    const first = await workspace.grepKnowledge("a", "even", options);
    expect(first.leftOut).toEqual({ unit: "matches", count: 250 - first.range.to });
    const readings = await followAll(workspace, first, options);
    expect(readings.map(({ text }) => text).join("\n")).toBe(even.join("\n"));
    for (const { text } of readings) expect(text.length).toBeLessThanOrEqual(60);
  });

  it("shows the match and the lines next to it where all around it do not fit", async () => {
    const workspace = await memoryWorkspaceOf(many.join("\n"));
    const around = { contextBefore: 200, contextAfter: 200, maxChars: 100 };
    const { text, note, next } = await workspace.grepKnowledge("a", "item 250 |item 260 ", around);
    expect(text).toContain("249-item 249\n250:item 250 even\n251-item 251");
    expect(text.length).toBeLessThanOrEqual(100);
    expect(note).toContain("lines next to the match");
    expect(next?.input).toMatchObject({ start_line: 251, context_before: 200, context_after: 200 });
  });
});

describe("a match on a long line", () => {
  const needle = (before: number, after: number) =>
    `head\n${"x".repeat(before)}NEEDLE${"y".repeat(after)}\ntail`;

  it.each([
    ["in the middle", 300_000, 349_000],
    ["at the start", 0, 649_000],
    ["at the end", 649_000, 0],
  ])("%s is a window with its column", async (_, before, after) => {
    const workspace = await memoryWorkspaceOf(needle(before, after));
    const { text, range } = await workspace.grepKnowledge("a", "NEEDLE");
    expect(range).toEqual({ unit: "matches", from: 1, to: 1, of: 1 });
    expect(text.length).toBeLessThan(500);
    const [, line, from, to, of, shown = ""] =
      /^(\d+):\[chars (\d+)-(\d+) of (\d+)\] (.*)$/.exec(text) ?? [];
    expect([line, of].map(Number)).toEqual([2, before + after + 6]);
    expect(shown).toContain("NEEDLE");
    expect(Number(from) + shown.indexOf("NEEDLE")).toBe(before + 1);
    const { text: read } = await workspace.getKnowledgeByLines("a", 2, 2, {
      startChar: Number(from),
      endChar: Number(to),
    });
    expect(read).toBe(shown);
  });

  it("beside a match, a long line is cut and says how long it is", async () => {
    const workspace = await memoryWorkspaceOf(needle(100_000, 0));
    const { text } = await workspace.grepKnowledge("a", "head|tail", {
      contextBefore: 1,
      contextAfter: 1,
    });
    expect(text.length).toBeLessThan(2_000);
    expect(text).toMatch(/^1:head\n2-x+ \[… 100006 chars\]\n--\n2-x+ .*\n3:tail$/);
  });
});

describe("what a search costs", () => {
  it("lines that could not be shown are not collected", async () => {
    const workspace = await memoryWorkspaceOf(`${BIG}${"needle\n".repeat(50)}`);
    const around = { contextBefore: 100_000, contextAfter: 100_000 };
    const { text, range, next } = await workspace.grepKnowledge("a", "needle", around);
    expect(text).toContain("100000-some words on a line\n100001:needle\n100002-needle");
    expect(text.length).toBeLessThanOrEqual(20_000);
    expect(range).toEqual({ unit: "matches", from: 1, to: 1, of: 50 });
    expect(next?.input).toMatchObject({ start_line: 100_002, context_before: 100_000 });
  });

  it("a pattern has a longest length", async () => {
    const workspace = await memoryWorkspaceOf("text");
    expect((await workspace.grepKnowledge("a", "t".repeat(10_000))).text).toBe("");
    const error = await rejectionOf(workspace.grepKnowledge("a", "t".repeat(10_001)));
    expect(error.code).toBe("INVALID_PATTERN");
    expect(error.message).toContain("10001 characters, and the limit is 10000");
    expect(error.message.length).toBeLessThan(400);
  });
});
