import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  escapeAttribute,
  escapeMarkup,
  unescapeMarkup,
} from "../../../../../src/core/workspace/reference/markup.js";
import { hiddenCodePoints } from "../../lib/digest/sample-texts.js";
import { anyString } from "../../../../support/any-string.js";

const TEXT = fc.oneof(
  anyString(),
  fc
    .array(
      fc.constantFrom(
        ...'& < > / " ; # knowledge KNOWLEDGE knowledge_list amp lt gt quot 10 1114112 99999999999 \n \t'.split(
          " ",
        ),
        " ",
        "&amp;",
        "&lt;",
        "&#10;",
        "</knowledge>",
      ),
      { maxLength: 14 },
    )
    .map((parts) => parts.join("")),
);

describe("markup", () => {
  it("is escaped and unescaped exactly", () => {
    fc.assert(
      fc.property(TEXT, (text) => {
        expect(unescapeMarkup(escapeMarkup(text))).toBe(text);
        expect(unescapeMarkup(escapeAttribute(text))).toBe(text);
      }),
      { numRuns: 3_000 },
    );
  });

  it("of our own never comes from content", () => {
    fc.assert(
      fc.property(TEXT, (text) => {
        expect(escapeMarkup(text)).not.toMatch(/<[\s/]*knowledge/i);
        expect(escapeAttribute(text)).not.toMatch(/[<>"\n\t]/);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    "Promise<void>",
    "a < b && c > d",
    "<div class='x'>&nbsp;</div>",
    "std::vector<int>& v",
    "R&D; A&B",
  ])("leaves %s as it stands", (text) => {
    expect(escapeMarkup(text)).toBe(text);
  });

  it("is undone in references that an earlier version wrote", () => {
    expect(unescapeMarkup("Promise&lt;void&gt; &amp;&amp; &quot;x&quot; &#10;")).toBe(
      'Promise<void> && "x" \n',
    );
  });

  it("never makes a reader throw", () => {
    expect(unescapeMarkup("&#1114112; &#99999999999999999999;")).toBe(
      "&#1114112; &#99999999999999999999;",
    );
  });

  it("shows no character in an attribute that cannot be seen", () => {
    for (const codePoint of hiddenCodePoints()) {
      const text = `a${String.fromCodePoint(codePoint)}b`;
      const escaped = escapeAttribute(text);
      expect(escaped, codePoint.toString(16)).toBe(`a&#${codePoint};b`);
      expect(unescapeMarkup(escaped)).toBe(text);
    }
  });
});
