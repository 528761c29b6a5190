import { describe, expect, it } from "vitest";
import { createAnthropicFormat } from "../../../src/formats/anthropic-files.js";
import type { MessageLike } from "../../../src/formats/anthropic-types.js";

const history = createAnthropicFormat<MessageLike>({
  nameOf: (index) => `messages[${index}]`,
  plainTextIsResult: false,
});
const single = createAnthropicFormat<MessageLike>({
  nameOf: () => "message",
  plainTextIsResult: true,
});
const survey = (messages: unknown, format = history, countOther = true) =>
  format.survey(messages as MessageLike[], { countOther });

describe("the Anthropic format", () => {
  it("locates tool_result blocks, several in a message, with their place", () => {
    const { results } = survey([
      { role: "user", content: "a question" },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "x", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: "one" },
          { type: "text", text: "between" },
          { type: "tool_result", tool_use_id: "t2", content: [{ type: "text", text: "two" }] },
          { type: "tool_result", tool_use_id: "t3" },
        ],
      },
    ]);
    expect(results).toEqual([
      { messageIndex: 2, slot: 0, id: "t1", content: "one", chars: 3 },
      {
        messageIndex: 2,
        slot: 2,
        id: "t2",
        content: [{ type: "text", text: "two" }],
        chars: '[{"type":"text","text":"two"}]'.length,
      },
    ]);
  });

  it("counts what stands outside of results: text, inputs, unknown blocks, plain strings", () => {
    const unknown = { type: "thinking", thinking: "hm", signature: "s" };
    const { otherChars } = survey([
      { role: "user", content: "12345" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "123" },
          { type: "tool_use", id: "t1", name: "long-name", input: { a: "b" } },
          { type: "tool_use", id: "t2", name: "no input" },
          unknown,
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "result" }] },
    ]);
    expect(otherChars).toBe(5 + 3 + '{"a":"b"}'.length + 0 + JSON.stringify(unknown).length);
  });

  it("does not serialise inputs when nobody asks for the total", () => {
    const input = {
      toJSON() {
        throw new Error("must not be serialised");
      },
    };
    const messages = [
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "x", input }] },
    ];
    expect(survey(messages, history, false).results).toEqual([]);
    expect(() => survey(messages)).toThrow(
      expect.objectContaining({ code: "CONTENT_NOT_SERIALIZABLE" }),
    );
  });

  it("takes a message of role tool as a result as a whole, with either name of its id", () => {
    const blocks = [{ type: "text", text: "hello" }];
    const { results, otherChars } = survey([
      { role: "tool", tool_use_id: "a", content: "plain" },
      { role: "tool", tool_call_id: "b", content: blocks },
      { role: "tool", content: "" },
      { role: "tool", content: [{ type: "tool_result", tool_use_id: "c", content: "inside" }] },
    ]);
    expect(results).toMatchObject([
      { slot: -1, id: "a", content: "plain" },
      { slot: -1, id: "b", content: blocks },
      { slot: -1, id: undefined, content: "" },
      { slot: 0, id: "c", content: "inside" },
    ]);
    expect(otherChars).toBe(0);
  });

  it("takes a plain string for a result only where a single message is handed in", () => {
    const message = [{ role: "user", content: "a tool's output" }];
    expect(survey(message).results).toEqual([]);
    expect(survey(message, single).results).toMatchObject([{ slot: -1, id: undefined }]);
    for (const role of ["assistant", "system"]) {
      expect(survey([{ role, content: "my own words" }], single).results).toEqual([]);
    }
  });

  it("counts an empty id as missing", () => {
    const block = { type: "tool_result", tool_use_id: "", content: "x" };
    const nameless = { type: "tool_result", content: "x" };
    const { results } = survey([{ role: "user", content: [block, nameless] }]);
    expect(results.map(({ id }) => id)).toEqual([undefined, undefined]);
  });

  it("replaces the content alone and shares the rest", () => {
    const mark = { type: "ephemeral" };
    const text = { type: "text", text: "note" };
    const message = {
      role: "user",
      id: 7,
      content: [
        text,
        {
          type: "tool_result",
          tool_use_id: "a",
          content: "x",
          is_error: true,
          cache_control: mark,
        },
      ],
    };
    const [result] = survey([message]).results;
    const replaced = history.replace(message, result ? [{ result, text: "ref" }] : []);
    expect(replaced).toEqual({
      role: "user",
      id: 7,
      content: [
        text,
        {
          type: "tool_result",
          tool_use_id: "a",
          content: "ref",
          is_error: true,
          cache_control: mark,
        },
      ],
    });
    expect(replaced.content[0]).toBe(text);
    expect(message.content[1]).toHaveProperty("content", "x");
  });

  it.each([
    [[null], "messages[0] must be a message object, but it is null."],
    [[undefined], "messages[0] must be a message object, but it is undefined."],
    [["hi"], "messages[0] must be a message object"],
    [[[]], "messages[0] must be a message object, but it is an array of 0."],
    [[{ role: "user" }], "messages[0].content must be a string or an array"],
    [[{ role: "user", content: null }], "messages[0].content must be a string or an array"],
    [[{ role: "user", content: { a: 1 } }], 'it is an object with keys ["a"]'],
    [
      [
        { role: "user", content: "ok" },
        { role: "user", content: [null] },
      ],
      "messages[1].content[0]",
    ],
    [[{ role: "user", content: [undefined] }], "messages[0].content[0]"],
    [[{ role: "user", content: [{ type: "text", text: "" }, 7] }], "messages[0].content[1]"],
    [[{ role: "user", content: ["text"] }], "messages[0].content[0] must be a content block"],
    [[{ role: "tool" }], "messages[0].content"],
    [
      [{ role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: 7 }] }],
      "messages[0].content[0].content must be a string or an array of content blocks, but it is the number 7",
    ],
    [
      [{ role: "user", content: [{ type: "tool_result", tool_use_id: 7, content: "x" }] }],
      "messages[0].content[0].tool_use_id must be a string",
    ],
  ])("refuses %j and says where", (messages, said) => {
    expect(() => survey(messages)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining(said) as string,
      }),
    );
  });
});
