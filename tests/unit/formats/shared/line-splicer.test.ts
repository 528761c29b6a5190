import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findChange } from "../../../../src/formats/shared/line-splicer.js";
import { valueAt } from "../../../../src/formats/shared/message-parts.js";

describe("where two JSON values differ", () => {
  it.each<[string, unknown, unknown, unknown]>([
    ["nothing", { a: [1] }, { a: [1] }, undefined],
    ["a value deep inside", { a: [1, { b: "x" }] }, { a: [1, { b: "y" }] }, ["a", 1, "b"]],
    ["two values", { a: { b: 1, c: 2 } }, { a: { b: 2, c: 1 } }, ["a"]],
    ["a missing key", { a: { b: 1, c: 2 } }, { a: { b: 1 } }, ["a"]],
    ["another order of keys", { a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }, ["a"]],
    ["another length", { a: [1] }, { a: [1, 2] }, ["a"]],
    ["another type", { a: [1] }, { a: { 0: 1 } }, ["a"]],
    ["everything", 1, "1", []],
  ])("%s", (_what, before, after, path) => {
    expect(findChange(before, after)).toEqual(path);
    expect(findChange(after, before)).toEqual(path);
  });

  it("holds every difference, whatever the values", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const before = { same: left, other: [left, { deep: left }] };
        const after = { same: left, other: [left, { deep: right }] };
        const path = findChange(before, after);
        expect((path ?? []).slice(0, 3)).toEqual(path ? ["other", 1, "deep"] : []);
        const isSame = JSON.stringify(after) === JSON.stringify(before);
        expect(path === undefined).toBe(isSame);
        if (path) {
          const differ =
            JSON.stringify(valueAt(after, path)) !== JSON.stringify(valueAt(before, path));
          expect(differ).toBe(true);
        }
      }),
    );
  });
});
