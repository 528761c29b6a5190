import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryWorkspaceOf } from "../../../../support/memory-workspace.js";
import { bodyOf, followPrinted, numbered, toolRunner } from "../../../../support/run-tools.js";

describe("the answer of a search", () => {
  it("property: prints no line twice, and every line as it is, whatever the context", async () => {
    const line = fc.constantFrom("hit", "a", "b", "");
    const around = fc.nat(4);
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 40 }),
        around,
        around,
        async (lines, before, after) => {
          const workspace = await memoryWorkspaceOf(lines.join("\n"));
          const { text } = await workspace.grepKnowledge("a", "hit", {
            contextBefore: before,
            contextAfter: after,
          });
          const near = lines.flatMap((_, at) =>
            lines.slice(Math.max(0, at - after), at + before + 1).includes("hit") ? [at] : [],
          );
          // The last line counts only if something is in it, as everywhere.
          const shown = near.filter((at) => at < lines.length - 1 || lines[at] !== "");
          const expected = shown.map(
            (at) => `${at + 1}${lines[at] === "hit" ? ":" : "-"}${lines[at]}`,
          );
          expect(text.split("\n").filter((one) => one !== "--" && one !== "")).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("has the first and the last matches where there are too many", async () => {
    const lines = Array.from({ length: 400 }, (_, at) => `error ${at + 1} ${"x".repeat(100)}`);
    const workspace = await memoryWorkspaceOf(lines.join("\n"));
    for (const options of [{}, { maxChars: 3_000 }, { contextBefore: 1, contextAfter: 2 }]) {
      const found = await workspace.grepKnowledge("a", "error", options);
      expect(found.text).toMatch(/^1:error 1 /);
      expect(found.text).toMatch(/\n400:error 400 x+$/);
      const [, between] = /\n\[… (\d+) matches between …\]\n/.exec(found.text) ?? [];
      const shown = found.text.match(/^\d+:error/gm)?.length ?? 0;
      expect(shown + Number(between)).toBe(400);
      expect(found.leftOut).toEqual({ unit: "matches", count: Number(between) });
      expect(found.text.length).toBeLessThanOrEqual(20_000);
    }
  });

  it("has a rest of a few at once", async () => {
    const workspace = await memoryWorkspaceOf(numbered(58));
    const found = await workspace.grepKnowledge("a", "line");
    expect(found).toMatchObject({ range: { to: 58, of: 58 }, leftOut: undefined, next: undefined });
  });

  it.each([
    ["of a terminal", "\u001b[31merr\u001b[1mor\u001b[0m: no\u001b[39m file"],
    ["that a CI service wrote out", "^[[31merr^[[1mor^[[0m: no^[[39m file"],
  ])("sees through colors %s, which split no pattern, and prints none", async (_, red) => {
    const workspace = await memoryWorkspaceOf(`one\n${red}\n${"x\n".repeat(70_000)}${red}`);
    for (const [pattern, literal] of [
      ["error: no file", true],
      ["^error: no fi?le$", false],
      ["rror: n", false],
    ] as const) {
      const found = await workspace.grepKnowledge("a", pattern, { literal });
      expect(found.text).toBe("2:error: no file\n70003:error: no file");
    }
  });

  it.each([
    ["a time", (at: number) => `2026-01-01T00:00:0${at % 10}.123Z `],
    ["a date and a time", (at: number) => `2026-01-01 00:00:0${at % 10},123 `],
    ["a number", (at: number) => `${String(at + 7).padStart(6)}\t`],
    [
      "the columns of a CI log",
      (at: number) => `test\tRun tests\t2026-01-01T00:00:0${at % 10}.1Z `,
    ],
  ])("finds the start of a line behind %s, where no line begins so", async (_, stamp) => {
    const lines = ["one", "error two", "  error three", "no error"].map(
      (line, at) => stamp(at) + line,
    );
    const workspace = await memoryWorkspaceOf(lines.join("\n"));
    const { text, note } = await workspace.grepKnowledge("a", "^error|^ {2}error");
    expect(text).toMatch(/^2:[^\n]*error two\n3:[^\n]*error three$/);
    expect(note).toBe("Searched for ^ behind the number or time at the start of each line.");
    expect((await workspace.grepKnowledge("a", "^rror")).text).toBe("");
  });

  it("leaves out a time that begins every line, and says so; not where digits are searched for", async () => {
    const lines = Array.from(
      { length: 9 },
      (_, at) => `2026-01-01T10:00:0${at}.1234567Z error ${at}`,
    );
    const workspace = await memoryWorkspaceOf(lines.join("\n"));
    const forModels = { withoutTimes: true };
    const { text } = await workspace.grepKnowledge("a", "error", forModels);
    expect(text).toMatch(/^\[The time at the start of each line is left out\.\]\n1:error 0\n/);
    const digits = await workspace.grepKnowledge("a", "10:00.*error", forModels);
    expect(digits.text).toMatch(/^1:2026-/);
    expect((await workspace.grepKnowledge("a", "error")).text).toMatch(/^1:2026-/);
  });

  it("of all results leaves out the times in front of lines, too, if that is asked for", async () => {
    const log = ["a", "error b", "error c", "error d"].map(
      (line, at) => `2026-01-01T00:00:0${at}Z ${line}`,
    );
    const workspace = await memoryWorkspaceOf(log.join("\n"));
    const found = await workspace.grepSession("error", { withoutTimes: true });
    expect(found.text).toMatch(/\n2:error b\n3:error c\n4:error d$/);
    const answer = await toolRunner(workspace)("read_stored", { pattern: "error" });
    expect(answer.text).toBe(found.text);
  });

  it("names the function or section that a match is in, once", async () => {
    const code = [
      "import x from 'x';",
      "export function first() {",
      "  const needle = 1;",
      "  return needle;",
      "}",
      "class Second {",
      "  method() {",
      "    needle();",
      "  }",
      "}",
    ].join("\n");
    const inCode = await (await memoryWorkspaceOf(code)).grepKnowledge("a", "needle");
    expect(inCode.text).toBe(
      [
        "2=export function first() {",
        "3:  const needle = 1;",
        "4:  return needle;",
        "7=  method() {",
        "8:    needle();",
      ].join("\n"),
    );
    const page = "# Title\n\ntext\n\n## Part\n\nneedle\n";
    const inPage = await (await memoryWorkspaceOf(page)).grepKnowledge("a", "needle");
    expect(inPage.text).toBe("5=## Part\n7:needle");
  });

  it.each<[string, string[], string]>([
    [
      "a method whose brace has a line of its own",
      ["class A", "{", "    public void Run(int a)", "    {", "        if (a > 1)", "        {"],
      "3=    public void Run(int a)",
    ],
    [
      "a function of C",
      ["static int run(struct x *a) {", "  while (a) {", "    b();"],
      "1=static int run(struct x *a) {",
    ],
    [
      "a private function of Elixir",
      ["defmodule A do", "  defp three(x) do", "    x"],
      "2=  defp three(x) do",
    ],
    [
      "the file of a diff",
      ["diff --git a/x.ts b/x.ts", "--- a/x.ts", "+++ b/x.ts", "@@ -1 +1 @@", " function f() {"],
      "1=diff --git a/x.ts b/x.ts",
    ],
    [
      "the test of a report",
      ["== FAILURES ==", "=== FAILURES ===", "____ test_one ____", "", "x"],
      "3=____ test_one ____",
    ],
  ])("names %s", async (_, lines, name) => {
    const workspace = await memoryWorkspaceOf([...lines, "          needle", "end"].join("\n"));
    const { text } = await workspace.grepKnowledge("a", "needle");
    expect(text).toBe(`${name}\n${lines.length + 1}:          needle`);
  });
});

describe("where not all matches are shown", () => {
  it("no line that names a section takes the place of one", async () => {
    const lines = Array.from({ length: 90 }, (_, at) => [`## Part ${at}`, "", `needle ${at}`]);
    const workspace = await memoryWorkspaceOf(lines.flat().join("\n"));
    for (const maxChars of [500, 20_000]) {
      const { text, range } = await workspace.grepKnowledge("a", "needle", { maxChars });
      expect(text).not.toMatch(/^\d+=/m);
      expect(range.to).toBeGreaterThanOrEqual(maxChars === 500 ? 20 : 50);
    }
  });
});

describe("lines from a start alone", () => {
  const code = [
    "a();",
    "function f(x) {",
    "  if (x) {",
    "    b();",
    "  } else {",
    "    c();",
    "  }",
    "}",
    "",
    "d();",
  ];
  it.each<[string, string[], number, number]>([
    ["a function", code, 2, 8],
    ["a block with an else", code, 3, 7],
    [
      "the rest of the function",
      ["def f():", "    a()", "    b()", "", "def g():", "    c()"],
      2,
      3,
    ],
    ["a section", ["# A", "", "one", "## B", "two", "", "## C", "three"], 4, 5],
    ["a section with its parts", ["# A", "", "## B", "two", "# C", "", "x"], 1, 4],
    ["a record", ["[", "  {", '    "a": 1', "  },", "  {", '    "a": 2', "  }", "]"], 2, 4],
    ["an error with its trace", ["ERROR x", "    at a", "    at b", "INFO y"], 1, 3],
    [
      "a function whose brace has a line of its own",
      ["  void a()", "  {", "    b();", "  }", "", "  void c()", "  {"],
      1,
      4,
    ],
    ["what a decorator is put on", ["@a", "@b(1)", "def f():", "    c()", "", "g()"], 1, 4],
    ["a hunk", ["@@ -1 +1 @@ f", " a", "-b", "+c", "@@ -9 +9 @@", " d"], 1, 4],
    ["a file of a diff", ["diff --git a/x b/x", "@@ -1 +1 @@", "-b", "diff --git a/y b/y"], 1, 3],
    [
      "a test of a report",
      ["_____ test_one _____", "", "    def test_one():", "E   x", "", "_____ test_two _____", "y"],
      1,
      4,
    ],
    ["the section that a line is in", ["# A", "", "one", "two", "", "## B", "three"], 3, 4],
    ["a listing with numbers", ["   1\tf() {", "   2\t  a", "   3\t}", "   4\tg"], 1, 3],
  ])("reach to the end of %s", async (_, lines, start, end) => {
    const workspace = await memoryWorkspaceOf(lines.join("\n"));
    const reading = await workspace.getKnowledgeByLines("a", start);
    expect(reading.text).toBe(lines.slice(start - 1, end).join("\n"));
    const run = toolRunner(workspace);
    expect((await run("read_stored", { id: "a", lines: String(start) })).text).toBe(reading.text);
  });

  it("are a passage where nothing tells an end, with the call that continues", async () => {
    const workspace = await memoryWorkspaceOf(numbered(5_000));
    const reading = await workspace.getKnowledgeByLines("a", 40);
    expect(reading.text).toMatch(/^line 40\nline 41\n/);
    expect(reading.text.length).toBeLessThanOrEqual(2_000);
    expect(reading.next).toMatchObject({ tool: "get_knowledge_by_lines" });
  });
});

describe("a reading from a line that is a block of its own", () => {
  it("goes on behind it", async () => {
    const lines = ["commit 1", "", "    a subject", "", " a.ts | 1 +", " b.ts | 2 -", "commit 2"];
    const reading = await (await memoryWorkspaceOf(lines.join("\n"))).getKnowledgeByLines("a", 3);
    expect(reading.text).toBe(lines.slice(2).join("\n"));
  });
});

describe("a reading through the tools", () => {
  it("of several lines shows only the start of one that is very long, and all of it alone", async () => {
    const lines = ["one", "x".repeat(60_000), "three", "y".repeat(3_000), "five"];
    const run = toolRunner(await memoryWorkspaceOf(lines.join("\n")));
    const { text } = await run("read_stored", { id: "a", lines: "1-5" });
    expect(text).toMatch(/^one\nx{500} \[… cut here\]\nthree\ny{500} \[… cut here\]\nfive\n/);
    expect(text).toMatch(/\[Lines 2, 4 are cut after 500 characters: .*\]$/);
    expect((await run("read_stored", { id: "a", lines: "4-4" })).text).toBe(lines[3]);
    const many = Array.from({ length: 90 }, () => "z".repeat(2_500));
    const next = await toolRunner(await memoryWorkspaceOf(many.join("\n")))("read_stored", {
      ...{ id: "a", lines: "1-90" },
    });
    expect(next.text).toMatch(
      /\d+ lines left out\. Next: read_stored\(\{"id":"a","lines":"\d+-90"\}\)\]$/,
    );
  });

  it("stays within a cap that has no room for the start of a long line", async () => {
    const lines = ["one", "x".repeat(900), "three", "y".repeat(900), "five"];
    const workspace = await memoryWorkspaceOf(lines.join("\n"));
    for (const readChars of [172, 400, 640, 700]) {
      const run = toolRunner(workspace, { readChars });
      const answers = await followPrinted(run, "read_stored", { id: "a", lines: "1-5" });
      // What is only begun in one answer is not begun again in the next.
      const shown = answers.map(bodyOf).join("");
      expect(shown).toMatch(/five$/);
      expect(shown.match(/x/g)?.length).toBeLessThanOrEqual(900);
      for (const answer of answers) {
        const footing = answer.length - bodyOf(answer).length;
        const cap = footing === 0 ? Math.floor(readChars * 1.1) : readChars;
        const most = Math.max(cap, Math.ceil(readChars / 2) + footing);
        expect(answer.length).toBeLessThanOrEqual(most);
      }
    }
  });

  it("is a little longer than the cap if nothing is missing then", async () => {
    const workspace = await memoryWorkspaceOf(numbered(100));
    const { length } = numbered(100);
    const run = toolRunner(workspace, { readChars: Math.ceil(length * 0.95) });
    expect((await run("get_knowledge_by_id", { artifact_id: "a" })).text).toBe(numbered(100));
    const short = toolRunner(workspace, { readChars: Math.ceil(length * 0.8) });
    const { text } = await short("get_knowledge_by_id", { artifact_id: "a" });
    expect(text.length).toBeLessThanOrEqual(Math.ceil(length * 0.8));
  });
});
