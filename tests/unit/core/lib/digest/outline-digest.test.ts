import { describe, expect, it } from "vitest";

import { digestText } from "../../../../../src/core/digest-text.js";
import * as texts from "./sample-texts.js";

function outlineOf(text: string): string[] {
  const [, body = ""] = digestText(text, { budgetChars: 3_000 }).text.split(
    /(?:Outline|Headings):\n/,
  );
  return body.split("\nFirst and last lines:")[0]?.split("\n") ?? [];
}

describe("the outline of code [DESIGN-W-digest-code]", () => {
  it.each([
    [
      "TypeScript",
      texts.TYPESCRIPT,
      [
        "3: export interface Station",
        "7: export type Reading = { station: Station; celsius: number };",
        "11: export const isHot = (reading: Reading): boolean => reading.celsius > LIMIT;",
        "13: export class Archive",
        "16: add(reading: Reading): void",
        "23: async load(path: string): Promise<void>",
        "31: export async function main(): Promise<void>",
      ],
    ],
    [
      "Python",
      texts.PYTHON,
      [
        "6: class Harbour",
        "9: def depth(self, hour)",
        "14: async def fetch(harbour)",
        "17: def main()",
      ],
    ],
    [
      "Go",
      texts.GO,
      [
        "5: type Harbour struct",
        "9: func (h *Harbour) Depth(hour int) (float64, error)",
        "16: func Main()",
      ],
    ],
    [
      "Rust",
      texts.RUST,
      [
        "3: pub struct Harbour",
        "7: impl fmt::Display for Harbour",
        "8: fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result",
        "13: pub(crate) fn depth(hour: u32) -> f64",
      ],
    ],
    [
      "Java",
      texts.JAVA,
      [
        "5: public class Harbour",
        "8: public Harbour(String name)",
        "12: public double depth(int hour) throws TideException",
      ],
    ],
    [
      "C",
      texts.C,
      [
        "3: struct harbour",
        "7: static double depth(const struct harbour *h, int hour)",
        "15: int main(int argc, char **argv)",
      ],
    ],
    [
      "Ruby",
      texts.RUBY,
      ["3: module Tide", "4: class Harbour", "5: def initialize(name)", "9: def depth(hour)"],
    ],
  ])("finds the declarations of %s", (_language, text, expected) => {
    expect(outlineOf(text)).toEqual(expected);
  });

  it.each(["→", "\t", ": ", " "])("sees through the numbers of a listing (%j)", (separator) => {
    const digest = digestText(texts.numbered(texts.GO, separator));
    expect(digest.kind).toBe("code");
    // The listing starts at 101; what counts is the line of the content itself.
    expect(digest.text).toContain("\n9: func (h *Harbour) Depth(hour int) (float64, error)\n");
  });

  it("sees other kinds through the numbers too", () => {
    expect(digestText(texts.numbered(texts.MARKDOWN, "→")).kind).toBe("markdown");
    expect(digestText(texts.numbered('{\n  "a": [1, 2],\n  "b": 3\n}', "\t")).text).toContain(
      "a: [2 items] 1, 2",
    );
  });

  it("gives the outer levels first and says what is missing", () => {
    const classes = Array.from(
      { length: 30 },
      (_, at) =>
        `class Harbour${at}:\n${"    def depth_of_the_water(self):\n        return 1\n".repeat(20)}`,
    ).join("\n");
    const { text } = digestText(classes);
    for (let at = 0; at < 30; at += 1) expect(text).toContain(`: class Harbour${at}\n`);
    expect(text).toMatch(/… \d\d\d more not shown …$/);
  });
});

describe("the outline of Markdown", () => {
  it("has the headings outside fences [DESIGN-W-digest-markdown]", () => {
    expect(digestText(texts.MARKDOWN).kind).toBe("markdown");
    expect(outlineOf(texts.MARKDOWN)).toEqual([
      "1: # Tide tables",
      "5: ## Install",
      "12: Usage",
      "18: ### Details of the harbour",
    ]);
  });

  it("drops the deepest headings when there are too many", () => {
    const part = (at: number): string =>
      `## Part ${at}\n\n${"### A detail of this part\n\nwords\n\n".repeat(20)}`;
    const { kind, text } = digestText(
      `# Book\n\n${Array.from({ length: 20 }, (_, at) => part(at)).join("")}`,
    );
    expect(kind).toBe("markdown");
    for (let at = 0; at < 20; at += 1) expect(text).toContain(`: ## Part ${at}\n`);
  });
});

describe("the digest of a diff", () => {
  it("names files with their hunks and changed lines", () => {
    const { kind, text } = digestText(texts.DIFF);
    expect(kind).toBe("code");
    expect(text.split("\n").slice(0, 6)).toEqual([
      "Diff, 18 lines, 2 files, 3 hunks:",
      "1: src/tide.ts +3 -2, 2 hunks",
      "5: @@ -1,3 +1,4 @@ export class Tide {",
      "10: @@ -20,2 +21,2 @@",
      "13: old.txt +0 -1, 1 hunk",
      "17: @@ -1 +0,0 @@",
    ]);
  });

  it("knows a diff without git's headers", () => {
    const { text } = digestText("--- a.txt\t2024\n+++ b.txt\t2024\n@@ -1 +1 @@\n-x\n+y\n");
    expect(text).toContain("1: b.txt +1 -1, 1 hunk");
  });
});
