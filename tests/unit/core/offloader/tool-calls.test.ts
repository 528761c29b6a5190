import { describe, expect, it } from "vitest";
import { createToolCalls } from "../../../../src/core/offloader/tool-calls.js";
import { FORMATS } from "../../../../src/formats/formats.js";
import type { Format, AnthropicMessage } from "../../../../src/formats/index.js";
import { createOffloader, TOOL_NAMES, type OffloaderOptions } from "../../../../src/index.js";
import { createMemoryWorkspace, MemoryStore } from "../../../../src/testing/index.js";
import { conversationOf, logOf } from "../../../support/conversation.js";
import { openMemoryWorkspace } from "../../../support/memory-workspace.js";
import { rejectionOf } from "../../../support/rejection.js";

const formatNamed = (name: string) => FORMATS.find((format) => format.name === name) as Format;
async function open(named?: string, current?: string, readingTools: "one" | "five" = "one") {
  const workspace = createMemoryWorkspace();
  await workspace.put({ content: "one\ntwo" }, { toolCallId: "a", sessionId: "s1" });
  await workspace.put({ content: "secret" }, { toolCallId: "b", sessionId: "s2" });
  return createToolCalls(
    workspace,
    {
      ...{ sessionId: "s1", readingTools },
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

  it.each(["one", "five"] as const)("answer all names, told of %s", async (readingTools) => {
    const calls = await open("anthropic", undefined, readingTools);
    const told = (calls.tools() as { name: string }[]).map(({ name }) => name);
    expect(told).toHaveLength(readingTools === "one" ? 1 : 5);
    const inputs = {
      get_knowledge_by_id: { artifact_id: "a" },
      get_knowledge_by_lines: { artifact_id: "a", start_line: 1 },
      grep_knowledge: { artifact_id: "a", pattern: "two" },
      query_knowledge: { artifact_id: "a" },
      get_tool_result_offload_info: {},
      query_artifacts: { search_filter: { context_type: "tool_result" } },
      read_stored: { id: "a", lines: "2" },
    };
    expect(Object.keys(inputs).sort()).toEqual([...TOOL_NAMES].sort());
    for (const [name, input] of Object.entries(inputs)) {
      const call = { type: "tool_use", id: "x", name, input };
      expect(calls.handles(call), name).toBe(true);
      const answer = await calls.handleToolCall(call);
      expect(answer, name).toMatchObject({ type: "tool_result", tool_use_id: "x" });
      if (name !== "query_knowledge") expect(answer).not.toHaveProperty("is_error");
    }
  });

  it("read nothing of another session", async () => {
    const call = { ...ANTHROPIC_CALL, input: { ...INPUT, artifact_id: "b" } };
    const answer = await (await open()).handleToolCall(call);
    expect(answer).toMatchObject({ is_error: true });
    expect(JSON.stringify(answer)).not.toContain("secret");
  });

  it.each([
    [
      "another tool",
      { ...ANTHROPIC_CALL, name: "bash" },
      /a call of one of get_knowledge_by_id, .*read_stored/,
    ],
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

function create(options: Partial<OffloaderOptions> = {}) {
  const workspace = createMemoryWorkspace();
  return createOffloader({ workspace, sessionId: "s1", format: "anthropic", ...options });
}
/** Three results that are offloaded when they arrive. */
function makeHistory(): AnthropicMessage[] {
  return conversationOf(
    { id: "a", text: logOf(30_000, "alpha") },
    { id: "b", text: logOf(30_000, "beta") },
    { id: "c", text: logOf(30_000, "gamma") },
  );
}
async function offloadedIn(history: readonly AnthropicMessage[], options = {}) {
  return JSON.stringify((await create(options).offload([...history])).messages);
}
describe("a call that failed", () => {
  it("is tried again as a whole by the next one", async () => {
    let isDown = true;
    class FailingStore extends MemoryStore {
      override put(...given: Parameters<MemoryStore["put"]>) {
        return isDown ? Promise.reject(new Error("down")) : super.put(...given);
      }
    }
    const offloader = create({ workspace: openMemoryWorkspace({ store: new FailingStore() }) });
    const history = makeHistory();
    await expect(offloader.offload(history)).rejects.toThrow("down");
    isDown = false;
    const { report, messages } = await offloader.offload(history);
    expect(report.totals.offloaded).toBe(3);
    expect(JSON.stringify(messages)).toBe(
      await offloadedIn(history, { workspace: openMemoryWorkspace() }),
    );
  });
});
