import { convertToModelMessages, type UIMessage } from "ai";
import {
  convertToModelMessages as convertToModelMessages7,
  type UIMessage as UIMessage7,
} from "ai-7";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  aiSdkUiFormat as format,
  type AiSdkUiToolAnswer,
  aiSdkFormat,
  parseConversation,
} from "../../../src/formats/index.js";
import { expectToKnowItsOwn, GREP, offloadAndRestore, readMessage } from "./offload-and-restore.js";

const part = (more: object) => ({ type: "tool-bash", toolCallId: "c1", input: { a: 1 }, ...more });
const done = (output: unknown, more: object = {}) =>
  part({ state: "output-available", output, ...more });
const message = (...parts: object[]) => ({ id: "m1", role: "assistant", parts });
const picture = { type: "image", data: "AAAA", mimeType: "image/png" };

describe("the format of AI SDK UI messages", () => {
  it("reads calls, outputs and texts, and keeps everything else of a part", () => {
    const both = message(
      { type: "text", text: "Look." },
      done("printed", { callProviderMetadata: { x: { y: 1 } } }),
      { ...done("dynamic"), type: "dynamic-tool", toolName: "mcp_list", toolCallId: "c2" },
      part({ state: "output-error", errorText: "no such file", toolCallId: "c3" }),
    );
    const reading = readMessage(format, both);
    expect(reading.fromModel).toBe(true);
    expect(reading.calls).toEqual([
      { id: "c1", name: "bash" },
      { id: "c2", name: "mcp_list" },
      { id: "c3", name: "bash" },
    ]);
    expect(reading.results).toMatchObject([
      { slot: 1, id: "c1", toolName: "bash", content: "printed", chars: 7, isError: false },
      { slot: 2, id: "c2", toolName: "mcp_list", content: "dynamic", isError: false },
      { slot: 3, id: "c3", toolName: "bash", content: "no such file", isError: true },
    ]);
    expect(reading.otherChars).toBe("Look.".length + 3 * '{"a":1}'.length);
    const { offloaded, restored } = offloadAndRestore(format, both);
    expect(offloaded.parts.slice(1)).toEqual([
      { ...both.parts[1], output: "reference 1" },
      { ...both.parts[2], output: "reference 2" },
      { ...both.parts[3], errorText: "reference 3" },
    ]);
    expect(offloaded.parts[0]).toBe(both.parts[0]);
    expect(restored).toEqual(both);
  });

  it.each<[string, unknown]>([
    ["an object", { rows: [1, 2], "": null }],
    ["an array", ["a", { b: 1 }]],
    ["an empty text", ""],
  ])("restores any output: %s", (_what, output) => {
    const { offloaded, restored } = offloadAndRestore(format, message(done(output)));
    expect(offloaded).toEqual(message(done("reference 0")));
    expect(restored).toEqual(message(done(output)));
  });

  it("keeps the shape of an MCP result, and its pictures", () => {
    const text = { type: "text", text: "words" };
    const output = { structuredContent: { a: 1 }, isError: true, content: [text, picture] };
    const one = message(done(output));
    expect(readMessage(format, one).results).toMatchObject([
      { slot: 0, id: "c1", toolName: "bash", isError: true },
    ]);
    const kept = offloadAndRestore(format, one);
    const reference = { type: "text", text: "reference 0" };
    expect(kept.offloaded).toEqual(message(done({ content: [reference, picture], isError: true })));
    expect(JSON.stringify(kept.restored)).toBe(JSON.stringify(one));
    const taken = offloadAndRestore(format, one, "offload");
    expect(JSON.stringify(taken.offloaded)).not.toContain("AAAA");
    expect(JSON.stringify(taken.restored)).toBe(JSON.stringify(one));
  });

  it.each<[string, object]>([
    ["a short value", done(7)],
    ["nothing", done(null)],
    ["what JSON cannot hold", done({ at: new Date(0) })],
    ["a preliminary output", done("so far", { preliminary: true })],
    ["a denial", part({ state: "output-denied", approval: { id: "a", approved: false } })],
  ])("is an answer that is kept: %s", (_what, held) => {
    const reading = readMessage(format, message(held));
    expect(reading.results).toEqual([]);
    expect(reading.answers).toEqual(["c1"]);
  });

  it("leaves alone what the provider ran, and calls without an output", () => {
    const ran = readMessage(format, message(done("found", { providerExecuted: true })));
    expect(ran).toMatchObject({ calls: [], results: [], answers: [] });
    const open = readMessage(format, message(part({ state: "input-available" })));
    expect(open).toMatchObject({ calls: [{ id: "c1", name: "bash" }], results: [], answers: [] });
    const streaming = readMessage(format, message(part({ state: "input-streaming" })));
    expect(streaming).toMatchObject({ calls: [], results: [], answers: [] });
  });

  it("knows its own messages, and refuses others' with a reason", () => {
    expectToKnowItsOwn(format);
    const known = [
      { type: "data-weather", data: {} },
      { type: "source-url", sourceId: "s", url: "https://example.com" },
      { type: "custom", kind: "openai.x" },
      { type: "reasoning-file", mediaType: "image/png", url: "data:," },
      { type: "steering-message", id: "s", parts: [] },
    ];
    expect(format.mismatch([message(...known)])).toBeUndefined();
    expect(readMessage(format, message(...known)).unknownTypes).toEqual([]);
    expect(format.mismatch([message({ type: "tool-x" })])).toBe(
      "message 0 has a part of type tool-x without toolCallId",
    );
    const old = { type: "tool-invocation", toolInvocation: { state: "result", result: "x" } };
    expect(format.mismatch([message(old)])).toBe('message 0 has a part of type "tool-invocation"');
  });

  it("answers a call with its part", () => {
    expect(Object.keys(format.describeTools([GREP]))).toEqual(["grep"]);
    const call = { type: "tool-grep", toolCallId: "c", state: "input-available", input: {} };
    expect(format.answerCall(call, { text: "x", isError: false })).toEqual({
      ...call,
      state: "output-available",
      output: "x",
    });
    const dynamic = { ...call, type: "dynamic-tool", toolName: "grep" };
    expect(format.readCall(dynamic)).toEqual({ name: "grep", input: {} });
    expect(format.answerCall(dynamic, { text: "x", isError: true })).toEqual({
      ...dynamic,
      state: "output-error",
      errorText: "x",
    });
    expectTypeOf<AiSdkUiToolAnswer>().toExtend<UIMessage["parts"][number]>();
    expectTypeOf<AiSdkUiToolAnswer>().toExtend<UIMessage7["parts"][number]>();
  });

  it("writes messages that both versions convert for the model", async () => {
    const messages = [message(done("a long text"), done({ rows: [1] }, { toolCallId: "c2" }))];
    const { format: found } = parseConversation(messages);
    expect(found).toBe("ai-sdk-ui");
    const offloaded = messages.map(
      (one) => offloadAndRestore(format, one).offloaded,
    ) as UIMessage[];
    const converted = [
      await convertToModelMessages(offloaded),
      await convertToModelMessages7(offloaded as UIMessage7[]),
    ];
    for (const model of converted) {
      expect(aiSdkFormat.mismatch(model)).toBeUndefined();
      expect(JSON.stringify(model)).toContain('{"type":"text","value":"reference 1"}');
    }
  });
});
