import { describe, expect, it } from "vitest";
import type { ToolResult } from "../../../../src/core/engine/format.js";
import { guardPolicy } from "../../../../src/core/policies/combine.js";
import { type Policy, not, everything } from "../../../../src/policies.js";
import { at, conversationOf } from "../../../support/decide.js";

function decideGuarded(policy: Policy, result: ToolResult) {
  return guardPolicy(policy).decide([result], conversationOf([result], 3))[0];
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
    expect(decideGuarded(not(everything), result)).toEqual({
      offload: true,
      reason: "it was offloaded before",
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
    const verdicts = guardPolicy(policy).decide(results, conversationOf(results, 3));
    expect(verdicts.map(({ offload }) => offload)).toEqual([false, false, false, true]);
    expect(verdicts.map(({ reason }) => reason).slice(1, 2)).toEqual(["b"]);
    expect(seen).toEqual(["b", "c"]);
  });

  it.each([null, [], [true], [{ offloaded: "yes" }]])(
    "names a policy that answers with %j",
    (answer) => {
      const policy = { ...everything, name: "mine", decide: () => answer as never };
      expect(() => decideGuarded(policy, at(1, 9))).toThrow(
        expect.objectContaining({ code: "INVALID_ARGUMENT", argument: "what mine decided" }),
      );
    },
  );
});
