import { describe, expect, it } from "vitest";
import {
  kimiFormat as format,
  openaiChatFormat,
  parseConversation,
} from "../../../src/formats/index.js";
import { expectToKnowItsOwn, offloadAndRestore, readMessage } from "./offload-and-restore.js";

const line = (record: object) => `${JSON.stringify(record).replaceAll(":", ": ")}\n`;
const event = (inner: object) => line({ type: "context.append_loop_event", event: inner, time: 1 });
const message = (inner: object) =>
  line({ type: "context.append_message", message: inner, time: 1 });
const older = (type: string, payload: object) => line({ timestamp: 1, message: { type, payload } });

describe("the format of Kimi sessions", () => {
  it.each<[string, (output: unknown) => string]>([
    [
      "an event",
      (output) =>
        event({ type: "tool.result", toolCallId: "c1", result: { output, isError: true } }),
    ],
    ["a message", (content) => message({ role: "tool", content, toolCalls: [], toolCallId: "c1" })],
    [
      "Kimi CLI",
      (output) =>
        older("ToolResult", { tool_call_id: "c1", return_value: { is_error: true, output } }),
    ],
  ])("replaces an output in the text of its line: %s", (_where, build) => {
    for (const output of ["a\nb", [{ type: "text", text: "a\nb" }]]) {
      const text = build(output);
      expect(readMessage(format, text).results).toMatchObject([{ id: "c1", soleText: "a\nb" }]);
      const { offloaded, restored } = offloadAndRestore(format, text);
      expect(JSON.parse(offloaded)).toEqual(JSON.parse(text.replace("a\\nb", "reference 0")));
      expect(restored).toBe(text);
    }
  });

  it("reads errors, calls and what the model says", () => {
    const failed = event({
      type: "tool.result",
      toolCallId: "c1",
      result: { output: "", isError: true },
    });
    expect(readMessage(format, failed).results[0]?.isError).toBe(true);
    const call = { type: "function", id: "c1", name: "Read", arguments: "{}" };
    const said = message({
      role: "assistant",
      content: [{ type: "text", text: "ab" }],
      toolCalls: [call],
    });
    expect(readMessage(format, said)).toMatchObject({
      fromModel: true,
      calls: [{ id: "c1", name: "Read" }],
      otherChars: "ab{}".length,
    });
    const think = event({
      type: "content.part",
      stepUuid: "s1",
      part: { type: "think", think: "hm" },
    });
    expect(readMessage(format, think)).toMatchObject({
      fromModel: true,
      replyId: "s1",
      otherChars: 2,
    });
    expect(readMessage(format, older("TurnBegin", { user_input: "Go." })).otherChars).toBe(3);
  });

  it("keeps records without a message", () => {
    const text =
      line({ type: "metadata", protocol_version: "1.4" }) + line({ type: "turn.prompt", time: 1 });
    expect(parseConversation(text)).toMatchObject({ format: "kimi-jsonl" });
    expect(readMessage(format, line({ type: "turn.prompt", input: [] })).otherChars).toBe(0);
  });

  it("knows its own lines", () => {
    expectToKnowItsOwn(format);
    expect(format.mismatch([line({ type: "order.created", id: 1 })])).toMatch(/^0 of the first 1 /);
    expect(format.mismatch([line({ type: "tools.changed", data: {} })])).toMatch(/^0 of the first/);
  });

  it("has its context in chat messages, with notes among them", () => {
    const notes = [
      { role: "_checkpoint", id: 0 },
      { role: "_usage", token_count: 7 },
    ];
    const answer = { role: "tool", content: "words", tool_call_id: "c1" };
    const think = { role: "assistant", content: [{ type: "think", think: "hm" }] };
    expect(parseConversation([...notes, think, answer]).format).toBe("openai-chat");
    expect(readMessage(openaiChatFormat, think).unknownTypes).toEqual([]);
  });
});
