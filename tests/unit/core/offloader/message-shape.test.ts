import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../../support/shared-objects.js";
import { hasShape, isConstant, shapeOf } from "../../../../src/core/offloader/turn-memory.js";

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
    ["a field that moved up a level", { a: { b: 1 } }, { a: {}, b: 1 }],
    ["an empty list that became a number", { rows: [] }, { rows: 0 }],
    ["a list that became a number and a field", { rows: ["b", 7] }, { rows: 2, b: 7 }],
    ["null that became undefined", { a: null }, { a: undefined }],
  ])("shows %s", (_, before, after) => {
    expect(hasShape(after, shapeOf(before))).toBe(false);
    expect(hasShape(before, shapeOf(after))).toBe(false);
  });

  it("tells 0 from -0, and takes NaN for itself", () => {
    expect(hasShape([0], shapeOf([-0]))).toBe(false);
    expect(hasShape([Number.NaN], shapeOf([Number.NaN]))).toBe(true);
    expect(hasShape({ a: undefined }, shapeOf({}))).toBe(false);
  });

  it("of what is nested too deep counts as changed every time", () => {
    expect(hasShape(nested(64), shapeOf(nested(64)))).toBe(true);
    expect(hasShape(nested(65), shapeOf(nested(65)))).toBe(false);
  });
});

describe("a message that can never change", () => {
  const frozen = (value: object) => Object.freeze(value);

  it("is plain data, frozen at every level", () => {
    fc.assert(
      fc.property(fc.object(), (message) => {
        expect(isConstant(deepFreeze(message))).toBe(true);
      }),
    );
    expect(isConstant(frozen({ role: "user", content: frozen([frozen({ text: "a" })]) }))).toBe(
      true,
    );
  });

  it.each<[string, unknown]>([
    ["an object that is not frozen", { a: 1 }],
    ["an inner object that is not frozen", frozen({ a: frozen([{}]) })],
    ["an inner array that is not frozen", frozen({ a: [] })],
    ["a getter", frozen(Object.defineProperty({}, "a", { get: () => 1, enumerable: true }))],
    ["an object of a class, which may hold more", frozen({ a: frozen(new Date()) })],
    ["a map", frozen({ a: frozen(new Map()) })],
    ["what is nested too deep", deepFreeze(nested(65) as object)],
    ["a string", "text"],
  ])("is not %s", (_, message) => {
    expect(isConstant(message)).toBe(false);
  });
});
