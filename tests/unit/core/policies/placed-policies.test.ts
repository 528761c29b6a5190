import { describe, expect, it } from "vitest";
import type { Conversation, Policy } from "../../../../src/core/engine/policy.js";
import { afterTurns, keepRecent } from "../../../../src/core/policies/by-place.js";
import { all, any, not } from "../../../../src/core/policies/combine.js";
import { tokenBudget } from "../../../../src/core/policies/token-budget.js";
import { cacheAware } from "../../../../src/core/policies/cache-aware.js";
import { byTool, flagged, keepErrors } from "../../../../src/core/policies/by-result.js";
import { minChars, minTokens } from "../../../../src/core/policies/by-size.js";
import type { ToolResult } from "../../../../src/core/engine/tool-result.js";
import { createConversation } from "../../../../src/core/engine/conversation.js";
import { toolResult } from "../../../support/tool-results.js";

/** A conversation in which the model speaks at even positions and tools answer at odd ones. */
function conversationOf(results: readonly ToolResult[], messageCount: number): Conversation {
  const modelMessages = Array.from({ length: Math.ceil(messageCount / 2) }, (_, turn) => turn * 2);
  return createConversation(messageCount, {
    results: [...results],
    otherChars: messageCount * 100,
    modelMessages,
    messageChars: (index) =>
      100 + results.reduce((sum, r) => sum + (r.messageIndex === index ? r.chars : 0), 0),
  });
}

const at = (messageIndex: number, chars: number, changes: Partial<ToolResult> = {}) =>
  toolResult("word ".repeat(Math.ceil(chars / 5)).slice(0, chars), { messageIndex, ...changes });

function leaving(policy: Policy, results: readonly ToolResult[], messageCount = 10): boolean[] {
  return policy
    .decide(results, conversationOf(results, messageCount))
    .map(({ offload }) => offload);
}

describe("policies that look at one result alone", () => {
  it("minTokens counts tokens, and does not count what is too short to have them [DESIGN-O-min-tokens]", () => {
    const counted: number[] = [];
    const policy = minTokens(100, (text) => {
      counted.push(text.length);
      return text.length / 4;
    });
    expect(leaving(policy, [at(1, 99), at(1, 399), at(1, 400)])).toEqual([false, false, true]);
    expect(counted).toEqual([399, 400]);
    expect(leaving(minTokens(1000), [at(1, 500), at(1, 50_000)])).toEqual([false, true]);
  });

  it("tools lets leave or stay by name and action [DESIGN-O-by-tool] [DESIGN-O-policy-arguments]", () => {
    const results = [
      at(1, 9, { toolName: "bash" }),
      at(1, 9, { toolName: "browser", actionName: "snapshot" }),
      at(1, 9, { toolName: "browser", actionName: "click" }),
      at(1, 9),
    ];
    expect(leaving(byTool({ only: ["bash", "browser:snapshot"] }), results)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(leaving(byTool({ never: ["browser"] }), results)).toEqual([true, false, false, true]);
    expect(leaving(byTool({ only: ["browser"], never: ["browser:click"] }), results)).toEqual([
      false,
      true,
      false,
      false,
    ]);
    expect(() => byTool({})).toThrow("an object with only, never or both");
  });

  it("flagged and keepErrors look at the flags [DESIGN-O-flags]", () => {
    const results = [at(1, 9, { offloadFlag: true }), at(1, 9, { isError: true }), at(1, 9)];
    expect(leaving(flagged, results)).toEqual([true, false, false]);
    expect(leaving(keepErrors, results)).toEqual([true, false, true]);
  });

  it("are told from those that look at the place or the whole [DESIGN-O-local]", () => {
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

describe("any and not", () => {
  it("any takes the first that says yes and asks the next only of the rest [DESIGN-O-any-not]", () => {
    const policy = any(minChars(100), flagged);
    const results = [at(1, 200), at(1, 5, { offloadFlag: true }), at(1, 5)];
    const verdicts = policy.decide(results, conversationOf(results, 10));
    expect(verdicts).toEqual([
      { offload: true, reason: "minChars(100): large enough" },
      { offload: true, reason: "flagged: by the host" },
      { offload: false, reason: "minChars(100): too small" },
    ]);
  });

  it("not turns a policy round and says so [DESIGN-O-any-not]", () => {
    const [verdict] = not(keepErrors).decide([at(1, 9)], conversationOf([], 2));
    expect(verdict).toEqual({ offload: false, reason: "not(keepErrors: not an error)" });
  });
});

describe("policies that look at the place", () => {
  const results = [at(1, 500), at(3, 500), at(5, 500), at(9, 500)];

  it("keepRecent keeps the newest [DESIGN-O-keep-recent]", () => {
    expect(leaving(keepRecent(2), results)).toEqual([true, true, false, false]);
    expect(leaving(keepRecent(0), results)).toEqual([true, true, true, true]);
    expect(leaving(keepRecent(9), results)).toEqual([false, false, false, false]);
    expect(() => keepRecent(-1)).toThrow("a whole number of at least 0");
  });

  it("afterTurns counts the model's messages after the result [DESIGN-O-after-turns]", () => {
    expect(leaving(afterTurns(2), results)).toEqual(
      [true, true, false, false].map((_, i) => i < 3),
    );
    expect(leaving(afterTurns(3), results)).toEqual([true, true, false, false]);
    expect(leaving(afterTurns(0), results)).toEqual([true, true, true, true]);
  });
});

describe("budget", () => {
  const countTokens = (text: string) => text.length / 5;

  it("lets nothing leave while there is room [DESIGN-O-budget]", () => {
    const results = [at(1, 5_000), at(3, 5_000)];
    expect(leaving(tokenBudget({ maxTokens: 5_000, countTokens }), results)).toEqual([
      false,
      false,
    ]);
  });

  it("lets the largest of the older half leave first, and no more than needed [DESIGN-O-budget]", () => {
    const results = [at(1, 5_000), at(3, 20_000), at(5, 30_000), at(7, 5_000)];
    // 1,000 + 4,000 + 6,000 + 1,000 tokens of results, and 250 around them.
    expect(leaving(tokenBudget({ maxTokens: 9_000, countTokens }), results)).toEqual([
      false,
      true,
      false,
      false,
    ]);
    expect(leaving(tokenBudget({ maxTokens: 3_000, countTokens }), results)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it("does not let go of what its reference would outweigh", () => {
    const results = [at(1, 1_000), at(3, 1_000)];
    expect(leaving(tokenBudget({ maxTokens: 0, countTokens }), results)).toEqual([false, false]);
  });
});

describe("cacheAware", () => {
  it("lets leave at no cost what was not sent yet [DESIGN-O-cache-aware]", () => {
    const results = [at(9, 5_000)];
    const policy = cacheAware({ readPrice: 0.1, writePrice: 1.25, turnsAhead: 0 });
    const [verdict] = policy.decide(results, conversationOf(results, 10));
    expect(verdict).toMatchObject({
      offload: true,
      reason: expect.stringContaining("not sent yet") as string,
    });
  });

  it("rewrites what was sent only when the turns ahead pay for it [DESIGN-O-cache-aware]", () => {
    // Early and large, with little after it: it pays over enough turns.
    const large = [at(1, 100_000), at(3, 500)];
    expect(leaving(cacheAware({ turnsAhead: 10 }), large)[0]).toBe(true);
    expect(leaving(cacheAware({ turnsAhead: 0 }), large)[0]).toBe(false);
    // Small, with a lot after it that would have to be written again: it does not.
    const small = [at(1, 3_000), at(3, 400), at(5, 200_000, { toolName: "kept" })];
    const policy = all(byTool({ never: ["kept"] }), cacheAware({ turnsAhead: 10 }));
    expect(leaving(policy, small)).toEqual([false, false, false]);
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

  it("says what it gains [DESIGN-O-cache-aware]", () => {
    const results = [at(1, 100_000)];
    const [verdict] = cacheAware().decide(results, conversationOf(results, 4));
    expect(verdict?.reason).toMatch(/pays, gains \d+ token prices/);
  });

  it("lets go again what left before, whatever it costs, since that is what was sent", () => {
    const results = [at(1, 3_000, { offloadedBefore: true }), at(5, 200_000)];
    const policy = cacheAware({ turnsAhead: 0 });
    expect(leaving(policy, results)).toEqual([true, false]);
  });

  it("refuses prices that are none [DESIGN-O-policy-arguments]", () => {
    expect(() => cacheAware({ readPrice: -1 })).toThrow("readPrice must be a number of at least 0");
    expect(() => cacheAware({ turnsAhead: Number.NaN })).toThrow("turnsAhead");
  });
});

describe("a policy that is none", () => {
  it.each([
    () => all(),
    () => all([minChars(1)] as never),
    () => any(undefined as never),
    () => not(undefined as never),
    () => minTokens(Number.NaN),
    () => minTokens(undefined as never),
    () => minChars("100" as never),
    () => byTool({ only: "ls" as never }),
    () => byTool(undefined as never),
    () => tokenBudget(undefined as never),
  ])("is refused when it is made (%#)", (make) => {
    expect(make).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });
});
