import fc from "fast-check";
import { DEFAULTS } from "../../../../../src/core/defaults.js";
import { describe, expect, it } from "vitest";

import { digestText } from "../../../../../src/core/digest-text.js";
import { digestSample } from "../../../../../src/core/lib/digest/digest.js";
import { countLines } from "../../../../../src/core/lib/text/plain-text.js";
import { toPrintable } from "../../../../../src/core/lib/digest/printable.js";
import * as texts from "./sample-texts.js";

const SAMPLES: readonly (readonly [string, string])[] = [
  ["log", texts.logText(400, { 200: "Error: the pump is broken" })],
  ["log", texts.logText(9_000, { 4_000: "panic: no water" })],
  ["code", texts.TYPESCRIPT],
  ["code", texts.PYTHON],
  ["code", texts.GO],
  ["code", texts.RUST],
  ["code", texts.JAVA],
  ["code", texts.C],
  ["code", texts.RUBY],
  ["code", texts.DIFF],
  ["markdown", texts.MARKDOWN],
  ["html", texts.HTML],
  ["table", texts.csvText(300)],
  ["table", texts.csvText(9_000)],
  ["json", JSON.stringify({ a: [1, 2, { b: "c" }], d: null })],
  [
    "json",
    JSON.stringify(
      Array.from({ length: 300 }, (_, id) => ({ id, tags: ["x"] })),
      null,
      2,
    ),
  ],
  ["json", '{"a":1}\n{"a":2}\n{"a":3}\n'],
  [
    "text",
    "The harbour lies at the river.\nShips come and go with the tide, as they always did.\n",
  ],
  ["text", ""],
];

/** Pieces that any kind is made of, so that generated texts reach every branch. */
const PIECES = fc.constantFrom(
  ..."{ } [ ] , : | # < > \" ' \\ / * - = + ( ) ; @ ` ~ $& $' \n \r\n \t".split(" "),
  " ",
  "\n",
  "\u0000",
  "\u001b[31m",
  "\u001b]0;t\u0007",
  "\u202e",
  "\ud83d",
  "😀",
  "Error: x",
  "0 errors",
  '{"a":',
  "<h1>",
  "diff --git a/x b/x\n",
  "@@ -1 +1 @@",
  "12→",
  "a,b,c\n",
  "| a | b |\n|---|---|\n",
  "func f() {\n",
  "# Title\n",
  "```\n",
  "2024-01-01 10:00:00 INFO ",
  "=== RUN x\n",
  "long ".repeat(100),
);
const ANY_TEXT = fc.oneof(
  fc.array(PIECES, { maxLength: 120 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.json(),
  fc.constantFrom(...SAMPLES.map(([, text]) => text)),
);
const BUDGET = fc.integer({ min: 80, max: 3_000 });
/* eslint-disable no-control-regex -- what must not be in a digest */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;
/* eslint-enable no-control-regex */

describe("digestText", () => {
  it.each(SAMPLES)("knows a %s when it sees one (%#)", (kind, text) => {
    expect(digestText(text).kind).toBe(kind);
  });

  it("keeps to the budget, is safe to print and the same every time [DESIGN-W-digest-budget] [DESIGN-W-digest-same] [DESIGN-W-digest-safe]", () => {
    fc.assert(
      fc.property(ANY_TEXT, BUDGET, (text, budgetChars) => {
        const digest = digestText(text, { budgetChars });
        expect(digest.text.length).toBeLessThanOrEqual(budgetChars);
        expect(digest.text).not.toMatch(UNSAFE);
        expect(texts.isWellFormed(digest.text)).toBe(true);
        expect(digestText(text, { budgetChars })).toEqual(digest);
      }),
      { numRuns: 1_500, seed: 7 },
    );
  });

  it("has a budget of its own, and never one that is exceeded [DESIGN-W-digest-budget]", () => {
    expect(DEFAULTS.digestChars).toBe(1_200);
    const text = texts.logText(500);
    expect(digestText(text)).toEqual(digestText(text, { budgetChars: 1_200 }));
    expect(digestText(text, { budgetChars: NaN })).toEqual(digestText(text));
    for (const budgetChars of [0, 1, 10, 40]) {
      expect(digestText(text, { budgetChars }).text.length).toBeLessThanOrEqual(budgetChars);
    }
  });

  it("quotes every line under the number that it has", () => {
    const lineTexts = fc.array(
      fc.oneof(
        PIECES,
        fc.constantFrom("INFO ok", "ERROR bad", "func a() {", "## b", "plain words"),
      ),
      { minLength: 1, maxLength: 80 },
    );
    let compared = 0;
    let checked = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          lineTexts.map((parts) => parts.join("\n")),
          ANY_TEXT,
        ),
        BUDGET,
        (text, budgetChars) => {
          const { kind, text: digest } = digestText(text, { budgetChars });
          // Inside JSON the numbers are those of the embedded text, and HTML shows decoded headings.
          if (kind === "json" || kind === "html" || digest.startsWith("Diff")) return;
          const lines = text.split("\n");
          for (const { number, text: quoted } of texts.quotedLines(digest)) {
            checked++;
            const flat = (value: string): string => toPrintable(value).replace(/[\s·]/g, "");
            const line = flat(lines[number - 1] ?? "<no such line>");
            const start = quoted.startsWith("…") ? quoted.slice(1) : quoted;
            const shown = flat(start.split("… (")[0] ?? "")
              .replace(/\(\d+morelikeit\)$/, "")
              .replace(/…$/, "");
            expect(line).toContain(shown.replace(/\)$/, ""));
            compared += 1;
          }
        },
      ),
      { numRuns: 1_000, seed: 11 },
    );
    expect(checked).toBeGreaterThan(0);
    expect(compared).toBeGreaterThan(1_000);
  });

  it("keeps what replacement patterns would change", () => {
    const nasty = "cost $& and $' and $` and $1 and $$";
    expect(digestText(nasty).text).toContain(nasty);
    expect(digestText(texts.logText(50, { 20: `ERROR ${nasty}` })).text).toContain(nasty);
    expect(digestText(JSON.stringify({ nasty })).text).toContain(nasty);
    expect(digestText(`# ${nasty}\n\n## b\n\n- c\n`).text).toContain(nasty);
    expect(digestText(`<html><h1>${nasty}</h1></html>`).text).toContain(nasty);
    expect(digestText(`a,b,c\n1,2,${nasty}\n3,4,5\n`).text).toContain(nasty);
  });

  it("survives hostile texts, quickly", () => {
    const units = [
      " ",
      "<",
      "(",
      "a",
      "|",
      "#",
      "{",
      "[",
      '"',
      "\\",
      "-",
      "`",
      "*",
      "\t",
      "\r",
      "\n",
      "\u0000",
      "\u001b[",
      "\ud800",
      "1: ",
      "a,b\n",
      '{"a":',
      "<h1>",
      "<script></SCRIPT>",
      "error ",
      "pub ",
      "a b ",
      "](",
      "--- a\n+++ b\n@@ \n",
    ];
    for (const unit of units) {
      for (const start of ["", "{", "<html>", "# a\n"]) {
        const text = start + unit.repeat(200_000 / unit.length);
        const began = performance.now();
        const digest = digestText(text);
        expect(performance.now() - began, JSON.stringify(start + unit)).toBeLessThan(1_500);
        expect(digest.text.length).toBeLessThanOrEqual(1_200);
      }
    }
    for (const text of [
      "[".repeat(1e5),
      "[".repeat(1e5) + "]".repeat(1e5),
      '{"a":'.repeat(1e5),
      "x".repeat(5e6),
      '["' + "y".repeat(5e6),
    ]) {
      expect(digestText(text).text.length).toBeLessThanOrEqual(1_200);
    }
  });

  it("tells the length of a single long line and shows both its ends", () => {
    const { text } = digestText(`START${"x".repeat(5_000_000)}END`);
    expect(text).toContain("1: STARTxxx");
    expect(text).toContain("(5,000,008 chars)");
    expect(text.endsWith("END")).toBe(true);
  });

  it("looks through a harness's preamble", () => {
    const preamble = "Chunk ID: 1\nWall time: 0.1 seconds\nOutput:\n";
    expect(digestText(preamble + texts.csvText(20)).kind).toBe("table");
    const json = digestText(`${preamble}{"a": [1, 2, 3]}`);
    expect(json.kind).toBe("json");
    expect(json.text).toContain("a: [3 items]");
  });
});

describe("digestSample", () => {
  it("says of a complete sample what digestText says", () => {
    for (const [, text] of SAMPLES) {
      const sample = {
        head: text,
        tail: "",
        tailLine: 1,
        chars: text.length,
        lines: countLines(text),
        complete: true,
      };
      expect(digestSample(sample, { budgetChars: DEFAULTS.digestChars })).toEqual(digestText(text));
    }
  });

  it("quotes the tail of a stream under its true numbers", () => {
    const text = texts.logText(50_000, { 49_990: "ERROR pump 9 failed" });
    const head = text.slice(0, 60_000);
    const tail = text.slice(-4_000);
    const tailLine = countLines(text.slice(0, -4_000));
    const sample = { head, tail, tailLine, chars: text.length, lines: 50_000, complete: false };
    const digest = digestSample(sample, { budgetChars: DEFAULTS.digestChars });
    expect(digest.kind).toBe("log");
    expect(digest.text).toContain("Log, 50,000 lines.");
    expect(digest.text).toContain("49990: ERROR pump 9 failed");
    const lines = text.split("\n");
    const quoted = texts.quotedLines(digest.text);
    expect(quoted.length).toBeGreaterThan(5);
    for (const { number, text: shown } of quoted) expect(lines[number - 1]).toBe(shown);
  });

  it("knows the length of one endless line by its ends", () => {
    const sample = {
      head: "a".repeat(70_000),
      tail: "b".repeat(5_000),
      tailLine: 1,
      chars: 9_000_000,
      lines: 1,
      complete: false,
    };
    expect(digestSample(sample, { budgetChars: DEFAULTS.digestChars }).text).toMatch(
      /^Text, 1 line\.\n1: a+… \(9,000,000 chars\) …b+$/,
    );
  });
});
