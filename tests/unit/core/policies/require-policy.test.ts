import { describe, expect, it } from "vitest";
import { byTool } from "../../../../src/core/policies/by-result.js";
import { minChars, minTokens } from "../../../../src/core/policies/by-size.js";
import { all, any, not, requirePolicy } from "../../../../src/core/policies/combine.js";
import { tokenBudget } from "../../../../src/core/policies/by-budget.js";
import type { Policy } from "../../../../src/core/engine/policy.js";
import { decideLengths } from "../../../support/decide.js";

describe("what is not a policy", () => {
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

describe("your own policy", () => {
  const good = { name: "mine", perResult: true, needsTotalChars: false, decide: () => [] };

  it("is taken with all of its parts", () => {
    const { name, perResult, needsTotalChars } = good;
    const taken = requirePolicy("policy", good);
    expect(taken).toMatchObject({ name, perResult, needsTotalChars });
    expect(taken.decide([], {} as never)).toEqual([]);
  });

  it.each([
    ["name", 7],
    ["perResult", undefined],
    ["perResult", "yes"],
    ["needsTotalChars", undefined],
    ["needsTotalChars", 1],
    ["decide", undefined],
  ])("is refused with %s %j, and told what a policy has", (part, value) => {
    expect(() => requirePolicy("policy", { ...good, [part]: value })).toThrow(
      /^policy must be .*name, perResult, needsTotalChars and decide/,
    );
  });

  it.each([
    ["too few verdicts", []],
    ["what is not a list", { offload: true }],
    ["a verdict that does not say", [{ reason: "why" }]],
    ["nothing", undefined],
    ["null", null],
    ["a verdict that is none", [true]],
  ])("is named when it answers with %s", (_, verdicts) => {
    const own = { ...good, decide: () => verdicts as never };
    for (const policy of [
      requirePolicy("policy", own),
      all(own),
      any(minChars(200), own),
      not(own),
    ]) {
      expect(() => decideLengths(policy, [100], 100)).toThrow(/\bmine must return an array of 1\b/);
    }
  });
});

describe("a function as a policy", () => {
  const isLong = (result: { readonly chars: number }) => result.chars > 100;

  it("offloads the results for which it returns true, wherever a policy is taken", () => {
    const verdictsOf = (policy: Policy) => decideLengths(policy, [50, 150], 200);
    expect(verdictsOf(requirePolicy("policy", isLong))).toEqual([false, true]);
    expect(verdictsOf(not(isLong))).toEqual([true, false]);
    expect(verdictsOf(all(isLong, minChars(200)))).toEqual([false, false]);
    expect(verdictsOf(any(isLong, minChars(10)))).toEqual([true, true]);
    expect(any(isLong, (result) => result.isError)).toMatchObject({
      name: "any(isLong, any[1])",
      perResult: true,
      needsTotalChars: false,
    });
  });

  it.each([
    ["a promise", () => Promise.resolve(true)],
    ["a policy", () => minTokens(1)],
    ["nothing", () => undefined],
  ])("is refused when it returns %s", (_, answer) => {
    const policy = requirePolicy("policy", answer);
    expect(() => decideLengths(policy, [1], 1)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT" }),
    );
  });

  it.each([minTokens, minChars, all, not, tokenBudget])(
    "is told to be called when it makes policies: %o",
    (factory) => {
      const policy = requirePolicy("policy", factory);
      expect(() => decideLengths(policy, [1], 1)).toThrow(
        expect.objectContaining({
          code: "INVALID_ARGUMENT",
          argument: "policy",
          message: expect.stringContaining("pass what it returns") as string,
        }),
      );
    },
  );
});
