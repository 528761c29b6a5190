import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createConversation } from "../../../../src/core/engine/policy.js";
import { toolResult } from "../../../support/tool-results.js";

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
