import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createConversation } from "../../../../src/core/engine/policy.js";
import { readThreshold } from "../../../../src/core/policies/by-size.js";
import { guardPolicy } from "../../../../src/core/policies/combine.js";
import {
  type ToolResult,
  type Policy,
  cacheAware,
  tokenBudget,
  byTool,
  everything,
  freshAndStale,
  flagged,
  keepErrors,
  afterTurns,
  keepRecent,
  minChars,
  minRatio,
  minTokens,
  all,
  any,
  not,
} from "../../../../src/policies.js";
import { at, decide, decideLengths, conversationOf } from "../../../support/decide.js";
import { toolResult } from "../../../support/tool-results.js";

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
    expect(decide(policy, [at(1, 33), at(1, 399), at(1, 400)])).toEqual([false, false, true]);
    expect(counted).toEqual([399, 400]);
    // Three bytes are up to three tokens.
    const rare = minTokens(100, (text) => 3 * text.length);
    expect(decide(rare, [at(1, 40)])).toEqual([true]);
    expect(decide(minTokens(1000), [at(1, 500), at(1, 50_000)])).toEqual([false, true]);
  });
});

const read = (given: unknown, text?: string) =>
  readThreshold({
    option: "ratioThreshold",
    given: given as number | undefined,
    variable: "OFFLOAD_RATIO_THRESHOLD",
    environment: { OFFLOAD_RATIO_THRESHOLD: text },
    fallback: 0.2,
  });
describe("a threshold", () => {
  it("is the option, else the environment, else the default", () => {
    expect(read(0.5, "0.7")).toBe(0.5);
    expect(read(undefined, "0.7")).toBe(0.7);
    expect(read(undefined, undefined)).toBe(0.2);
    expect(read(undefined, "")).toBe(0.2);
    expect(read(undefined, "  ")).toBe(0.2);
    expect(read(0, "abc")).toBe(0);
  });

  it.each([
    ["0", 0],
    ["1", 1],
    [" .25 ", 0.25],
    ["-3", -3],
    ["+2.", 2],
    ["1e3", 1000],
  ])("reads the plain number %j", (text, value) => {
    expect(read(undefined, text)).toBe(value);
  });

  it.each(["20%", "abc", "0x10", "Infinity", "NaN", "1,5", "0.2.1", "1 2"])(
    "refuses %j and says what would be right",
    (text) => {
      expect(() => read(undefined, text)).toThrow(
        expect.objectContaining({
          code: "INVALID_ENVIRONMENT",
          variable: "OFFLOAD_RATIO_THRESHOLD",
          received: text,
          message: expect.stringContaining("must be a plain number such as 0.2") as string,
        }),
      );
    },
  );

  it.each([Number.NaN, "0.2", null])("refuses the option %j", (given) => {
    expect(() => read(given)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", argument: "ratioThreshold" }),
    );
  });
});

describe("everything", () => {
  it("offloads all, the empty one too", () => {
    expect(decide(everything, [at(1, 0), at(1, 1), at(1, 1000)])).toEqual([true, true, true]);
  });
});
describe("policies that look at one result alone", () => {
  it("byTool offloads or keeps by name and action", () => {
    const results = [
      at(1, 9, { toolName: "bash" }),
      at(1, 9, { toolName: "browser", actionName: "snapshot" }),
      at(1, 9, { toolName: "browser", actionName: "click" }),
      at(1, 9),
    ];
    expect(decide(byTool({ only: ["bash", "browser:snapshot"] }), results)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(decide(byTool({ never: ["browser"] }), results)).toEqual([true, false, false, true]);
    expect(decide(byTool({ only: ["browser"], never: ["browser:click"] }), results)).toEqual([
      false,
      true,
      false,
      false,
    ]);
    expect(() => byTool({})).toThrow("an object with only, never or both");
  });

  it("flagged and keepErrors look at the flags", () => {
    const results = [at(1, 9, { offloadFlag: true }), at(1, 9, { isError: true }), at(1, 9)];
    expect(decide(flagged, results)).toEqual([true, false, false]);
    expect(decide(keepErrors, results)).toEqual([true, false, true]);
  });
});

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
      { offload: true, reason: "minChars(100): large enough", isFinal: true },
      { offload: true, reason: "flagged: by the host", isFinal: true },
      { offload: false, reason: "minChars(100): too small", isFinal: true },
    ]);
  });

  it("not turns a policy round and says so", () => {
    const [verdict] = not(keepErrors).decide([at(1, 9)], conversationOf([], 2));
    expect(verdict).toMatchObject({ offload: false, reason: "not(keepErrors: not an error)" });
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

const AGING = freshAndStale();

function decideGuarded(policy: Policy, result: ToolResult) {
  return guardPolicy(policy, AGING).decide([result], conversationOf([result], 3))[0];
}
describe("the policy of a host, guarded", () => {
  it.each<[string, Partial<ToolResult>, number]>([
    ["the answer of a reading tool", { isReadingAnswer: true }, 9],
    ["a result without text", {}, 0],
  ])("keeps %s, whatever the policy says", (_, changes, chars) => {
    expect(decideGuarded(everything, at(1, chars, changes))).toMatchObject({ offload: false });
  });

  it.each(["grep_knowledge", "bash", undefined])(
    "asks the policy about a result of %s",
    (toolName) => {
      expect(decideGuarded(everything, at(1, 9, { toolName }))).toMatchObject({ offload: true });
    },
  );

  it("does not bring back what was offloaded, whatever the policy says", () => {
    const result = at(1, 9, { offloadedBefore: true });
    expect(decideGuarded(not(everything), result)).toMatchObject({
      offload: true,
      reason: "it was offloaded before",
      isFinal: true,
    });
  });

  it("gives each result its own verdict, and shows the policy only those in question", () => {
    const seen: (string | undefined)[] = [];
    const policy: Policy = {
      ...everything,
      decide: (candidates) => {
        seen.push(...candidates.map(({ id }) => id));
        return candidates.map(({ id }) => ({ offload: id === "c", reason: id ?? "" }));
      },
    };
    const results = [
      at(1, 9, { id: "a", isReadingAnswer: true }),
      at(1, 9, { id: "b" }),
      at(1, 0, { id: "none" }),
      at(1, 9, { id: "c" }),
    ];
    const verdicts = guardPolicy(policy, AGING).decide(results, conversationOf(results, 3));
    expect(verdicts.map(({ offload }) => offload)).toEqual([false, false, false, true]);
    expect(verdicts.map(({ reason }) => reason).slice(1, 2)).toEqual(["b"]);
    expect(seen).toEqual(["b", "c"]);
  });
});

describe("what policies may ask of a conversation", () => {
  it("is the same as counting one by one", () => {
    const messages = fc.array(fc.record({ chars: fc.nat(1_000), isModel: fc.boolean() }));
    fc.assert(
      fc.property(messages, fc.integer({ min: -2, max: 20 }), (list, at) => {
        const modelMessages = list.flatMap(({ isModel }, index) => (isModel ? [index] : []));
        const conversation = createConversation(list.length, {
          results: [],
          otherChars: 0,
          modelMessages,
          messageChars: (index) => list[index]?.chars ?? 0,
        });
        const after = list.slice(Math.max(at, 0));
        expect(conversation.charsFrom(at)).toBe(after.reduce((sum, { chars }) => sum + chars, 0));
        expect(conversation.turnsAfter(at)).toBe(modelMessages.filter((i) => i > at).length);
        expect(conversation.lastModelMessage).toBe(modelMessages.at(-1) ?? -1);
      }),
    );
  });

  it("counts results and what stands outside of them", () => {
    const results = [toolResult("12345"), toolResult("678")];
    expect(createConversation(2, { results, otherChars: 10 })).toMatchObject({
      messageCount: 2,
      totalChars: 18,
    });
  });
});
