import { describe, expect, it } from "vitest";
import { byTool } from "../../../../src/core/policies/by-result.js";
import { minChars, minTokens } from "../../../../src/core/policies/by-size.js";
import {
  all,
  any,
  not,
  requirePolicy,
  requireVerdicts,
} from "../../../../src/core/policies/combine.js";
import { tokenBudget } from "../../../../src/core/policies/by-budget.js";

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
    expect(requirePolicy("policy", good)).toBe(good);
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
  ])("is named when it answers with %s", (_, verdicts) => {
    expect(() => requireVerdicts(good, verdicts, 1)).toThrow(/\bmine must return an array of 1\b/);
  });
});
