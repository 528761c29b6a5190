import { describe, expect, it } from "vitest";
import { renderMatches } from "../../../../../src/core/lib/search/render-matches.js";
import type { SearchMatch, SearchQuery } from "../../../../../src/core/lib/search/search-terms.js";

const matchOf = (line: number, text: string, more: Partial<SearchMatch> = {}): SearchMatch => ({
  ...{ line, text, column: 1, textColumn: 1, lineChars: text.length, before: [], after: [] },
  ...more,
});
const context = (line: number, text: string) => ({ line, text, lineChars: text.length });

function render(
  matches: SearchMatch[],
  maxChars = 1_000,
  around = 0,
  matchingLines = matches.length,
) {
  const query = { contextBefore: around, contextAfter: around } as SearchQuery;
  return renderMatches({ matches, matchingLines }, query, maxChars);
}

describe("matches as text", () => {
  it("are lines with their numbers, and say where to go on", () => {
    expect(render([matchOf(3, "one"), matchOf(7, "two")], 1_000, 0, 5)).toEqual({
      ...{ text: "3:one\n7:two", shown: 2, left: 3, nextLine: 8 },
      ...{ nextChar: undefined, isNarrowed: false },
    });
  });

  it("stop at the last that fits", () => {
    const { text, left, nextLine } = render([matchOf(3, "one"), matchOf(7, "two")], 8);
    expect([text, left, nextLine]).toEqual(["3:one", 1, 7]);
  });

  it("have their context around them, less of it where there is no room", () => {
    const around = { before: [context(2, "above")], after: [context(4, "below")] };
    const match = matchOf(3, "one", around);
    expect(render([match, matchOf(9, "two")], 1_000, 1).text).toBe(
      "2-above\n3:one\n4-below\n--\n9:two",
    );
    expect(render([match], 10, 1)).toMatchObject({ text: "3:one", isNarrowed: true });
  });

  it("on a long line are windows that say where they are", () => {
    const window = { text: "later", column: 51, textColumn: 51 };
    const match = matchOf(1, "first", { lineChars: 100, further: [window], unshown: 2 });
    const all = render([match]);
    expect(all.text).toBe("1:[chars 1-5 of 100] first\n1:[chars 51-55 of 100] later");
    expect(all).toMatchObject({ shown: 2, left: 2, nextLine: 1, nextChar: 56 });
    expect(render([match], 30)).toMatchObject({ shown: 1, left: 3, nextLine: 1, nextChar: 6 });
  });
});
