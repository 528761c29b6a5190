import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { piFormat as format } from "../../../src/formats/index.js";
import { GREP, expectToKnowItsOwn, offloadAndRestore, readMessage } from "./offload-and-restore.js";
import { fill, Hole, oddWriters } from "./odd-json.js";

const KEEP = { media: "keep" } as const;
const picture = { type: "image", data: "AAAA", mimeType: "image/png" };

const line = (message: object) => JSON.stringify({ type: "message", timestamp: "t", message });
const result = (content: unknown, more: object = {}) =>
  line({
    role: "toolResult",
    toolCallId: "c1",
    toolName: "read",
    content,
    details: { diff: "not sent" },
    isError: false,
    ...more,
  });

describe("the format of pi sessions", () => {
  it("reads a result, which names its tool", () => {
    expect(readMessage(format, result([{ type: "text", text: "words" }]), KEEP).results).toEqual([
      {
        slot: 0,
        id: "c1",
        toolName: "read",
        content: [{ type: "text", text: "words" }],
        soleText: "words",
        chars: JSON.stringify([{ type: "text", text: "words" }]).length,
        isError: false,
        wrapping: undefined,
      },
    ]);
    const failed = result("bad", { isError: true, toolCallId: "", toolName: 7 });
    expect(readMessage(format, failed, KEEP).results).toMatchObject([
      { id: undefined, isError: true },
    ]);
    expect(readMessage(format, failed, KEEP).results[0]?.toolName).toBeUndefined();
  });

  it("replaces blocks by a block and a text by a text", () => {
    const blocks = result([{ type: "text", text: "words" }]);
    const { offloaded, restored } = offloadAndRestore(format, blocks);
    expect(offloaded).toBe(blocks.replace("words", "reference 0"));
    expect(restored).toBe(blocks);
    const text = result("words");
    expect(offloadAndRestore(format, text).offloaded).toBe(text.replace("words", "reference 0"));
  });

  it("keeps media beside the reference, or takes it along", () => {
    const mixed = result([picture, { type: "text", text: "words" }]);
    const kept = offloadAndRestore(format, mixed);
    expect(JSON.parse(kept.offloaded)).toMatchObject({
      message: { content: [{ type: "text", text: "reference 0" }, picture] },
    });
    expect(kept.restored).toBe(mixed);
    const taken = offloadAndRestore(format, mixed, "offload");
    expect(taken.offloaded).not.toContain("AAAA");
    expect(taken.restored).toBe(mixed);
  });

  it("reads calls, who speaks, and what stands outside of results", () => {
    const answer = line({
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "toolCall", id: "c1", name: "read", arguments: { a: 1 } },
        { type: "toolCall", name: "ls" },
        { type: "thinking" },
      ],
    });
    const reading = readMessage(format, answer, KEEP);
    expect(reading).toMatchObject({ fromModel: true, results: [] });
    expect(reading.calls).toEqual([
      { id: "c1", name: "read" },
      { id: undefined, name: "ls" },
    ]);
    expect(reading.otherChars).toBe(7 + 7 + 2 + '{"type":"thinking"}'.length);
    expect(readMessage(format, line({ role: "user", content: "words" }), KEEP).otherChars).toBe(5);
    expect(readMessage(format, result("words"), KEEP).otherChars).toBe(0);
  });

  it.each([
    "",
    "broken",
    '{"type":"session","timestamp":"t","id":"x"}',
    '{"type":"message","message":"toolResult"}',
    '{"type":"custom","message":{"role":"toolResult","toolCallId":"c","content":"x"}}',
    result(undefined),
  ])("finds no result in %s", (text) => {
    expect(readMessage(format, text, KEEP).results).toEqual([]);
  });

  it("changes the content and no other character of its line", () => {
    const block = fc.record({ type: fc.constantFrom("text", "x"), text: fc.string() });
    fc.assert(
      fc.property(fc.array(block), fc.jsonValue(), oddWriters, (content, unknown, write) => {
        const message = {
          unknown,
          role: "toolResult",
          content: new Hole("@@hole@@"),
          toolCallId: "c1",
        };
        const frame = write({ unknown, type: "message", message });
        const text = fill(frame, { "@@hole@@": write(content).trim() });
        const { offloaded, restored } = offloadAndRestore(format, text);
        expect(offloaded).toBe(
          fill(frame, { "@@hole@@": '[{"type":"text","text":"reference 0"}]' }),
        );
        expect(restored).toBe(text);
      }),
    );
  });

  it("knows its own lines, and refuses others' with a reason", () => {
    expectToKnowItsOwn(format);
    expect(format.mismatch(['{"type":"model_change","timestamp":"t"}'])).toBeUndefined();
    expect(format.mismatch(['{"type":"message"}'])).toBe(
      "0 of the first 1 lines are lines of a pi session",
    );
  });

  it("has tools and calls of its own shape", () => {
    expect(format.describeTools([GREP])).toEqual([
      { name: "grep", description: "Searches.", parameters: GREP.inputSchema },
    ]);
    const call = { type: "toolCall", id: "c", name: "grep", arguments: { a: 1 } };
    expect(format.readCall(call)).toEqual({ name: "grep", input: { a: 1 } });
    expect(format.readCall({ ...call, type: "tool_use" })).toBeUndefined();
    expect(format.answerCall(call, { text: "x", isError: true })).toEqual({
      role: "toolResult",
      toolCallId: "c",
      toolName: "grep",
      content: [{ type: "text", text: "x" }],
      isError: true,
    });
  });
});
