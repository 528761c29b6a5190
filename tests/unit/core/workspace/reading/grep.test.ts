import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../../../../src/index.js";
import { MemoryStore } from "../../../../../src/testing/index.js";
import { followAll } from "../../../../support/follow-readings.js";
import {
  memoryWorkspaceOf,
  openMemoryWorkspace,
  type MemoryOptions,
} from "../../../../support/memory-workspace.js";
import { rejectionOf } from "../../../../support/rejection.js";
import { followPrinted, toolRunner } from "../../../../support/run-tools.js";

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
    expect(error.message).toMatch(/escape what is to be found/);
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

  it("shows the first 25 and the last 25 unless told, counts all, and goes on where it stopped", async () => {
    const workspace = await memoryWorkspaceOf(many.join("\n"));
    const first = await workspace.grepKnowledge("a", "EVEN", { ignoreCase: true, literal: true });
    expect(first).toMatchObject({
      text: [...even.slice(0, 25), "[… 200 matches between …]", ...even.slice(-25)].join("\n"),
      range: { unit: "matches", from: 1, to: 50, of: 250 },
      leftOut: { unit: "matches", count: 200 },
      next: {
        tool: "grep_knowledge",
        input: {
          artifact_id: "a",
          pattern: "EVEN",
          start_line: 51,
          ignore_case: true,
          literal: true,
        },
      },
    });
    const [head, ...rest] = await followAll(workspace, first);
    const texts = [head?.text.split("\n").slice(0, 25).join("\n"), ...rest.map(({ text }) => text)];
    expect(texts.join("\n")).toBe(even.join("\n"));
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
    expect(text).toMatch(/^1:head\n2-x+ \[… 100006 chars\]\n3:tail$/);
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

  it("a pattern that is not valid is found as it stands in the text", async () => {
    const workspace = await memoryWorkspaceOf("one\nf(x[0\nthree");
    const found = await workspace.grepKnowledge("a", "f(x[0");
    expect(found.text).toBe("2:f(x[0");
    expect(found.note).toBe('Searched for "f(x[0" as plain text.');
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

async function openSession(contents: readonly string[], options: MemoryOptions = {}) {
  // A clock that stands still: a busy machine does not come to the deadline of a search.
  const workspace = openMemoryWorkspace({ clock: { elapsed: () => 0 }, ...options });
  for (const [index, content] of contents.entries()) {
    await workspace.put({ content }, { toolCallId: `id${index}`, sessionId: "s" });
  }
  return { workspace, run: toolRunner(workspace, { sessionId: "s" }) };
}
describe("a search without an id", () => {
  it("goes through all results of the session, newest first", async () => {
    const { workspace, run } = await openSession(["a needle", "nothing", "needle\nx\nneedles"]);
    await workspace.put({ content: "needle" }, { toolCallId: "foreign", sessionId: "t" });
    const { text } = await run("grep_knowledge", { pattern: "needle" });
    expect(text).toBe("[id2: 2 matches]\n1:needle\n3:needles\n[id0: 1 match]\n1:a needle");
  });

  it("with count, tells the number for each, and for one that is named", async () => {
    const { run } = await openSession(["a needle", "nothing", "needle\nx\nneedles"]);
    const input = { pattern: "needle", count: true };
    expect((await run("grep_knowledge", input)).text).toBe("id2: 2\nid0: 1");
    const one = await run("grep_knowledge", { ...input, artifact_id: "id2" });
    expect(one.text).toBe("id2: 2 matching lines");
  });

  it("is bounded, counts what is left and gives the call for it", async () => {
    const many = Array.from({ length: 80 }, (_, at) => `needle ${at}`).join("\n");
    const { run } = await openSession(["needle", many]);
    const { text } = await run("grep_knowledge", { pattern: "needle" });
    expect(text).toMatch(/^\[id1: 80 matches\]\n1:needle 0\n/);
    const call = '{"artifact_id":"id1","pattern":"needle","cursor":"line 51"}';
    expect(text).toContain(
      `50:needle 49\n[id0: 1 match]\n[31 matches left out. Next: grep_knowledge(${call})]`,
    );
  });

  it("stays within the cap, and continues with the older ones", async () => {
    const { run, workspace } = await openSession(
      Array.from({ length: 60 }, (_, at) => `needle ${at}`),
      { readChars: 300 },
    );
    const pages = await followPrinted(run, "grep_knowledge", { pattern: "needle", count: true });
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(page.length).toBeLessThan(500);
    const ids = pages.flatMap((page) => page.match(/^id\d+(?=: 1$)/gm) ?? []);
    expect(ids).toEqual(Array.from({ length: 60 }, (_, at) => `id${59 - at}`));
    const { text } = await workspace.grepSession("needle", { sessionId: "s" });
    expect(text.length).toBeLessThanOrEqual(300);
  });

  it("goes through so many results at most, and says how many are older", async () => {
    const count = DEFAULTS.searchArtifacts + 5;
    const { run } = await openSession(
      Array.from({ length: count }, (_, at) => (at === 0 ? "needle" : "x")),
      { clock: { elapsed: () => 0 } },
    );
    const [first, second] = await followPrinted(run, "grep_knowledge", { pattern: "needle" });
    expect(first).toContain("5 older results not searched");
    expect(second).toBe("[id0: 1 match]\n1:needle");
  });

  it("has one deadline for all", async () => {
    let now = 0;
    const deadlines: number[] = [];
    const { workspace } = await openSession(["1", "2", "3", "4"]);
    const slow = openMemoryWorkspace({
      clock: { elapsed: () => now },
      searchText: (_source, _query, { deadlineMs }) => {
        deadlines.push(deadlineMs);
        now += 400;
        return Promise.resolve({ matches: [], matchingLines: 0, scannedLines: 1, complete: true });
      },
    });
    for (let at = 0; at < 4; at++)
      await slow.put({ content: `${at}` }, { sessionId: "default", toolCallId: `id${at}` });
    const reading = await slow.grepSession("x", { deadlineMs: 1_000 });
    expect(deadlines).toEqual([1_000, 600, 200]);
    expect(reading.note).toContain("1 older result not searched");
    expect(reading.next?.input).toMatchObject({ pattern: "x" });
    const { cursor } = reading.next?.input as { cursor: string };
    expect((await slow.grepSession("x", { cursor })).note).toBe("No match.");
    await workspace.close();
  });

  it("is not spoiled by a result that cannot be read", async () => {
    const store = new MemoryStore();
    const { run, workspace } = await openSession(["needle", "needle too"], { store });
    const open = store.open.bind(store);
    const { ArtifactGoneError } = await import("../../../../../src/errors.js");
    store.open = (record) =>
      record.artifactId === "id1"
        ? Promise.reject(new ArtifactGoneError("id1", "missing"))
        : open(record);
    const { text } = await run("grep_knowledge", { pattern: "needle" });
    expect(text).toBe("[id0: 1 match]\n1:needle\n[1 result could not be read.]");
    await workspace.close();
  });

  it("shows matches in JSON as records, as a search of one result does", async () => {
    const rows = Array.from({ length: 9 }, (_, at) => ({ id: `id-${at}`, price: at }));
    const { run } = await openSession([JSON.stringify({ rows }), "id-7 in a text"]);
    const { text } = await run("grep_knowledge", { pattern: "id-7" });
    expect(text).toContain('/rows/7 {id: "id-7", price: 7}');
    expect(text).toContain("1:id-7 in a text");
  });

  it("without a match tells what would match", async () => {
    const { run } = await openSession(["Needle", "x"]);
    const { text } = await run("grep_knowledge", { pattern: "needle" });
    const call = '{"pattern":"needle","ignore_case":true}';
    expect(text).toBe(`[No match. 1 ignoring case. Next: grep_knowledge(${call})]`);
    expect((await run("grep_knowledge", { pattern: "/NEEDLE/i" })).text).toContain("1:Needle");
    expect((await run("grep_knowledge", { pattern: "(" })).text).toMatch(/^INVALID_PATTERN/);
    expect((await run("grep_knowledge", { pattern: "x", cursor: "abc" })).text).toContain('"abc"');
  });
});

const LOG = ["Connection refused", "retry (1)", "word", "sword", "An Error", "a/b", "x<y"].join(
  "\n",
);
async function answerTo(input: object): Promise<string> {
  const run = toolRunner(await memoryWorkspaceOf(LOG));
  const { text, isError } = await run("grep_knowledge", { artifact_id: "a", ...input });
  expect(isError, text).toBe(false);
  return text;
}
describe("a pattern in the syntax of another tool, where it matches nothing as it stands", () => {
  it.each([
    ["/error/i", '5:An Error\n[Searched for "error", ignoring case.]'],
    ["(?i:error)", '5:An Error\n[Searched for "(?:error)", ignoring case.]'],
    ["none|(?i)ERROR", '5:An Error\n[Searched for "none|ERROR", ignoring case.]'],
    [String.raw`\<word\>`, String.raw`3:word` + "\n" + String.raw`[Searched for "\\bword\\b".]`],
    [
      String.raw`refused\|retry`,
      '1:Connection refused\n2:retry (1)\n[Searched for "refused|retry".]',
    ],
  ])("%s is understood, and the answer says so", async (pattern, text) => {
    expect(await answerTo({ pattern })).toBe(text);
  });

  it("is taken as it stands where it matches", async () => {
    expect(await answerTo({ pattern: "a/b" })).toBe("6:a/b");
    expect(await answerTo({ pattern: String.raw`x\<y` })).toBe("7:x<y");
  });
});
describe("a search without a match", () => {
  it.each([
    [{ pattern: "connection" }, "1 ignoring case", /^1:Connection refused$/m],
    [{ pattern: "retry (1)" }, "1 as plain text", /^2:retry \(1\)$/m],
    [{ pattern: "RETRY (1)" }, "1 as plain text, ignoring case", /^2:retry \(1\)$/m],
  ])("%j shows what was meant, and says so", async (input, found, shown) => {
    const text = await answerTo(input);
    expect(text).toMatch(shown);
    expect(text.split("\n").at(-1)).toBe(`[No match. ${found}.]`);
  });

  it("tells of matches before the line where it began, and gives the call", async () => {
    const call = '{"artifact_id":"a","pattern":"refused"}';
    expect(await answerTo({ pattern: "refused", start_line: 3 })).toBe(
      `[No match. 1 before that line. Next: grep_knowledge(${call})]`,
    );
  });

  it("says in which other results of the session there are some", async () => {
    const workspace = openMemoryWorkspace();
    for (const [toolCallId, content = "", sessionId = ""] of [
      ["one", "needle\nneedle", "s"],
      ["two", "nothing", "s"],
      ["three", "needle", "s"],
      ["other", "needle", "another"],
    ]) {
      await workspace.put({ content }, { toolCallId, sessionId });
    }
    const run = toolRunner(workspace, { sessionId: "s" });
    const { text } = await run("grep_knowledge", { artifact_id: "two", pattern: "needle" });
    const call = '{"artifact_id":"three","pattern":"needle"}';
    expect(text).toBe(`[No match. But 1 in "three", 2 in "one". Next: grep_knowledge(${call})]`);
  });

  it("that nothing like it matches says only that", async () => {
    expect(await answerTo({ pattern: "nowhere" })).toBe("[No match.]");
  });
});
