import type Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MessageVisitor, anthropicFormat as format } from "../../../src/formats/index.js";
import { expectToKnowItsOwn, offloadAndRestore, readMessage } from "./offload-and-restore.js";
import { deepFreeze } from "../../support/shared-objects.js";
import { anyString } from "../../support/any-string.js";

const picture = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "AAAA" },
} as const;
const result = (content: unknown, more: object = {}) => ({
  type: "tool_result",
  tool_use_id: "t1",
  content,
  ...more,
});
const carrier = (...content: unknown[]) => ({ role: "user", content });

describe("reading Anthropic messages", () => {
  it("finds tool_result blocks, several in a message, with their place", () => {
    const message: Anthropic.MessageParam = {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: "one" },
        { type: "text", text: "between" },
        {
          type: "tool_result",
          tool_use_id: "t2",
          content: [{ type: "text", text: "two" }],
          is_error: true,
        },
        { type: "tool_result", tool_use_id: "t3" },
      ],
    };
    const { results, answers, otherChars, fromModel } = readMessage(format, message);
    expect(results).toEqual([
      { slot: 0, id: "t1", content: "one", soleText: "one", chars: 3, isError: false },
      {
        slot: 2,
        id: "t2",
        content: [{ type: "text", text: "two" }],
        soleText: "two",
        chars: '[{"type":"text","text":"two"}]'.length,
        isError: true,
      },
    ]);
    expect({ answers, otherChars, fromModel }).toEqual({
      answers: ["t3"],
      otherChars: 7,
      fromModel: false,
    });
  });

  it("tells the model's messages, its calls, and what stands outside of results", () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "s" } as const;
    const search = { type: "server_tool_use", id: "s", name: "web_search", input: {} } as const;
    const message = {
      id: "msg_1",
      role: "assistant",
      content: [
        { type: "text", text: "123" },
        { type: "tool_use", id: "t1", name: "long-name", input: { a: "b" } },
        { type: "tool_use", id: "", name: "no input" },
        thinking,
        search,
      ],
    };
    expect(readMessage(format, message)).toEqual({
      fromModel: true,
      replyId: "msg_1",
      calls: [
        { id: "t1", name: "long-name" },
        { id: undefined, name: "no input" },
      ],
      results: [],
      answers: [],
      otherChars:
        3 + '{"a":"b"}'.length + JSON.stringify(thinking).length + JSON.stringify(search).length,
      unknownTypes: [],
    });
    expect(readMessage(format, { role: "user", content: "12345" }).otherChars).toBe(5);
  });

  it("does not serialize inputs when nobody asks for the total", () => {
    const input = {
      toJSON() {
        throw new Error("must not be serialized");
      },
    };
    const message = {
      role: "assistant",
      content: [{ type: "tool_use", id: "t", name: "x", input }],
    };
    expect(readMessage(format, message, { countOther: false }).otherChars).toBe(0);
    expect(() => readMessage(format, message)).toThrow(
      expect.objectContaining({ code: "CONTENT_NOT_SERIALIZABLE" }),
    );
  });

  it("tells plain text by one call, so that a history costs little", () => {
    const told: unknown[][] = [];
    const visitor: MessageVisitor = {
      modelMessage: (...args) => void told.push(["modelMessage", ...args]),
      call: (...args) => void told.push(["call", ...args]),
      result: (...args) => void told.push(["result", ...args]),
      other: (...args) => void told.push(["other", ...args]),
    };
    const options = { media: "offload", countOther: false } as const;
    format.read({ role: "user", content: "words" }, visitor, options);
    format.read(carrier({ type: "text", text: "words" }), visitor, options);
    expect(told).toEqual([
      ["other", 5],
      ["other", 5],
    ]);
  });

  it("takes a message of role tool as a result as a whole, with either name of its id", () => {
    const blocks = [{ type: "text", text: "hello" }];
    const whole = (message: object) => readMessage(format, { role: "tool", ...message }).results;
    expect(whole({ tool_use_id: "a", content: "plain" })).toMatchObject([
      { slot: -1, id: "a", content: "plain" },
    ]);
    expect(whole({ tool_call_id: "b", content: blocks })).toMatchObject([
      { slot: -1, id: "b", content: blocks },
    ]);
    expect(whole({ content: "" })).toMatchObject([{ slot: -1, id: undefined, content: "" }]);
    expect(whole({ content: [result("inside")] })).toMatchObject([{ slot: 0, id: "t1" }]);
  });

  it("does not take a tool message of the AI SDK for a result as a whole", () => {
    const part = { type: "tool-result", toolCallId: "a", toolName: "x", output: {} };
    const reading = readMessage(format, { role: "tool", content: [part] });
    expect(reading).toMatchObject({ results: [], unknownTypes: ["tool-result"] });
  });

  it("counts an empty or missing id as missing", () => {
    const { results } = readMessage(
      format,
      carrier(result("x", { tool_use_id: "" }), { type: "tool_result", content: "x" }),
    );
    expect(results.map(({ id }) => id)).toEqual([undefined, undefined]);
  });

  it.each<[unknown, string]>([
    [null, "malformed message"],
    ["hi", "malformed message"],
    [[], "malformed message"],
    [{ role: "user" }, "malformed content"],
    [{ role: "user", content: { a: 1 } }, "malformed content"],
    [{ role: "tool" }, "malformed content"],
    [carrier(null), "malformed block"],
    [carrier("text"), "malformed block"],
    [carrier({ type: "text", text: "" }, 7), "malformed block"],
    [carrier(result(7)), "malformed tool_result"],
    [carrier({ type: "tool_result", toolUseID: "a" }), "malformed tool_result"],
    [carrier(result("x", { tool_use_id: 7 })), "malformed id"],
    [{ role: "tool", tool_call_id: 7, content: "x" }, "malformed id"],
    [carrier({ type: "hologram", data: "x" }), "hologram"],
  ])("finds nothing in %j, and says what is odd", (message, unknownType) => {
    for (const countOther of [true, false]) {
      const reading = readMessage(format, message, { countOther });
      expect(reading).toMatchObject({ results: [], calls: [], unknownTypes: [unknownType] });
    }
  });
});

describe("replacing in Anthropic messages", () => {
  it("changes the content alone and shares the rest", () => {
    const text = { type: "text", text: "note" };
    const message = {
      role: "user",
      id: 7,
      content: [text, result("x", { is_error: true, cache_control: { type: "ephemeral" } })],
    };
    const { offloaded, restored } = offloadAndRestore(format, message);
    expect(offloaded).toEqual({
      ...message,
      content: [text, { ...(message.content[1] as object), content: "reference 1" }],
    });
    expect(offloaded.content[0]).toBe(text);
    expect(restored).toEqual(message);
  });

  it("keeps media and cache marks inside the content", () => {
    const cache_control = { type: "ephemeral" } as const;
    const words = { type: "text", text: "words", cache_control };
    const tools = { type: "tool_reference", tool_name: "grep" };
    const message = carrier(result([words, picture, tools]));
    const kept = offloadAndRestore(format, message);
    const reference = { type: "text", text: "reference 0", cache_control };
    expect(kept.offloaded).toEqual(carrier(result([reference, picture, tools])));
    expect(kept.restored).toEqual(message);
    expect(readMessage(format, message).results[0]?.chars).toBe(JSON.stringify([words]).length);

    const all = offloadAndRestore(format, message, "offload");
    expect(all.offloaded).toEqual(carrier(result([reference, tools])));
    expect(all.restored).toEqual(message);
    expect(readMessage(format, message, { media: "offload" }).results[0]?.chars).toBe(
      JSON.stringify([words, picture]).length,
    );
    expect(readMessage(format, carrier(result([picture]))).results[0]?.chars).toBe(0);
  });

  it("replaces a message that is a result as a whole", () => {
    const message = { role: "tool", tool_call_id: "a", content: "long", more: 1 };
    const texts = [{ slot: -1, text: "ref" }];
    const replaced = format.replace(deepFreeze(message), texts, { media: "offload" });
    expect(replaced).toEqual({ ...message, content: "ref" });
    const contents = [{ slot: -1, content: "long", wrapping: undefined }];
    expect(format.restore(replaced, contents)).toEqual(message);
  });

  it("gives back every message exactly", () => {
    const block = fc.oneof(
      fc.record({ type: fc.constant("text"), text: anyString() }),
      fc.constant(picture),
      fc.record({ type: fc.constant("other"), value: fc.jsonValue() }),
    );
    const content = fc.oneof(anyString(), fc.array(block));
    const one = fc.oneof(
      content.map((held) => result(held)),
      block,
    );
    const rule = fc.constantFrom("keep" as const, "offload" as const);
    fc.assert(
      fc.property(fc.array(one), rule, (blocks, media) => {
        const message = JSON.parse(JSON.stringify(carrier(...blocks))) as object;
        expect(offloadAndRestore(format, message, media).restored).toEqual(message);
      }),
    );
  });
});

describe("telling Anthropic messages from others", () => {
  it("knows its own, and refuses others' with a reason", () => {
    expectToKnowItsOwn(format);
    const system = { role: "system", content: "Be brief." };
    expect(format.mismatch([system, carrier(result("x"))])).toBeUndefined();
    expect(format.mismatch([system])).toContain('has the role "system"');
  });

  it.each<[unknown, string]>([
    [{ role: "tool", tool_use_id: "a", content: "x" }, 'has the role "tool" instead of user or'],
    [{ role: "assistant", content: "", tool_calls: [] }, "has tool_calls"],
    [{ type: "human", role: "user", content: "x" }, 'has the type "human"'],
    [carrier({ type: "toolRequest", id: "a" }), 'has a block of type "toolRequest"'],
    [carrier({ type: "image", data: "AA", mimeType: "x" }), 'has a block of type "image"'],
    [carrier({ text: "x" }), 'has a block without a type, an object with keys ["text"]'],
    [{ role: "user", parts: [] }, "has no content"],
    ["a line", "is a line of text, not an object"],
  ])("refuses %j", (message, why) => {
    expect(format.mismatch([message])).toContain(`message 0 ${why}`);
  });
});

describe("tools of Anthropic", () => {
  it("reads a call and answers it with a block", () => {
    const call: Anthropic.ToolUseBlock = {
      type: "tool_use",
      id: "t1",
      name: "grep",
      input: { a: 1 },
      caller: { type: "direct" },
    };
    expect(format.readCall(call)).toEqual({ name: "grep", input: { a: 1 } });
    expect(format.readCall({ type: "function", name: "grep" })).toBeUndefined();
    const answer = { type: "tool_result", tool_use_id: "t1", content: "x" };
    expect(format.answerCall(call, { text: "x", isError: false })).toEqual(answer);
    expect(format.answerCall(call, { text: "x", isError: true })).toEqual({
      ...answer,
      is_error: true,
    });
  });
});
