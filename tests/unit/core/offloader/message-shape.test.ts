import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasShape, shapeOf } from "../../../../src/core/offloader/message-shape.js";

function nested(depth: number): unknown {
  return depth === 0 ? "end" : { inside: nested(depth - 1) };
}

describe("the shape of a message", () => {
  it("is that of every copy, and not that of another message", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(hasShape(structuredClone(one), shapeOf(one))).toBe(true);
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        if (!isSame) expect(hasShape(other, shapeOf(one))).toBe(false);
      }),
    );
  });

  it.each<[string, unknown, unknown]>([
    ["a value that changed", { a: 1 }, { a: 2 }],
    ["a key that was added", { a: 1 }, { a: 1, b: 2 }],
    ["a key that was removed", { a: 1, b: 2 }, { a: 1 }],
    ["a key that was renamed", { a: 1 }, { b: 1 }],
    ["an array that became longer", [1], [1, 2]],
    ["an element that moved up a level", [[1], 2], [[1, 2]]],
    ["a string that became a number", ["1"], [1]],
    ["null that became undefined", { a: null }, { a: undefined }],
  ])("shows %s", (_, before, after) => {
    expect(hasShape(after, shapeOf(before))).toBe(false);
    expect(hasShape(before, shapeOf(after))).toBe(false);
  });

  it("of what is nested too deep counts as changed every time", () => {
    expect(hasShape(nested(64), shapeOf(nested(64)))).toBe(true);
    expect(hasShape(nested(65), shapeOf(nested(65)))).toBe(false);
  });
});
