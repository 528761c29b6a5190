import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { piFormat as dialect } from "../../../src/formats/pi.js";
import { expectToKnowItsOwn, leaveAndReturn } from "./offload-and-restore.js";
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

describe("the dialect of pi sessions", () => {
  it("reads a result, which names its tool [DESIGN-O-pi]", () => {
    expect(dialect.read(result([{ type: "text", text: "words" }]), KEEP).results).toEqual([
      {
        slot: 0,
        id: "c1",
        toolName: "read",
        content: [{ type: "text", text: "words" }],
        soleText: "words",
        chars: 5,
        isError: false,
        wrapping: undefined,
      },
    ]);
    const failed = result("bad", { isError: true, toolCallId: "", toolName: 7 });
    expect(dialect.read(failed, KEEP).results).toMatchObject([{ id: undefined, isError: true }]);
    expect(dialect.read(failed, KEEP).results[0]?.toolName).toBeUndefined();
  });

  it("replaces blocks by a block and a text by a text", () => {
    const blocks = result([{ type: "text", text: "words" }]);
    const { left, back } = leaveAndReturn(dialect, blocks);
    expect(left).toBe(blocks.replace("words", "reference 0"));
    expect(back).toBe(blocks);
    const text = result("words");
    expect(leaveAndReturn(dialect, text).left).toBe(text.replace("words", "reference 0"));
  });

  it("keeps media beside the reference, or takes it along", () => {
    const mixed = result([picture, { type: "text", text: "words" }]);
    const kept = leaveAndReturn(dialect, mixed);
    expect(JSON.parse(kept.left)).toMatchObject({
      message: { content: [{ type: "text", text: "reference 0" }, picture] },
    });
    expect(kept.back).toBe(mixed);
    const taken = leaveAndReturn(dialect, mixed, "offload");
    expect(taken.left).not.toContain("AAAA");
    expect(taken.back).toBe(mixed);
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
    const reading = dialect.read(answer, KEEP);
    expect(reading).toMatchObject({ fromModel: true, results: [] });
    expect(reading.calls).toEqual([
      { id: "c1", name: "read" },
      { id: undefined, name: "ls" },
    ]);
    expect(reading.otherChars()).toBe(7 + 7 + 2 + '{"type":"thinking"}'.length);
    expect(dialect.read(line({ role: "user", content: "words" }), KEEP).otherChars()).toBe(5);
    expect(dialect.read(result("words"), KEEP).otherChars()).toBe(0);
  });

  it.each([
    "",
    "broken",
    '{"type":"session","timestamp":"t","id":"x"}',
    '{"type":"message","message":"toolResult"}',
    '{"type":"custom","message":{"role":"toolResult","toolCallId":"c","content":"x"}}',
    result(undefined),
  ])("finds no result in %s", (text) => {
    expect(dialect.read(text, KEEP).results).toEqual([]);
  });

  it("changes the content and no other character of its line [DESIGN-O-lines]", () => {
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
        const { left, back } = leaveAndReturn(dialect, text);
        expect(left).toBe(fill(frame, { "@@hole@@": '[{"type":"text","text":"reference 0"}]' }));
        expect(back).toBe(text);
      }),
    );
  });

  it("knows its own lines, and refuses others' with a reason", () => {
    expectToKnowItsOwn(dialect);
    expect(dialect.mismatch(['{"type":"model_change","timestamp":"t"}'])).toBeUndefined();
    expect(dialect.mismatch(['{"type":"message"}'])).toBe(
      "0 of the first 1 lines are lines of a pi session",
    );
  });

  it("has tools and calls of its own shape", () => {
    const tool = { name: "grep", description: "d", inputSchema: {} };
    expect(dialect.describeTools([tool])).toEqual([
      { name: "grep", description: "d", parameters: {} },
    ]);
    const call = { type: "toolCall", id: "c", name: "grep", arguments: { a: 1 } };
    expect(dialect.readCall(call)).toEqual({ name: "grep", input: { a: 1 } });
    expect(dialect.readCall({ ...call, type: "tool_use" })).toBeUndefined();
    expect(dialect.answerCall(call, { text: "x", isError: true })).toEqual({
      role: "toolResult",
      toolCallId: "c",
      toolName: "grep",
      content: [{ type: "text", text: "x" }],
      isError: true,
    });
  });
});
