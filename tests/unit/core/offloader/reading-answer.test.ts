import { describe, expect, it } from "vitest";
import {
  createReadingCalls,
  findReadingAnswers,
  type ReadingCall,
} from "../../../../src/core/offloader/reads.js";
import { coreOf } from "../../../../src/core/workspace/workspace-core.js";
import { createMemoryWorkspace } from "../../../../src/testing/index.js";
import { toolResult } from "../../../support/tool-results.js";

const calls = createReadingCalls({ grep_knowledge: "search", query_knowledge: false });
const READ = { artifact_id: "a" };
const LINES = { ...READ, start_line: 1, end_line: "2" };

describe("a call of a reading tool", () => {
  it.each<[string, unknown, ReadingCall | undefined]>([
    ["get_knowledge_by_id", READ, { artifactId: "a" }],
    ["get_knowledge_by_id", JSON.stringify(READ), { artifactId: "a" }],
    ["get_knowledge_by_id", { artifact_id: 7 }, { artifactId: "7" }],
    ["get_knowledge_by_id", {}, undefined],
    ["get_knowledge_by_id", undefined, undefined],
    ["get_knowledge_by_id", { artifact_id: "" }, undefined],
    ["get_knowledge_by_id", { artifact_id: ["a"] }, undefined],
    ["get_knowledge_by_id", '{"artifact_id": "a"', undefined],
    ["get_knowledge_by_id", "null", undefined],
    ["get_knowledge_by_lines", LINES, { artifactId: "a" }],
    ["get_knowledge_by_lines", READ, undefined],
    ["search", { artifact_id: "a", pattern: "x" }, { artifactId: "a" }],
    ["search", { pattern: "x" }, { artifactId: undefined }],
    ["search", { q: "x" }, undefined],
    ["grep_knowledge", { pattern: "x" }, undefined],
    ["query_knowledge", READ, undefined],
    ["get_tool_result_offload_info", {}, { artifactId: undefined }],
    ["get_tool_result_offload_info", "", { artifactId: undefined }],
    ["read_stored", { id: "a", lines: "1-2" }, { artifactId: "a" }],
    ["read_stored", { id: 7 }, { artifactId: "7" }],
    ["read_stored", READ, { artifactId: "a" }],
    ["read_stored", '{"pattern":"x"}', { artifactId: undefined }],
    ["read_stored", {}, { artifactId: undefined }],
    ["read_stored", { url: "https://example.com" }, undefined],
    ["get_knowledge_by_id", { id: "a" }, undefined],
    ["bash", READ, undefined],
    ["__proto__", READ, undefined],
  ])("%s with %j", (name, input, expected) => {
    expect(calls.read(name, input)).toEqual(expected);
  });

  it("is guessed by its name where there is no input", () => {
    expect(calls.guess("search")).toEqual({ artifactId: undefined });
    expect(calls.guess("search", { artifact_id: "a", pattern: "x" })).toEqual({ artifactId: "a" });
    expect(calls.guess("search", {})).toBeUndefined();
    expect(calls.guess("bash")).toBeUndefined();
    expect(calls.guess(undefined)).toBeUndefined();
  });
});

describe("the answer of a reading tool", () => {
  async function isAnswer(call: ReadingCall | undefined, text = "answer", readChars = 20_000) {
    const workspace = createMemoryWorkspace();
    const put = (toolCallId: string, sessionId: string, parentSessionId?: string) =>
      workspace.put({ content: "text" }, { toolCallId, sessionId, parentSessionId });
    await put("own", "s");
    await put("removed", "s");
    await workspace.remove("removed", { sessionId: "s" });
    await put("child", "c", "s");
    await put("grandchild", "g", "c");
    await put("stranger", "x");
    await put("parent", "p");
    await put("own", "s", "p");
    const result = { ...toolResult(text), reading: call };
    const listSession = (sessionId: string) => coreOf(workspace).listSession(sessionId);
    const session = await listSession("s");
    const answers = findReadingAnswers([result], session, listSession, readChars);
    return (await answers).has(result);
  }

  it.each(["own", "removed", "child", "grandchild"])("may be about %s", async (artifactId) => {
    expect(await isAnswer({ artifactId })).toBe(true);
  });

  it.each(["stranger", "parent", "nobody", "__proto__", ""])(
    "is never about %j",
    async (artifactId) => {
      expect(await isAnswer({ artifactId })).toBe(false);
    },
  );

  it("needs a call of one of the tools, and is no longer than these answer", async () => {
    expect(await isAnswer(undefined)).toBe(false);
    expect(await isAnswer({ artifactId: undefined })).toBe(true);
    expect(await isAnswer({ artifactId: undefined }, "x".repeat(2_000_000))).toBe(false);
    expect(await isAnswer({ artifactId: "own" }, "x".repeat(2_000_000))).toBe(false);
    expect(await isAnswer({ artifactId: "own" }, "x".repeat(2_000_000), 1_000_000)).toBe(true);
    expect(await isAnswer({ artifactId: " own " })).toBe(true);
  });
});
