import { describe, expect, it } from "vitest";
import { findSoleText } from "../../../../../src/core/lib/wrapping/sole-text.js";
import { generatedArray, sourceOf } from "../../lib/json/sources.js";

const found = async (value: unknown): Promise<string | undefined> => {
  const json = typeof value === "string" ? value : JSON.stringify(value);
  const range = await findSoleText(sourceOf(json));
  return range && Buffer.from(json).subarray(range.start, range.end).toString();
};

describe("the text of a lone text block", () => {
  it("is found whatever stands beside it", async () => {
    expect(await found([{ type: "text", text: "a\nb" }])).toBe("a\\nb");
    expect(await found([{ text: "é", type: "text" }])).toBe("é");
    expect(await found([{ annotations: { text: [1] }, type: "text", text: "", x: [] }])).toBe("");
    expect(await found(' [ { "type" : "text" , "text" : "x" } ]\n')).toBe("x");
  });

  it.each([
    [[]],
    [
      [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    ],
    [[{ type: "text", text: "a" }, 1]],
    [[{ type: "code", text: "a" }]],
    [[{ type: "image", text: "a" }]],
    [[{ type: "text", text: ["a"] }]],
    [[{ type: "text" }]],
    [[{ text: "a" }]],
    [["a"]],
    [{ type: "text", text: "a" }],
    ['"text"'],
    ['[{"type":"text","text":"a"}]\n[{"type":"text","text":"b"}]'],
  ])("is not seen in %j", async (value) => {
    expect(await found(value)).toBeUndefined();
  });

  it("is looked for in the first piece alone where the first value tells", async () => {
    const rows = generatedArray(1_000_000, (n) => `{"n":${String(n).padStart(9, " ")}}`);
    expect(await findSoleText(rows)).toBeUndefined();
    expect(rows.bytesRead).toBeLessThanOrEqual(1_048_576);
  });
});
