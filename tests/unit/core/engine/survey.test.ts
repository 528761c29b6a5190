import { describe, expect, it } from "vitest";
import { surveyMessages } from "../../../../src/core/engine/survey.js";
import { anthropicFormat } from "../../../../src/formats/anthropic.js";
import type { AnthropicMessageLike } from "../../../../src/formats/index.js";
import { conversationOf } from "../../../support/conversation.js";
import { carrying, toolResult } from "../../../support/tool-messages.js";

const survey = (messages: readonly AnthropicMessageLike[], countOther = true) =>
  surveyMessages(anthropicFormat, messages, { media: "offload", countOther });

describe("a survey of messages", () => {
  it("finds every result with the position of its message, in order", () => {
    const messages = [
      ...conversationOf({ id: "a", text: "one" }),
      carrying(toolResult("b", "two"), toolResult("c", "three")),
    ];
    const { results } = survey(messages);
    expect(results.map(({ id, messageIndex, slot }) => [id, messageIndex, slot])).toEqual([
      ["a", 2, 0],
      ["b", 3, 0],
      ["c", 3, 1],
    ]);
  });

  it("counts characters outside of results, tool inputs only where they are asked for", () => {
    const call = { type: "tool_use", id: "a", name: "run", input: { command: "ls" } };
    const messages = [
      { role: "user", content: "12345" },
      { role: "assistant", content: [call] },
    ];
    expect(survey(messages).otherChars).toBe(5 + JSON.stringify(call.input).length);
    expect(survey(messages, false).otherChars).toBe(5);
  });

  it("says whether it met something that the format does not know", () => {
    expect(survey(conversationOf({ id: "a", text: "one" })).hasUnknown).toBe(false);
    expect(survey([carrying({ type: "hologram", data: "x" })]).hasUnknown).toBe(true);
  });
});
