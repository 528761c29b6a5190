import { describe, expect, it } from "vitest";
import { afterTurns, keepRecent } from "../../../../src/core/policies/by-result.js";
import { at, decide } from "../../../support/decide.js";

describe("policies that look at the place", () => {
  const results = [at(1, 500), at(3, 500), at(5, 500), at(9, 500)];

  it("keepRecent keeps the newest", () => {
    expect(decide(keepRecent(2), results)).toEqual([true, true, false, false]);
    expect(decide(keepRecent(0), results)).toEqual([true, true, true, true]);
    expect(decide(keepRecent(9), results)).toEqual([false, false, false, false]);
    expect(() => keepRecent(-1)).toThrow("a whole number of at least 0");
  });

  it("afterTurns counts the model's messages after the result", () => {
    expect(decide(afterTurns(2), results)).toEqual([true, true, false, false].map((_, i) => i < 3));
    expect(decide(afterTurns(3), results)).toEqual([true, true, false, false]);
    expect(decide(afterTurns(0), results)).toEqual([true, true, true, true]);
  });
});
