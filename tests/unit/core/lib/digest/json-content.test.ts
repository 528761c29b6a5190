import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readJson } from "../../../../../src/core/lib/digest/json-content.js";
import { sampleText } from "../../../../../src/core/lib/digest/sampled-text.js";

type Container = Readonly<Record<string, unknown>>;

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

/** Whether each part that counts as complete is what it should be, and the others are its start. */
function checkParts(part: unknown, truth: unknown, unfinished: ReadonlySet<object>): void {
  if (!isContainer(part) || !unfinished.has(part)) {
    expect(JSON.stringify(part)).toBe(JSON.stringify(truth));
    return;
  }
  if (!isContainer(truth)) throw new TypeError("There is more than was written.");
  expect(Array.isArray(part)).toBe(Array.isArray(truth));
  for (const key of Object.keys(part)) {
    expect(Object.keys(truth)).toContain(key);
    checkParts(part[key], truth[key], unfinished);
  }
}

describe("JSON that is cut off", () => {
  const { tree } = fc.letrec((tie) => ({
    leaf: fc.oneof(fc.integer(), fc.string(), fc.constantFrom(null, true, "}", ',"', "[\\")),
    tree: fc.oneof({ maxDepth: 5 }, tie("leaf"), tie("list"), tie("fields")),
    list: fc.array(tie("tree"), { maxLength: 5 }),
    fields: fc.dictionary(fc.constantFrom("a", "b", 'q"', "\\", "__proto__", "{"), tie("tree")),
  }));
  const values = fc.oneof(
    fc.array(tree, { minLength: 1 }),
    fc.record({ b: tree, c: tree, a: tree }),
  );

  it("is known to be complete or not in each of its parts, wherever it is cut", () => {
    const indents = fc.constantFrom(undefined, 2);
    fc.assert(
      fc.property(values, indents, fc.nat(), (value, indent, at) => {
        const json = JSON.stringify(value, null, indent);
        const read = readJson(sampleText(json.slice(0, at % json.length)));
        if (read === undefined) return;
        expect(read.unfinished.has(read.value as object)).toBe(true);
        checkParts(read.value, JSON.parse(json), read.unfinished);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["inside a string", '{"a": [1, 2], "b": [{"c": 1}, {"c": 2, "d": "wor', ["/", "/b", "/b/1"]],
    ["after a key", '{"a": [1, 2], "b": [{"c": 1}, {"c": 2, "d":', ["/", "/b", "/b/1"]],
    ["between records", '{"a": [1, 2], "b": [{"c": 1}, {"c": 2}, ', ["/", "/b"]],
    ["under a key that is a number", '{"b": [1], "a": {"c": 1}, "7": [1, 2', ["/", "/7"]],
    ["under a key that comes twice", '{"a": [1], "a": [1, 2, ', ["/", "/a"]],
    ["in nested arrays", "[[1, 2], [3, [4, 5", ["/", "/1", "/1/1"]],
  ])("%s has unfinished parts only where the cut is", (_, text, expected) => {
    const { value, unfinished } = readJson(sampleText(text)) ?? { unfinished: new Set() };
    const found: string[] = [];
    const visit = (part: unknown, path: string): void => {
      if (!isContainer(part)) return;
      if (unfinished.has(part)) found.push(path === "" ? "/" : path);
      for (const key of Object.keys(part)) visit(part[key], `${path}/${key}`);
    };
    visit(value, "");
    expect(found).toEqual(expected);
  });
});
