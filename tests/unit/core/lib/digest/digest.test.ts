import fc from "fast-check";
import * as texts from "./sample-texts.js";
import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../../../../src/core/defaults.js";
import { digestText } from "../../../../../src/core/digest-text.js";
import { scanSampled } from "../../../../../src/core/lib/digest/digest.js";
import { toPrintable } from "../../../../../src/core/lib/text/printable.js";
import { sampleOfStream } from "../../../../../src/core/lib/digest/sampled-text.js";
import { countLines } from "../../../../../src/core/lib/text/text-index.js";
import { anyString } from "../../../../support/any-string.js";

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
  ["diff", texts.DIFF],
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
  "\ufe0f",
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
  "src/a.ts:12: fooBar\n",
  "drwxr-xr-x  3 ada staff   96 Jan  5 10:00 src\n",
  " src/a.ts | 3 +++\n",
  "<system-reminder>",
  "</system-reminder>",
  "long ".repeat(100),
);
const ANY_TEXT = fc.oneof(
  fc.array(PIECES, { maxLength: 120 }).map((parts) => parts.join("")),
  anyString({ maxLength: 400 }),
  fc.json(),
  fc.constantFrom(...SAMPLES.map(([, text]) => text)),
);
const BUDGET = fc.integer({ min: 80, max: 3_000 });
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

describe("digestText", () => {
  it.each(SAMPLES)("knows a %s when it sees one (%#)", (kind, text) => {
    expect(digestText(text).kind).toBe(kind);
  });

  it("keeps to the budget, is safe to print and the same every time", () => {
    fc.assert(
      fc.property(ANY_TEXT, BUDGET, fc.boolean(), (text, budgetChars, isSteered) => {
        const steering = isSteered ? { about: text.slice(0, 90) } : {};
        const digest = digestText(text, { budgetChars, ...steering });
        expect(digest.text.length).toBeLessThanOrEqual(budgetChars);
        expect(digest.text).not.toMatch(UNSAFE);
        expect(texts.isWellFormed(digest.text)).toBe(true);
        expect(digestText(text, { budgetChars, ...steering })).toEqual(digest);
      }),
      { numRuns: 1_500, seed: 7 },
    );
  });

  it("shows no character that cannot be seen, wherever it stands", () => {
    const hidden = texts.hiddenCodePoints().map((codePoint) => String.fromCodePoint(codePoint));
    for (let at = 0; at < hidden.length; at += 500) {
      const filler = hidden.slice(at, at + 500);
      const line = filler.join("x");
      for (const text of [
        line,
        JSON.stringify({ [line]: line, list: [{ name: line }, { name: line }, { name: line }] }),
        `# ${line}\n\n## b\n\n- c\n`,
        `a,b\n${"1,2\n".repeat(9)}${filler.join("")},3\n`,
        `<html><title>${line}</title><h1>${line}</h1>${line}</html>`,
        `src/${filler.join("")}.ts\n`.repeat(5),
      ]) {
        expect(digestText(text).text).not.toMatch(UNSAFE);
      }
    }
  });

  it("has a budget of its own, and never one that is exceeded", () => {
    const text = texts.logText(500);
    expect(digestText(text)).toEqual(digestText(text, { budgetChars: DEFAULTS.digestChars }));
    expect(digestText(text, { budgetChars: NaN })).toEqual(digestText(text));
    for (const budgetChars of [0, 1, 10, 40]) {
      expect(digestText(text, { budgetChars }).text.length).toBeLessThanOrEqual(budgetChars);
    }
  });

  it("quotes every line under the number that it has", () => {
    const lineTexts = fc.array(
      fc.oneof(
        PIECES,
        fc.constantFrom(
          "INFO ok",
          "ERROR bad",
          "func a() {",
          "## b",
          "plain words",
          "fooBar bar_baz",
        ),
      ),
      { minLength: 1, maxLength: 80 },
    );
    let compared = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          lineTexts.map((parts) => parts.join("\n")),
          ANY_TEXT,
        ),
        BUDGET,
        (text, budgetChars) => {
          const { kind, text: digest } = digestText(text, { budgetChars });
          // HTML shows decoded headings, a diff the names of its files.
          if (kind === "html" || kind === "diff" || kind === "json") return;
          const lines = text.split("\n");
          const flat = (value: string): string => toPrintable(value).replace(/[\s·…]/g, "");
          for (const { number, text: quoted } of texts.quotedLines(digest)) {
            const line = flat(lines[number - 1] ?? "<no such line>");
            const [start = "", end = ""] = quoted.split(/… \([\d, chars)]{0,30}…/);
            expect(line).toContain(flat(start));
            expect(line).toContain(flat(end));
            compared += 1;
          }
        },
      ),
      { numRuns: 1_000, seed: 11 },
    );
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

  it("shows both ends of a single long line", () => {
    const { text } = digestText(`START ${"x ".repeat(2_500_000)}END`);
    expect(text).toContain("(5,000,009 chars)");
    expect(text).toContain("1: START x x");
    expect(text).toMatch(/x END$/m);
  });
});

describe("steering", () => {
  const verbs = ["add", "drop", "find", "keep", "load", "move", "read", "save", "send", "sort"];
  const wordOf = (at: number): string =>
    `${verbs[at % 10] ?? ""}${verbs[((at / 10) % 10) | 0] ?? ""}`;
  const text = Array.from(
    { length: 300 },
    (_, at) => `value_of_${at} = ${wordOf(at)}(input-${at})`,
  ).join("\n");

  it("shows a line that names what the call named", () => {
    expect(digestText(text).text).not.toContain("251: value_of_250");
    const { text: digest } = digestText(text, { about: '{"pattern":"value_of_250"}' });
    expect(digest).toContain(`251: value_of_250 = ${wordOf(250)}(input-250)`);
  });
});

describe("what a digest lists", () => {
  const hashOf = (at: number): string => (at * 2_654_435_761).toString(16).padStart(12, "0");

  it("is no number, hash or word with a hyphen of its own, but lines that hold them", () => {
    const words = (at: number): string => `${hashOf(at)} well-known-part ${at * 7} 1.${at}.5`;
    for (const text of [
      Array.from({ length: 300 }, (_, at) => words(at)).join("\n"),
      Array.from({ length: 300 }, (_, at) => `[step ${at}] ${words(at)}`).join("\n"),
      `${Array.from({ length: 300 }, (_, at) => words(at)).join("\n")}\nTests: 1 failed, 9 passed, 10 total\n`,
    ]) {
      const { text: digest } = digestText(text);
      const lines = text.split("\n");
      for (const line of digest.split("\n")) {
        const [, number = "", quoted] = /^(\d+): (.*)$/.exec(line) ?? [];
        expect(quoted, line).toBe(lines[Number(number) - 1]);
      }
    }
  });

  it("is a name in every entry of an outline", () => {
    const code = Array.from(
      { length: 60 },
      (_, at) =>
        `export function part${at}() {\n  return "${hashOf(at)}-well-known" + ${at * 7};\n}`,
    ).join("\n");
    const [, list = ""] = /declarations: (.*)$/s.exec(digestText(code).text) ?? [];
    for (const entry of list.split(", ")) expect(entry).toMatch(/^\d+ part\d+$/);
  });
});

describe("the digest of a stream", () => {
  it("quotes its tail under its true numbers", () => {
    const text = texts.logText(50_000, { 49_990: "ERROR pump 9 failed" });
    const head = text.slice(0, text.lastIndexOf("\n", 60_000) + 1);
    const tail = text.slice(text.lastIndexOf("\n", text.length - 4_000) + 1);
    const tailLine = countLines(text) - countLines(tail) + 1;
    const sample = { head, tail, tailLine, chars: text.length, lines: 50_000, complete: false };
    const digest = scanSampled(sampleOfStream(sample))(1_200);
    expect(digest.kind).toBe("log");
    expect(digest.text).toMatch(/Not looked at: lines \d+–\d+\./);
    expect(digest.text).toContain("49990: ERROR pump 9 failed");
    const lines = text.split("\n");
    const quoted = texts.quotedLines(digest.text);
    expect(quoted.length).toBeGreaterThan(1);
    for (const { number, text: shown } of quoted) {
      // The time of each line is left out.
      expect(lines[number - 1]).toContain(shown);
    }
  });
});
