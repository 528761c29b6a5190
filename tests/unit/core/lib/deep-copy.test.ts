import { describe, expect, it } from "vitest";
import { deepCopy } from "../../../../src/core/lib/deep-copy.js";

describe("a deep copy", () => {
  it("equals the original and shares nothing with it", () => {
    const original = { a: [{ b: { c: 1 } }, [2, null, undefined]], d: "x" };
    const copied = deepCopy(original);
    expect(copied).toEqual(original);
    copied.a.push([3]);
    (copied.a[0] as { b: { c: number } }).b.c = 9;
    expect(original).toEqual({ a: [{ b: { c: 1 } }, [2, null, undefined]], d: "x" });
  });

  it("keeps an own __proto__ key as the plain key that it is", () => {
    const original = JSON.parse('{"__proto__": {"x": [1]}}') as object;
    const copied = deepCopy(original);
    expect(JSON.stringify(copied)).toBe('{"__proto__":{"x":[1]}}');
    expect(Object.getPrototypeOf(copied)).toBe(Object.prototype);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it("keeps a cycle a cycle and shares what only its class can copy", () => {
    const date = new Date(0);
    const original: { self?: unknown; date: Date } = { date };
    original.self = original;
    const copied = deepCopy(original);
    expect(copied.self).toBe(copied);
    expect(copied).not.toBe(original);
    expect(copied.date).toBe(date);
  });

  it("copies an object without a prototype", () => {
    const bare = Object.assign(Object.create(null) as { a?: number[] }, { a: [1] });
    const copied = deepCopy(bare);
    expect(copied.a).toEqual([1]);
    expect(copied.a).not.toBe(bare.a);
  });
});
