import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codexFormat as format } from "../../../src/formats/index.js";
import { GREP, expectToKnowItsOwn, offloadAndRestore, readMessage } from "./offload-and-restore.js";
import { fill, Hole, oddWriters } from "./odd-json.js";
import { anyString } from "../../support/any-string.js";

const KEEP = { media: "keep" } as const;
const picture = { type: "input_image", image_url: "data:image/png;base64,AA" };

const item = (payload: object) =>
  JSON.stringify({ timestamp: "2026-01-01T00:00:00Z", type: "response_item", payload });
const output = (call_id: unknown, value: unknown, type = "function_call_output") =>
  item({ type, call_id, output: value, passed: { on: true } });

describe("the format of Codex rollouts", () => {
  it.each(["function_call_output", "custom_tool_call_output"])("reads a %s", (type) => {
    const line = output("c1", "printed", type);
    expect(readMessage(format, line, KEEP).results).toEqual([
      {
        slot: 0,
        id: "c1",
        content: "printed",
        soleText: "printed",
        chars: 7,
        isError: false,
        toolName: undefined,
        wrapping: undefined,
      },
    ]);
    const { offloaded, restored } = offloadAndRestore(format, line);
    expect(offloaded).toBe(line.replace("printed", "reference 0"));
    expect(restored).toBe(line);
  });

  it("reads an output that says whether the call succeeded, and keeps that", () => {
    const line = output("c1", { content: "no such file", success: false });
    expect(readMessage(format, line, KEEP).results).toMatchObject([
      { content: "no such file", isError: true },
    ]);
    const { offloaded, restored } = offloadAndRestore(format, line);
    expect(offloaded).toBe(line.replace("no such file", "reference 0"));
    expect(restored).toBe(line);
  });

  it("keeps media beside the reference, or takes it along", () => {
    const line = output("c1", [{ type: "input_text", text: "words" }, picture]);
    expect(readMessage(format, line, KEEP).results[0]?.chars).toBe(
      JSON.stringify([{ type: "input_text", text: "words" }]).length,
    );
    const kept = offloadAndRestore(format, line);
    expect(JSON.parse(kept.offloaded)).toMatchObject({
      payload: { output: [{ type: "input_text", text: "reference 0" }, picture] },
    });
    expect(kept.restored).toBe(line);
    const taken = offloadAndRestore(format, line, "offload");
    expect(taken.offloaded).not.toContain("base64");
    expect(taken.restored).toBe(line);
  });

  it("reads calls, who speaks, and what stands outside of results", () => {
    const call = item({
      type: "function_call",
      name: "wrapping",
      arguments: '{"a":1}',
      call_id: "c1",
    });
    expect(readMessage(format, call, KEEP)).toMatchObject({
      fromModel: true,
      calls: [{ id: "c1", name: "wrapping" }],
      results: [],
    });
    expect(readMessage(format, call, KEEP).otherChars).toBe(7);
    const custom = item({ type: "custom_tool_call", name: "patch", input: "***", call_id: "c2" });
    expect(readMessage(format, custom, KEEP).calls).toEqual([{ id: "c2", name: "patch" }]);
    const said = { type: "message", content: [{ type: "output_text", text: "Done." }] };
    expect(readMessage(format, item({ ...said, role: "assistant" }), KEEP).fromModel).toBe(true);
    expect(readMessage(format, item({ ...said, role: "user" }), KEEP).fromModel).toBe(false);
    expect(readMessage(format, item({ ...said, role: "user" }), KEEP).otherChars).toBe(5);
    expect(readMessage(format, output("c1", "printed"), KEEP).otherChars).toBe(0);
  });

  it.each([
    "",
    "broken",
    "[]",
    output("c1", null),
    output("c1", { other: "object" }),
    item({ type: "message", role: "user", content: [] }),
    '{"type":"response_item","payload":"function_call_output"}',
    '{"type":"event_msg","payload":{"type":"function_call_output","call_id":"a","output":"x"}}',
    '{"type":"compacted","payload":{"replacement_history":[{"type":"function_call_output"}]}}',
  ])("finds no result in %s", (line) => {
    expect(readMessage(format, line, KEEP).results).toEqual([]);
  });

  it("changes the output and no other character of its line", () => {
    const content = fc.oneof(
      anyString(),
      fc.array(fc.record({ type: fc.constantFrom("input_text", "x"), text: fc.string() })),
    );
    fc.assert(
      fc.property(
        content,
        fc.boolean(),
        fc.jsonValue(),
        oddWriters,
        fc.constantFrom("", "\r", "\n"),
        (value, isWrapped, unknown, write, lineEnd) => {
          const hole = new Hole("@@hole@@");
          const payload = {
            unknown,
            type: "function_call_output",
            output: isWrapped ? { success: true, content: hole, unknown } : hole,
            call_id: "c1",
          };
          const frame = write({ type: "response_item", payload, unknown }) + lineEnd;
          const line = fill(frame, { "@@hole@@": write(value).trim() });
          const { offloaded, restored } = offloadAndRestore(format, line);
          const reference = Array.isArray(value)
            ? '[{"type":"input_text","text":"reference 0"}]'
            : '"reference 0"';
          expect(offloaded).toBe(fill(frame, { "@@hole@@": reference }));
          expect(restored).toBe(line);
        },
      ),
    );
  });

  it("knows its own lines, and refuses others' with a reason", () => {
    expectToKnowItsOwn(format);
  });

  it("has the tools of the Responses API", () => {
    expect(format.describeTools([GREP])).toEqual([
      {
        type: "function",
        name: "grep",
        description: "Searches.",
        parameters: GREP.inputSchema,
        strict: false,
      },
    ]);
    const call = { type: "function_call", call_id: "c", name: "grep", arguments: '{"a":1}' };
    expect(format.readCall(call)).toEqual({ name: "grep", input: { a: 1 } });
    expect(format.answerCall(call, { text: "x", isError: false })).toEqual({
      type: "function_call_output",
      call_id: "c",
      output: "x",
    });
  });
});
