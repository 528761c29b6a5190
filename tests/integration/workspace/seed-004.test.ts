import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import {
  createToolResultOffload,
  parseKnowledgeList,
  type Content,
  type ToolResultInput,
  type ToolResultOffloadOptions,
  type WorkspaceEvent,
} from "../../../src/index.js";
import { openWorkspace } from "./open-workspace.js";

const WORDS = "a word or two\n".repeat(4_000);
const CONTEXT = { agentId: "agent-1", taskId: "task-1", sessionId: "s1" };
const SCOPE = { sessionId: "s1" };

const snapshot = (content: ToolResultInput["content"], toolCallId = "call_1"): ToolResultInput => ({
  toolCallId,
  toolName: "browser",
  actionName: "snapshot",
  content,
});

/** A content that must be a text. */
function textOf(content: Content): string {
  expect(content).toBeTypeOf("string");
  return content as string;
}

async function openOffload(options: Partial<ToolResultOffloadOptions> = {}) {
  const events: WorkspaceEvent[] = [];
  const workspace = await openWorkspace({ logger: (event) => events.push(event) });
  const op = createToolResultOffload({ workspace, whiteList: ["browser"], ...options });
  return { workspace, op, events };
}

describe("a big tool result", () => {
  it("goes into the workspace, and its reference is enough to read it", async () => {
    const { workspace, op } = await openOffload();
    const { content } = await op.process(snapshot(WORDS), CONTEXT);
    expect(textOf(content).length).toBeLessThan(WORDS.length / 10);
    expect(content).toContain("1: a word or two"); // its digest

    const [artifactId = "", ...others] = parseKnowledgeList(textOf(content)) ?? [];
    expect(others).toEqual([]);
    const { text } = await workspace.getKnowledgeById(artifactId, SCOPE);
    expect(WORDS.startsWith(text)).toBe(true);
    const part = await workspace.getKnowledgeByLines(artifactId, 3, 4, SCOPE);
    expect(part.text).toBe("a word or two\na word or two");
    const found = await workspace.grepKnowledge(artifactId, "two$", { ...SCOPE, maxResults: 1 });
    expect(found.text).toBe("1:a word or two");
    expect(await workspace.getOriginal(artifactId, SCOPE)).toBe(WORDS);
  });

  it("is stored as one artifact with the call's id, whatever is in it", async () => {
    const { workspace, op } = await openOffload();
    const parts = ["one", "two", "three"].map((text) => ({ type: "text", text }));
    await op.process(snapshot(parts, "call_1"), CONTEXT);
    await op.process(snapshot(WORDS, "call_2"), CONTEXT);
    await op.process(snapshot(WORDS, "call_2"), CONTEXT);
    const { artifacts } = await workspace.queryArtifacts();
    expect(artifacts.map(({ artifactId, metadata }) => [artifactId, metadata.biz_id])).toEqual([
      ["call_1", "call_1"],
      ["call_2", "call_2"],
    ]);
  });

  it("that is a string is stored as it stands, any other as its JSON", async () => {
    const { workspace, op } = await openOffload();
    const blocks = [{ type: "text", text: "é\n" }, { nested: [1, null] }];
    await op.process(snapshot("é\r\n", "text"), CONTEXT);
    await op.process(snapshot(blocks, "blocks"), CONTEXT);
    const { artifacts } = await workspace.queryArtifacts();
    const stored = artifacts.map(async ({ type, location }) => [
      type,
      await readFile(location, "utf8"),
    ]);
    expect(await Promise.all(stored)).toEqual([
      ["TEXT", "é\r\n"],
      ["JSON", JSON.stringify(blocks)],
    ]);
    expect(await workspace.getOriginal("blocks", SCOPE)).toEqual(blocks);
  });

  it("carries whose it is in its metadata", async () => {
    const { workspace, op } = await openOffload();
    await op.process(snapshot("text"), CONTEXT);
    await workspace.put({ content: "bare" }, { sessionId: "default" });
    const { artifacts } = await workspace.queryArtifacts();
    expect(artifacts.map(({ metadata }) => metadata)).toEqual(
      expect.arrayContaining([
        {
          context_type: "tool_result",
          biz_id: "call_1",
          agent_id: "agent-1",
          task_id: "task-1",
          session_id: "s1",
          tool_name: "browser",
          action_name: "snapshot",
        },
        expect.objectContaining({
          context_type: "tool_result",
          biz_id: null,
          agent_id: null,
          task_id: null,
          tool_name: null,
          action_name: null,
        }),
      ]),
    );
  });
});

describe("the decision", () => {
  it("is made by the white list, by metadata, or by tokens", async () => {
    const { op } = await openOffload({
      whiteList: ["grep", "browser:snapshot"],
      tokenThreshold: 10,
      countTokens: (text) => text.length,
    });
    const decide = async (result: Partial<ToolResultInput>) => {
      const { decision } = await op.process({ content: "x", ...result }, CONTEXT);
      return [decision.offloaded, decision.reason];
    };
    const listed = { toolName: "grep" };
    expect(await decide(listed)).toEqual([true, "white_list"]);
    expect(await decide({ toolName: "browser", actionName: "snapshot" })).toEqual([
      true,
      "white_list",
    ]);
    expect(await decide({ toolName: "browser", actionName: "click" })).toEqual([false, "none"]);
    expect(await decide({ metadata: { offload: true } })).toEqual([true, "metadata"]);
    expect(await decide({ metadata: { offload: false } })).toEqual([false, "metadata"]);
    expect(await decide({ ...listed, metadata: { offload: false } })).toEqual([false, "metadata"]);
    expect(await decide({ ...listed, metadata: { offload: true } })).toEqual([true, "white_list"]);
    expect(await decide({ content: "x".repeat(10) })).toEqual([false, "none"]);
    expect(await decide({ content: "x".repeat(11) })).toEqual([true, "tokens"]);
  });

  it("to keep it returns it as it is, and nothing is written", async () => {
    const { workspace, op } = await openOffload();
    const blocks = [{ type: "text", text: "short" }];
    const { content } = await op.process({ toolCallId: "a", content: blocks }, CONTEXT);
    expect(content).toBe(blocks);
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
  });
});

describe("what comes back", () => {
  it("is the content under 40,000 characters, and it is stored all the same", async () => {
    const { workspace, op } = await openOffload();
    const short = "x".repeat(39_999);
    expect(await op.process(snapshot(short, "short"), CONTEXT)).toEqual({
      content: short,
      decision: { offloaded: true, reason: "white_list", artifactId: "short", inline: true },
    });
    const long = await op.process(snapshot(`${short}x`, "long"), CONTEXT);
    expect(long.decision.inline).toBe(false);
    expect(parseKnowledgeList(textOf(long.content))).toEqual(["long"]);
    expect(await workspace.getOriginal("short", SCOPE)).toBe(short);
    expect(await workspace.getOriginal("long", SCOPE)).toBe(`${short}x`);
  });

  it("of offloadByWorkspace follows the same rule, and biz_id is the call's", async () => {
    const { workspace } = await openOffload();
    const artifact = { content: "short", metadata: { biz_id: "another" } };
    const options = { toolCallId: "call_9", sessionId: "s1" };
    expect(await workspace.offloadByWorkspace([artifact], options)).toBe("short");
    const { artifacts } = await workspace.queryArtifacts({ biz_id: "call_9" });
    expect(artifacts.map(({ artifactId }) => artifactId)).toEqual(["call_9"]);
  });
});

describe("finding and reading", () => {
  async function openFilled() {
    const { workspace, op, events } = await openOffload();
    for (const [id, taskId, sessionId] of [
      ["a", "t1", "s1"],
      ["b", "t2", "s1"],
      ["c", "t1", "s2"],
    ] as const) {
      await op.process(snapshot("one\ntwo\nthree", id), { taskId, sessionId });
    }
    const metadata = { context_type: "note" };
    await workspace.put({ content: "a note", metadata }, { toolCallId: "n", sessionId: "s1" });
    return { workspace, events };
  }

  it("is by type, and narrowed by task, session and call", async () => {
    const { workspace } = await openFilled();
    const find = async (filter: Record<string, string>) => {
      const { artifacts } = await workspace.queryArtifacts({
        context_type: "tool_result",
        ...filter,
      });
      return artifacts.map(({ artifactId }) => artifactId);
    };
    expect(await find({})).toEqual(["a", "b", "c"]);
    expect(await find({ task_id: "t1" })).toEqual(["a", "c"]);
    expect(await find({ session_id: "s1" })).toEqual(["a", "b"]);
    expect(await find({ biz_id: "b" })).toEqual(["b"]);
    expect(await find({ task_id: "t1", session_id: "s2", biz_id: "c" })).toEqual(["c"]);
    expect(await find({ task_id: "t2", session_id: "s2" })).toEqual([]);
    expect(await find({ context_type: "note" })).toEqual(["n"]);
  });

  it("is by id, by lines from 1 with both ends, and by pattern", async () => {
    const { workspace } = await openFilled();
    expect((await workspace.getKnowledgeById("a", SCOPE)).text).toBe("one\ntwo\nthree");
    expect((await workspace.getKnowledgeByLines("a", 1, 2, SCOPE)).text).toBe("one\ntwo");
    expect((await workspace.getKnowledgeByLines("a", 3, 3, SCOPE)).text).toBe("three");
    expect((await workspace.grepKnowledge("a", "^t", SCOPE)).text).toBe("2:two\n3:three");
  });

  it("begins with an overview of what is stored", async () => {
    const { workspace } = await openFilled();
    const all = await workspace.getToolResultOffloadInfo({ namespace: "default" });
    expect(all.artifacts.map(({ artifact_id }) => artifact_id)).toEqual(["a", "b", "c"]);
    expect(all.artifacts[0]).toEqual({
      artifact_id: "a",
      biz_id: "a",
      tool_name: "browser",
      action_name: "snapshot",
      session_id: "s1",
      task_id: "t1",
      chars: 13,
      lines: 3,
      tokens: expect.any(Number) as number,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
    });
    const [, , , , info] = workspace.tools();
    expect(info?.name).toBe("get_tool_result_offload_info");
    const lines = async (input: object) => (await info?.execute(input))?.text.split("\n").length;
    expect(await lines({})).toBe(3);
    expect(await lines({ namespace: "default", task_id: "t1" })).toBe(2);
    expect(await lines({ task_id: "t1", session_id: "s2" })).toBe(1);
    expect(await info?.execute({ namespace: "other" })).toMatchObject({ isError: true });
  });

  it("can be told to a model", async () => {
    const { workspace } = await openFilled();
    const prompt = workspace.systemPrompt();
    expect(prompt).toContain("get_tool_result_offload_info lists all");
    expect(prompt).toContain("get_knowledge_by_id reads one");
  });

  it("can be followed in the log by context_type and biz_id", async () => {
    const { workspace, events } = await openFilled();
    await workspace.getKnowledgeById("b", SCOPE);
    const ofB = events.filter(({ biz_id }) => biz_id === "b");
    expect(ofB.map(({ event, context_type }) => [event, context_type])).toEqual([
      ["offload", "tool_result"],
      ["read", "tool_result"],
    ]);
  });
});

it("an id that is missing, or holds other content, gets a hash, and biz_id is the call's", async () => {
  const { workspace, op } = await openOffload();
  const ids: (string | undefined)[] = [];
  for (const [id, content] of [
    ["call_1", "one"],
    ["call_1", "two"],
    ["", "three"],
  ] as const) {
    ids.push((await op.process(snapshot(content, id), CONTEXT)).decision.artifactId);
  }
  expect(ids[0]).toBe("call_1");
  expect(ids[1]).toMatch(/^call_1-[0-9a-f]{12}$/);
  expect(ids[2]).toMatch(/^unknown-[0-9a-f]{16}$/);
  const { artifacts } = await workspace.queryArtifacts({ biz_id: "call_1" });
  expect(artifacts).toHaveLength(2);
});
