import { describe, expect, it } from "vitest";
import { minChars, minRatio, minTokens } from "../../../../src/core/policies/by-size.js";
import { at, decide, decideLengths } from "../../../support/decide.js";

describe("minChars", () => {
  it("offloads from the threshold on, and never an empty one", () => {
    expect(decideLengths(minChars(100), [0, 99, 100, 101], 300)).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(decideLengths(minChars(0), [0, 1], 1)).toEqual([false, true]);
  });
});

describe("minRatio", () => {
  it("offloads all from the share on, else none", () => {
    expect(decideLengths(minRatio(0.2), [100, 100], 1000)).toEqual([true, true]);
    expect(decideLengths(minRatio(0.2), [100, 99], 1000)).toEqual([false, false]);
  });

  it("with 0 needs only something to gain", () => {
    expect(decideLengths(minRatio(0), [1], 1_000_000)).toEqual([true]);
    expect(decideLengths(minRatio(0), [0], 1_000_000)).toEqual([false]);
    expect(decideLengths(minRatio(0), [0], 0)).toEqual([false]);
  });

  it("with 1 needs all of it", () => {
    expect(decideLengths(minRatio(1), [500, 500], 1000)).toEqual([true, true]);
    expect(decideLengths(minRatio(1), [500, 499], 1000)).toEqual([false, false]);
  });
});

describe("minTokens", () => {
  it("minTokens counts tokens, and does not count what is too short to have them", () => {
    const counted: number[] = [];
    const policy = minTokens(100, (text) => {
      counted.push(text.length);
      return text.length / 4;
    });
    expect(decide(policy, [at(1, 99), at(1, 399), at(1, 400)])).toEqual([false, false, true]);
    expect(counted).toEqual([399, 400]);
    expect(decide(minTokens(1000), [at(1, 500), at(1, 50_000)])).toEqual([false, true]);
  });
});
