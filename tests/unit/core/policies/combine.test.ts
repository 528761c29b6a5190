import { describe, expect, it } from "vitest";
import type { Policy } from "../../../../src/core/engine/policy.js";
import {
  afterTurns,
  byTool,
  flagged,
  keepErrors,
  keepRecent,
} from "../../../../src/core/policies/by-result.js";
import { minChars, minRatio, minTokens } from "../../../../src/core/policies/by-size.js";
import { cacheAware, tokenBudget } from "../../../../src/core/policies/by-budget.js";
import { all, any, not } from "../../../../src/core/policies/combine.js";
import { at, conversationOf, decideLengths } from "../../../support/decide.js";

describe("all", () => {
  it("shows each policy only what those before it chose", () => {
    const seen: number[] = [];
    const spy: Policy = {
      name: "spy",
      needsTotalChars: false,
      perResult: true,
      decide: (candidates) => {
        seen.push(...candidates.map(({ chars }) => chars));
        return candidates.map(({ chars }) => ({ offload: chars !== 300, reason: "spy" }));
      },
    };
    expect(decideLengths(all(minChars(100), spy), [50, 200, 300, 99, 400], 1049)).toEqual([
      false,
      true,
      false,
      false,
      true,
    ]);
    expect(seen).toEqual([200, 300, 400]);
  });

  it("keeps the reason of the policy that decided", () => {
    const reasons = all(minChars(100), minRatio(0.5))
      .decide([at(1, 50), at(1, 200)], conversationOf([], 10))
      .map(({ reason }) => reason);
    expect(reasons).toEqual(["minChars(100): too small", "minRatio(0.5): too small a share"]);
  });

  it("asks no further policy when there is nothing more to choose from", () => {
    const never: Policy = {
      name: "never",
      needsTotalChars: true,
      perResult: true,
      decide: () => {
        throw new Error("must not be asked");
      },
    };
    const policy = all(minChars(100), never);
    expect(decideLengths(policy, [1, 2], 3)).toEqual([false, false]);
    expect(policy).toMatchObject({ name: "all(minChars(100), never)", needsTotalChars: true });
  });
});

describe("any and not", () => {
  it("any takes the first that says yes and asks the next only of the rest", () => {
    const policy = any(minChars(100), flagged);
    const results = [at(1, 200), at(1, 5, { offloadFlag: true }), at(1, 5)];
    const verdicts = policy.decide(results, conversationOf(results, 10));
    expect(verdicts).toEqual([
      { offload: true, reason: "minChars(100): large enough" },
      { offload: true, reason: "flagged: by the host" },
      { offload: false, reason: "minChars(100): too small" },
    ]);
  });

  it("not turns a policy round and says so", () => {
    const [verdict] = not(keepErrors).decide([at(1, 9)], conversationOf([], 2));
    expect(verdict).toEqual({ offload: false, reason: "not(keepErrors: not an error)" });
  });
});

describe("policies that look at one result alone", () => {
  it("are told from those that look at the place or the whole", () => {
    for (const policy of [minChars(1), minTokens(1), byTool({ only: [] }), flagged, keepErrors]) {
      expect(policy.perResult, policy.name).toBe(true);
      expect(all(policy, not(policy)).perResult).toBe(true);
    }
    for (const policy of [
      keepRecent(1),
      afterTurns(1),
      tokenBudget({ maxTokens: 1 }),
      cacheAware(),
    ]) {
      expect(policy.perResult, policy.name).toBe(false);
      expect(any(minChars(1), policy).perResult).toBe(false);
    }
  });
});
