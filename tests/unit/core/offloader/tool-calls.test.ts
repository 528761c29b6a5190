import { describe, expect, it } from "vitest";
import { createToolCalls } from "../../../../src/core/offloader/tool-calls.js";
import { FORMATS } from "../../../../src/formats/formats.js";
import type { Format } from "../../../../src/formats/index.js";
import { createMemoryWorkspace } from "../../../../src/testing/index.js";
import { rejectionOf } from "../../../support/rejection.js";

const formatNamed = (name: string) => FORMATS.find((format) => format.name === name) as Format;

async function open(named?: string, current?: string) {
  const workspace = createMemoryWorkspace();
  await workspace.put({ content: "one\ntwo" }, { toolCallId: "a", sessionId: "s1" });
  await workspace.put({ content: "secret" }, { toolCallId: "b", sessionId: "s2" });
  return createToolCalls(
    workspace,
    {
      sessionId: "s1",
      format: named === undefined ? undefined : formatNamed(named),
      formats: FORMATS,
    },
    () => (current === undefined ? undefined : formatNamed(current)),
  );
}

const INPUT = { artifact_id: "a", start_line: 2, end_line: 2 };
const ANTHROPIC_CALL = { type: "tool_use", id: "x", name: "get_knowledge_by_lines", input: INPUT };
const OPENAI_CALL = {
  type: "function",
  id: "x",
  function: { name: "get_knowledge_by_lines", arguments: JSON.stringify(INPUT) },
};

describe("the reading tools of an offloader", () => {
  it("come in the shape that was asked for, else in the conversation's", async () => {
    const shapeOf = (tools: unknown) => Object.keys((tools as object[])[0] ?? {}).sort();
    const openAi = shapeOf((await open()).tools("openai-chat"));
    expect(openAi).toEqual(["function", "type"]);
    expect(shapeOf((await open("openai-chat")).tools())).toEqual(openAi);
    expect(shapeOf((await open(undefined, "openai-chat")).tools())).toEqual(openAi);
    expect(shapeOf((await open("openai-chat", "anthropic")).tools("anthropic"))).toContain(
      "input_schema",
    );
  });

  it("are refused before the format is known, and in one that there is not", async () => {
    const calls = await open();
    expect(() => calls.tools()).toThrow(/Pass a format to tools\(\), one of: anthropic, /);
    expect(() => calls.tools("klingon")).toThrow(/no format "klingon".*anthropic, /);
  });

  it.each([
    ["anthropic", ANTHROPIC_CALL, { type: "tool_result", tool_use_id: "x" }],
    ["openai-chat", OPENAI_CALL, { role: "tool", tool_call_id: "x" }],
  ])("answer a call in its own shape: %s", async (_, call, answer) => {
    const calls = await open();
    expect(calls.handles(call)).toBe(true);
    expect(await calls.handleToolCall(call)).toEqual({
      ...answer,
      content: "two",
    });
  });

  it("read nothing of another session", async () => {
    const call = { ...ANTHROPIC_CALL, input: { ...INPUT, artifact_id: "b" } };
    const answer = await (await open()).handleToolCall(call);
    expect(answer).toMatchObject({ is_error: true });
    expect(JSON.stringify(answer)).not.toContain("secret");
  });

  it.each([
    ["another tool", { ...ANTHROPIC_CALL, name: "bash" }, /a call of one of get_knowledge_by_id/],
    ["what is not a call", { hello: "world" }, /a tool call in the shape of a known format/],
    ["nothing", undefined, /a tool call in the shape/],
  ])("do not handle %s, and refuse to answer it", async (_, call, message) => {
    const calls = await open("anthropic");
    expect(calls.handles(call)).toBe(false);
    const error = await rejectionOf(calls.handleToolCall(call));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "call" });
    expect(error.message).toMatch(message);
  });

  it("give no answer to a call that was aborted", async () => {
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await expect((await open()).handleToolCall(ANTHROPIC_CALL, { signal })).rejects.toBe(reason);
  });
});
