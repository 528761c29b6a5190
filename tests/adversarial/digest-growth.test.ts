import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { scanSampled } from "../../src/core/lib/digest/digest.js";
import { toPrintable, withoutColors } from "../../src/core/lib/text/printable.js";
import { sampleText } from "../../src/core/lib/digest/sampled-text.js";
import { DEFAULTS, digestText } from "../../src/index.js";
import {
  escapeAttribute,
  escapeMarkup,
  unescapeMarkup,
} from "../../src/core/workspace/reference/markup.js";

// A digest is made on the main thread from whatever a tool printed. None of these texts may take more
// than time in proportion to its length. No clock is needed: each text is so long that a quadratic
// step would run for minutes, which the limit of a test does not allow.
const CHARS = 100_000;
const LARGE_CHARS = 2_000_000;

/** What a text begins with, so that each kind of digest gets to see what follows. */
const STARTS: Readonly<Record<string, string>> = {
  text: "",
  json: '{"a": [',
  "broken json": '[{"a": "',
  html: "<!doctype html>\n<html>\n",
  diff: "diff --git a/x.ts b/x.ts\n--- a/x.ts\n+++ b/x.ts\n@@ -1,3 +1,4 @@\n",
  code: "import { a } from 'b';\nexport function f() {\n  return a;\n}\n".repeat(9),
  listing: "     1→import a;\n     2→import b;\n     3→export c;\n     4→}\n",
  markdown: "# Title\n\n## Part\n\n- item\n- item\n",
  table: "a,b,c\n1,2,3\n4,5,6\n",
  files: "src/a.ts\nsrc/b/c.ts\nsrc/d.ts\n",
  "ls -l": "drwxr-xr-x  3 ada staff   96 Jan  5 10:00 src\n".repeat(9),
  matches: "src/a.ts:12:  fooBar()\nsrc/b.ts:13:  fooBar()\nsrc/c.ts:14:  x\n",
  log: "2024-01-01 10:00:00 INFO a\n2024-01-01 10:00:01 ERROR b\n2024-01-01 10:00:02 INFO c\n",
  build: "=== RUN   TestA\n--- FAIL: TestA (0.00s)\nFAIL\n",
  header: "Chunk ID: 1\nOutput:\n",
};

/** What is repeated: characters that expressions could stumble over, with and without line feeds. */
const UNITS = [
  ..."\ufeff|\u200b| |\t|\r|\n|<|>|(|)|a|A|1|_|-|.|/|@|~|+|$|:|,|;|'|\"|`|\\|#|*|{|}|[|]|=|\u0000|\ud800|😀|é".split(
    "|",
  ),
  "|",
  "\u001b[",
  "\u001b[0",
  "\u001b]",
  "\u009b1",
  "a.",
  "a/",
  "/a",
  "a/b/",
  "a-",
  "aB",
  "a b ",
  "- ",
  "1: ",
  "1\t",
  "a:1:",
  "a-1-",
  "12:34:56 ",
  "2024-01-01 ",
  "error ",
  "ERROR",
  "0 errors ",
  "ok ",
  "... ",
  "a,b\n",
  'a,"\n',
  "a\tb\n",
  "| ",
  "|-",
  "+-",
  "--",
  "== ",
  '{"a":',
  '"a":{',
  '"a",',
  "\\u0",
  "[1,",
  "<h1>",
  "</h1>",
  "<!--",
  "<?xml ",
  "<script>",
  "</SCRIPT>",
  "&#1",
  "&lt;",
  "<knowledge",
  "< /",
  "<system-reminder>",
  "</system-reminder>",
  "<system-reminder>\n</system-reminder>\n",
  "--- a\n+++ b\n@@ \n",
  "+x\n",
  "@@ -1 +1 @@\n",
  "a/b/c/d/e/f/g.ts\n",
  "drwxr-xr-x  3 a b 9 Jan  5 10:00 x\n",
  "     1→x\n",
  "a\n",
  "=== RUN x\n",
  "```\n",
  "# a\n",
];

describe("a digest takes time in proportion to the text", () => {
  it.each(Object.entries(STARTS))("of kind %s", (_, start) => {
    for (const unit of UNITS) {
      const text = start + unit.repeat(Math.ceil(CHARS / unit.length));
      const digest = scanSampled(sampleText(text))(1_200);
      expect(digest.text.length).toBeLessThanOrEqual(1_200);
    }
  });

  it("of names that share a hash", () => {
    // "Aa" and "BB" have the same hash, and so has every word made of them.
    const names = Array.from({ length: 4_096 }, (_, at) =>
      Array.from({ length: 12 }, (_, bit) => ((at >> bit) & 1 ? "aAa" : "aBB")).join(""),
    );
    const text = Array.from({ length: 20 }, () => names.join("\n")).join("\n");
    expect(scanSampled(sampleText(text))(1_200).kind).toBe("text");
  });

  it("of paths that are deep, and of folders that are many", () => {
    const deep = Array.from({ length: 4_000 }, (_, at) => `${"d/".repeat(at % 140)}f${at}.ts`);
    const wide = Array.from({ length: 20_000 }, (_, at) => `dir${at}/sub${at}/file${at}.ts`);
    for (const paths of [deep, wide]) {
      const digest = scanSampled(sampleText(paths.join("\n")))(1_200);
      expect(digest.text.length).toBeLessThanOrEqual(1_200);
    }
  });

  it("however much is left out of a sample", () => {
    for (const unit of [...UNITS, "ERROR\n", "Error FATAL FAIL ERROR", "x".repeat(999) + "\n"]) {
      const text = unit.repeat(Math.ceil(LARGE_CHARS / unit.length));
      expect(digestText(text).text.length).toBeLessThanOrEqual(DEFAULTS.digestChars);
    }
  });

  it("of JSON that is deep or wide", () => {
    for (const text of [
      "[".repeat(CHARS),
      "[".repeat(CHARS / 2) + "]".repeat(CHARS / 2),
      '{"a":'.repeat(CHARS / 5),
      JSON.stringify(Array.from({ length: 40_000 }, (_, at) => [at])),
      JSON.stringify(
        Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, { at }])),
      ),
      JSON.stringify({ [`${"k".repeat(CHARS)}!`]: 1 }),
    ]) {
      expect(scanSampled(sampleText(text))(1_200).text.length).toBeLessThanOrEqual(1_200);
      expect(digestText(text).text.length).toBeLessThanOrEqual(DEFAULTS.digestChars);
    }
  });

  it("and so does what makes it printable and safe in a reference", () => {
    for (const unit of UNITS) {
      const text = unit.repeat(Math.ceil(CHARS / unit.length));
      expect(toPrintable(text).length).toBeLessThanOrEqual(text.length);
      expect(withoutColors(text).length).toBeLessThanOrEqual(text.length);
      expect(unescapeMarkup(escapeMarkup(text))).toHaveLength(text.length);
      expect(unescapeMarkup(escapeAttribute(text))).toHaveLength(text.length);
    }
  });
});

/** The regular expressions in a file. */
function expressionsIn(file: URL): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file.pathname, readFileSync(file, "utf8"), ts.ScriptTarget.Latest));
  return found;
}

describe("an expression that sees content", () => {
  const folder = new URL("../../src/core/lib/digest/", import.meta.url);
  const files = [
    ...readdirSync(folder).map((name) => new URL(name, folder)),
    new URL("../../src/core/workspace/reference/markup.ts", import.meta.url),
  ];
  const expressions = files.flatMap(expressionsIn);

  // Outside of classes, where brackets and stars mean themselves.
  const bare = expressions.map((one) => one.replace(/\\./g, "E").replace(/\[[^\]]*\]/g, "C"));

  it("never repeats a group without a limit, which is what makes backtracking exponential", () => {
    expect(expressions.length).toBeGreaterThan(20);
    expect(bare.filter((one) => /\)(?:[*+]|\{\d+,\})/.test(one))).toEqual([]);
  });

  it("never repeats the dot without a limit, which takes what follows it, too", () => {
    expect(bare.filter((one) => /\.(?:[*+]|\{\d+,\})/.test(one))).toEqual([]);
  });

  it("is done with a line of as many characters as are looked at, whatever these are", () => {
    for (const expression of expressions) {
      const found = new RegExp(expression, "u".repeat(Number(expression.includes("\\p{"))));
      for (const start of ["", "error ", "src/a.ts:12:", "    at ", "=== ", "1) "]) {
        for (const unit of UNITS) {
          found.test((start + unit.repeat(Math.ceil(1_000 / unit.length))).slice(0, 1_000));
        }
      }
    }
  });
});
