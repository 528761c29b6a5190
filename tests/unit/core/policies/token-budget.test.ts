import { describe, expect, it } from "vitest";
import { tokenBudget } from "../../../../src/core/policies/by-budget.js";
import { at, decide } from "../../../support/decide.js";

describe("tokenBudget", () => {
  const countTokens = (text: string) => text.length / 5;

  it("keeps everything while there is room", () => {
    const results = [at(1, 5_000), at(3, 5_000)];
    expect(decide(tokenBudget({ maxTokens: 5_000, countTokens }), results)).toEqual([false, false]);
  });

  it("offloads the largest of the older half first, and no more than needed", () => {
    const results = [at(1, 5_000), at(3, 20_000), at(5, 30_000), at(7, 5_000)];
    // 1,000 + 4,000 + 6,000 + 1,000 tokens of results, and 250 around them.
    expect(decide(tokenBudget({ maxTokens: 9_000, countTokens }), results)).toEqual([
      false,
      true,
      false,
      false,
    ]);
    expect(decide(tokenBudget({ maxTokens: 3_000, countTokens }), results)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it("keeps what its reference would outweigh", () => {
    const results = [at(1, 1_000), at(3, 1_000)];
    expect(decide(tokenBudget({ maxTokens: 0, countTokens }), results)).toEqual([false, false]);
  });
});
