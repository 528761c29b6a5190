import { describe, expect, it } from "vitest";
import {
  findStrings,
  parseInputReference,
  renderInputReference,
  replaceStrings,
  targetOf,
} from "../../../../src/core/offloader/large-parts.js";

const HASH = "0123456789abcdef";

describe("the reference to a string of an input", () => {
  it.each(["t1-input", 'a "quoted" id\\', "日本"])("can be parsed back: %j", (artifactId) => {
    const reference = renderInputReference(
      { artifactId, hash: HASH },
      { pointer: '/a~1b/"0"', text: "x".repeat(5_000) },
    );
    expect(reference).toContain("5000 chars, hash 01234567]");
    expect(parseInputReference(reference)).toEqual({ artifactId, hash: "01234567" });
  });

  it.each(["", "[Stored: something]", "see [Stored: artifact_id=1]"])("is not %j", (text) => {
    expect(parseInputReference(text)).toBeUndefined();
  });

  it("is found in an input, as a value or as JSON, and not in one that contains itself", () => {
    const place = { pointer: "/deep/0", text: "x".repeat(500) };
    const text = renderInputReference({ artifactId: "t1-input", hash: HASH }, place);
    const part = { kind: "toolInput", id: "t1", path: [] } as const;
    const target = { artifactId: "t1-input", hash: "01234567" };
    const input: Record<string, unknown> = { path: "a.ts", deep: [text] };
    expect(targetOf({ ...part, value: input })).toEqual(target);
    expect(targetOf({ ...part, value: JSON.stringify(input) })).toEqual(target);
    input["self"] = input;
    expect(targetOf({ ...part, value: input })).toBeUndefined();
    expect(targetOf({ ...part, kind: "userMessage", value: text })).toBeUndefined();
  });
});

describe("the strings of an input", () => {
  const input = { "a/b": "one", list: [1, "two", { c: "three" }], none: null };

  it("are found at any depth, with their pointers", () => {
    expect(findStrings(input)).toEqual([
      { pointer: "/a~1b", text: "one" },
      { pointer: "/list/1", text: "two" },
      { pointer: "/list/2/c", text: "three" },
    ]);
  });

  it("are replaced by their pointers, and nothing else is", () => {
    const replaced = replaceStrings(input, new Map([["/list/2/c", "3"]]));
    expect(replaced).toEqual({ ...input, list: [1, "two", { c: "3" }] });
    expect(Object.keys(replaced as object)).toEqual(Object.keys(input));
    expect(input.list[2]).toEqual({ c: "three" });
  });
});
