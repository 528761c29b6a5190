import { describe, expect, it } from "vitest";
import { createConversation } from "../../../../src/core/engine/policy.js";
import { byTool } from "../../../../src/core/policies/by-result.js";
import { cacheAware } from "../../../../src/core/policies/by-budget.js";
import { all } from "../../../../src/core/policies/combine.js";
import { at, conversationOf, decide } from "../../../support/decide.js";

describe("cacheAware", () => {
  it("offloads at no cost what was not sent yet", () => {
    const results = [at(9, 5_000)];
    const policy = cacheAware({ readPrice: 0.1, writePrice: 1.25, turnsAhead: 0 });
    const [verdict] = policy.decide(results, conversationOf(results, 10));
    expect(verdict).toMatchObject({
      offload: true,
      reason: expect.stringContaining("not sent yet") as string,
    });
  });

  it("rewrites what was sent only when the turns ahead pay for it", () => {
    // Early and large, with little after it: it pays over enough turns.
    const large = [at(1, 100_000), at(3, 500)];
    expect(decide(cacheAware({ turnsAhead: 10 }), large)[0]).toBe(true);
    expect(decide(cacheAware({ turnsAhead: 0 }), large)[0]).toBe(false);
    // Small, with a lot after it that would have to be written again: it does not.
    const small = [at(1, 3_000), at(3, 400), at(5, 200_000, { toolName: "kept" })];
    const policy = all(byTool({ never: ["kept"] }), cacheAware({ turnsAhead: 10 }));
    expect(decide(policy, small)).toEqual([false, false, false]);
  });

  it("weighs where to begin: the later one alone may pay when both together do not", () => {
    const results = [at(1, 1_300), at(7, 100_000)];
    const wide = createConversation(9, {
      results: [...results],
      otherChars: 900_000,
      modelMessages: [0, 2, 4, 6, 8],
      messageChars: (index) => (index === 3 ? 900_000 : 100),
    });
    expect(
      cacheAware({ turnsAhead: 20 })
        .decide(results, wide)
        .map((v) => v.offload),
    ).toEqual([false, true]);
  });

  it("says what it gains", () => {
    const results = [at(1, 100_000)];
    const [verdict] = cacheAware().decide(results, conversationOf(results, 4));
    expect(verdict?.reason).toMatch(/pays, gains \d+ token prices/);
  });

  it("offloads again what was offloaded before, whatever it costs, since that is what was sent", () => {
    const results = [at(1, 3_000, { offloadedBefore: true }), at(5, 200_000)];
    const policy = cacheAware({ turnsAhead: 0 });
    expect(decide(policy, results)).toEqual([true, false]);
  });

  it("refuses prices that are not numbers from 0 on", () => {
    expect(() => cacheAware({ readPrice: -1 })).toThrow("readPrice must be a number of at least 0");
    expect(() => cacheAware({ turnsAhead: Number.NaN })).toThrow("turnsAhead");
  });
});
