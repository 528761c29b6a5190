import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../support/adversarial-runs.js";
import { followAll } from "../support/follow-readings.js";
import { makeStore } from "../support/store-files.js";
import { splitLines } from "./generated-texts.js";

const PATTERNS = [
  "a",
  "b+",
  "^$",
  "[^a]",
  "é|漢",
  "\\s",
  "😀",
  "a.*b",
  "\\bab\\b",
  "(?<!a)b",
  "^",
  "(a)\\1",
];
const unit = fc.constantFrom(..."a b ab aa é 漢 😀 \t \0 - : -- 1: 2-".split(" "), " ", "\ufeff");
const aLine = fc.array(unit, { maxLength: 12 }).map((units) => units.join(""));

it("matches and their context come in pages, each line once, and the pages have an end", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(aLine, { minLength: 1, maxLength: 60 }),
      fc.constantFrom("\n", "\r\n"),
      fc.array(fc.constantFrom(...PATTERNS), { minLength: 1, maxLength: 4 }),
      fc.record({
        contextBefore: fc.nat({ max: 3 }),
        contextAfter: fc.nat({ max: 3 }),
        maxResults: fc.integer({ min: 1, max: 5 }),
        maxChars: fc.constantFrom(30, 60, 200, 20_000),
        ignoreCase: fc.boolean(),
      }),
      async (given, lineBreak, patterns, options) => {
        const content = given.join(lineBreak) + lineBreak;
        const lines = splitLines(content).map((line) => line.replace(/\r$/, ""));
        const { workspace } = await makeStore();
        await workspace.put({ content }, { sessionId: "default", toolCallId: "a" });
        for (const pattern of patterns) {
          const expression = new RegExp(pattern, options.ignoreCase ? "iu" : "u");
          const first = await workspace.grepKnowledge("a", pattern, { view: "raw", ...options });
          const pages = await followAll(workspace, first, { maxChars: options.maxChars });
          const shown = pages.flatMap(({ text }) => (text === "" ? [] : text.split("\n")));
          const matching: number[] = [];
          for (const line of shown) {
            if (line === "--") continue;
            const [, number, sign, text] = /^(\d+)([:=-])(.*)$/su.exec(line) ?? [];
            // A line that is cut to its window is shown with its column.
            expect(lines[Number(number) - 1]?.startsWith((text ?? "").replace(/…$/, ""))).toBe(
              true,
            );
            if (sign === ":") matching.push(Number(number));
          }
          for (const { text } of pages) expect(text.length).toBeLessThanOrEqual(options.maxChars);
          const expected = lines.flatMap((line, at) => (expression.test(line) ? [at + 1] : []));
          // What matches nothing as it stands is searched for as it was probably meant, and the answer says so.
          const isReread =
            expected.length === 0 && first.note?.startsWith("Searched for ") === true;
          if (!isReread) expect(matching).toEqual(expected);
        }
        await workspace.close();
      },
    ),
    { numRuns: runs(60) },
  );
});
