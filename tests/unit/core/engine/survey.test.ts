import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countContentChars, serializeContent } from "../../../../src/core/engine/format.js";
import { surveyMessages } from "../../../../src/core/engine/survey.js";
import { type AnthropicMessageLike, anthropicFormat } from "../../../../src/formats/index.js";
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

it("content is one text: a string as it stands, anything else as its JSON", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.array(fc.jsonValue())), (content) => {
      const text = serializeContent(content);
      expect(countContentChars(content)).toBe(text.length);
      if (typeof content === "string") expect(text).toBe(content);
      else expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(content));
    }),
  );
});
it("content that JSON cannot hold is refused with the reason", () => {
  expect(() => serializeContent([1n])).toThrow(
    expect.objectContaining({ code: "CONTENT_NOT_SERIALIZABLE" }),
  );
});
