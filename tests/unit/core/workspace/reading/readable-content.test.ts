import { describe, expect, it } from "vitest";
import type { Content } from "../../../../../src/core/engine/format.js";
import { renderValue } from "../../../../../src/core/lib/wrapping/render-value.js";
import { readableOf } from "../../../../../src/core/workspace/artifacts/readable-view.js";

describe("what content reads like", () => {
  it("is the text itself, or JSON indented", () => {
    expect(readableOf("plain\ntext", 10)).toEqual({ isKnown: true });
    const json = '{"a":[1,2]}';
    const { text, isKnown } = readableOf(json, json.length);
    expect([text?.split("\n").length, isKnown]).toEqual([6, true]);
  });

  it("is not found out for JSON that is too long, or not whole", () => {
    const long = JSON.stringify(Array.from({ length: 60_000 }, (_, at) => at));
    expect(readableOf(long, long.length)).toEqual({ isKnown: false });
    expect(readableOf('{"a":[1,2]}', 1_000, false).isKnown).toBe(false);
  });
});

describe("a value, as a model sees it", () => {
  it.each<[string, unknown, RegExp]>([
    ["one block of text", [{ type: "text", text: "one" }], /^one$/],
    [
      "several blocks",
      [{ type: "text", text: "one" }, { type: "image" }],
      /^--- block 1 of 2: text ---\none\n--- block 2 of 2: image ---\n\{/,
    ],
    ["an object", { a: 1 }, /^\{\n {2}"a": 1\n\}$/],
    [
      "blocks before the same data",
      { content: [{ type: "text", text: "the data" }], structuredContent: { a: 1 } },
      /^the data$/,
    ],
    [
      "data that the blocks only sum up",
      { content: [{ type: "text", text: "ok" }], structuredContent: { a: "x ".repeat(200) } },
      /"structuredContent"/,
    ],
    ["encoded data", [{ type: "image", data: "QUJD".repeat(500) }], /… 2000 characters of encoded/],
  ])("%s", (_, value, expected) => {
    expect(renderValue(value as Exclude<Content, string>)).toMatch(expected);
  });
});
