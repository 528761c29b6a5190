import { describe, expect, it } from "vitest";
import type { Conversation, Policy } from "../../../../src/core/engine/policy.js";
import { all } from "../../../../src/core/policies/combine.js";
import { everything } from "../../../../src/core/policies/by-result.js";
import { minChars, minRatio } from "../../../../src/core/policies/by-size.js";
import { toolResult } from "../../../support/tool-results.js";

const ofLengths = (...lengths: number[]) => lengths.map((length) => toolResult("x".repeat(length)));

const conversationOf = (totalChars: number): Conversation => ({
  messageCount: 1,
  totalChars,
  lastModelMessage: -1,
  turnsAfter: () => 0,
  charsFrom: () => totalChars,
});

const leaving = (policy: Policy, lengths: number[], totalChars: number) =>
  policy.decide(ofLengths(...lengths), conversationOf(totalChars)).map(({ offload }) => offload);

describe("everything", () => {
  it("lets all leave, the empty one too", () => {
    expect(leaving(everything, [0, 1, 1000], 1001)).toEqual([true, true, true]);
  });
});

describe("minChars", () => {
  it("lets leave from the threshold on, and never an empty one [DESIGN-O-min-chars]", () => {
    expect(leaving(minChars(100), [0, 99, 100, 101], 300)).toEqual([false, false, true, true]);
    expect(leaving(minChars(0), [0, 1], 1)).toEqual([false, true]);
  });
});

describe("minRatio", () => {
  it("lets all leave from the share on, else none [DESIGN-O-min-ratio]", () => {
    expect(leaving(minRatio(0.2), [100, 100], 1000)).toEqual([true, true]);
    expect(leaving(minRatio(0.2), [100, 99], 1000)).toEqual([false, false]);
  });

  it("with 0 needs only something to gain", () => {
    expect(leaving(minRatio(0), [1], 1_000_000)).toEqual([true]);
    expect(leaving(minRatio(0), [0], 1_000_000)).toEqual([false]);
    expect(leaving(minRatio(0), [0], 0)).toEqual([false]);
  });

  it("with 1 needs all of it", () => {
    expect(leaving(minRatio(1), [500, 500], 1000)).toEqual([true, true]);
    expect(leaving(minRatio(1), [500, 499], 1000)).toEqual([false, false]);
  });
});

describe("all", () => {
  it("shows each policy only what those before it chose [DESIGN-O-all]", () => {
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
    expect(leaving(all(minChars(100), spy), [50, 200, 300, 99, 400], 1049)).toEqual([
      false,
      true,
      false,
      false,
      true,
    ]);
    expect(seen).toEqual([200, 300, 400]);
  });

  it("keeps the reason of the policy that decided [DESIGN-O-all]", () => {
    const reasons = all(minChars(100), minRatio(0.5))
      .decide(ofLengths(50, 200), conversationOf(1000))
      .map(({ reason }) => reason);
    expect(reasons).toEqual(["minChars(100): too small", "minRatio(0.5): too small a share"]);
  });

  it("asks no further policy when nothing is left to choose from", () => {
    const never: Policy = {
      name: "never",
      needsTotalChars: true,
      perResult: true,
      decide: () => {
        throw new Error("must not be asked");
      },
    };
    const policy = all(minChars(100), never);
    expect(leaving(policy, [1, 2], 3)).toEqual([false, false]);
    expect(policy).toMatchObject({ name: "all(minChars(100), never)", needsTotalChars: true });
  });
});
