import { describe, expect, it } from "vitest";
import {
  createToolResultOffload,
  createWorkspace,
  parseKnowledgeList,
  type ToolResultContext,
  type ToolResultInput,
} from "../../../src/index.js";
import { makeTempFolder } from "../../support/temp-folder.js";
import { textOf } from "../../support/tool-messages.js";
import { openWorkspace } from "./open-workspace.js";

const CONTEXT = { agentId: "agent", taskId: "task", sessionId: "s1" };
const BIG = textOf(50_000, "first");
const OTHER = textOf(50_000, "second");

async function openOffload() {
  const workspace = await openWorkspace();
  const op = createToolResultOffload({ workspace, whiteList: ["bash"] });
  const process = (result: Partial<ToolResultInput>, context: ToolResultContext = CONTEXT) =>
    op.process({ toolCallId: "call_1", toolName: "bash", content: BIG, ...result }, context);
  return { workspace, process };
}

describe("metadata", () => {
  it("names whose result it is, and keeps the error flag and whatever else was known", async () => {
    const { workspace, process } = await openOffload();
    await process({
      actionName: "run",
      isError: true,
      metadata: { offload: true, exit_code: 2, nested: { kept: ["as", "it is"] } },
    });
    const [record] = (await workspace.queryArtifacts()).artifacts;
    expect(record?.metadata).toEqual({
      context_type: "tool_result",
      biz_id: "call_1",
      agent_id: "agent",
      task_id: "task",
      session_id: "s1",
      tool_name: "bash",
      action_name: "run",
      is_error: true,
      offload: true,
      exit_code: 2,
      nested: { kept: ["as", "it is"] },
    });
    expect(record).toMatchObject({ artifactId: "call_1", sessionId: "s1", type: "TEXT" });
  });

  it("is told by put as it will be read back", async () => {
    const root = await makeTempFolder();
    const metadata = { at: new Date(0), nothing: undefined, deep: { kept: NaN } };
    const { record } = await createWorkspace({ root }).put(
      { content: "x", metadata },
      { sessionId: "default" },
    );
    const { artifacts } = await createWorkspace({ root }).queryArtifacts();
    expect(artifacts).toEqual([record]);
    expect(record.metadata).toMatchObject({ at: "1970-01-01T00:00:00.000Z", deep: { kept: null } });
  });

  it("what is not known is null", async () => {
    const { workspace, process } = await openOffload();
    await process({ toolCallId: undefined, toolName: undefined, metadata: { offload: true } }, {});
    const [record] = (await workspace.queryArtifacts()).artifacts;
    expect(record?.metadata).toEqual({
      context_type: "tool_result",
      biz_id: null,
      agent_id: null,
      task_id: null,
      session_id: null,
      tool_name: null,
      action_name: null,
      offload: true,
    });
  });

  it.each<[string, ToolResultContext]>([
    ["what the caller says", CONTEXT],
    ["that the caller says nothing", {}],
  ])("a tool's own metadata cannot overrule %s", async (_, context) => {
    const { workspace, process } = await openOffload();
    const names = ["context_type", "biz_id", "agent_id", "task_id", "session_id", "tool_name"];
    const forged = Object.fromEntries([...names, "action_name"].map((name) => [name, "forged"]));
    await process({ toolCallId: undefined, metadata: forged }, context);
    const [record] = (await workspace.queryArtifacts()).artifacts;
    expect(record?.sessionId).toBe(context.sessionId ?? "default");
    expect(record?.artifactId).toMatch(/^unknown-[0-9a-f]{16}$/);
    expect(record?.metadata).toEqual({
      context_type: "tool_result",
      biz_id: null,
      agent_id: context.agentId ?? null,
      task_id: context.taskId ?? null,
      session_id: context.sessionId ?? null,
      tool_name: "bash",
      action_name: null,
    });
  });
});

describe("ids", () => {
  it("an id that holds other content gets a hash suffix, and biz_id is the call's id", async () => {
    const { workspace, process } = await openOffload();
    await process({});
    const { content, decision } = await process({ content: OTHER });
    expect(decision.artifactId).toMatch(/^call_1-[0-9a-f]{12}$/);
    expect(parseKnowledgeList(content as string)).toEqual([decision.artifactId]);
    const { artifacts } = await workspace.queryArtifacts({ biz_id: "call_1" });
    expect(artifacts.map(({ artifactId }) => artifactId)).toEqual(["call_1", decision.artifactId]);
    expect(await workspace.getOriginal("call_1")).toBe(BIG);
    expect(await workspace.getOriginal(decision.artifactId ?? "")).toBe(OTHER);
  });

  it("another session has the plain id for itself", async () => {
    const { process } = await openOffload();
    await process({});
    const { decision } = await process({ content: OTHER }, { sessionId: "s2" });
    expect(decision.artifactId).toBe("call_1");
  });

  it.each([undefined, ""])("a missing id (%j) is made of the content", async (toolCallId) => {
    const { workspace, process } = await openOffload();
    const first = await process({ toolCallId });
    const second = await process({ toolCallId, content: OTHER });
    expect(first.decision.artifactId).toMatch(/^unknown-[0-9a-f]{16}$/);
    expect(second.decision.artifactId).toMatch(/^unknown-[0-9a-f]{16}$/);
    expect(first.decision.artifactId).not.toBe(second.decision.artifactId);
    expect(await workspace.getOriginal(second.decision.artifactId ?? "")).toBe(OTHER);
  });

  it("a text and blocks that serialize to it are two artifacts", async () => {
    const { workspace, process } = await openOffload();
    const blocks = [{ type: "text", text: BIG }];
    await process({ content: JSON.stringify(blocks) });
    const { decision } = await process({ content: blocks });
    expect(decision.artifactId).toMatch(/^call_1-[0-9a-f]{12}$/);
    expect(await workspace.getOriginal("call_1")).toBe(JSON.stringify(blocks));
    expect(await workspace.getOriginal(decision.artifactId ?? "")).toEqual(blocks);
  });
});

describe("processing twice", () => {
  it("the same content is the same artifact and the same reference", async () => {
    const { workspace, process } = await openOffload();
    const first = await process({});
    expect(await process({})).toEqual(first);
    expect((await workspace.queryArtifacts()).artifacts).toHaveLength(1);
  });

  it.each([
    ["the call's id", "call_1", [BIG]],
    ["a suffix", "call_1", [OTHER, BIG]],
    ["no id", undefined, [BIG]],
    ["a hostile id", '../"><knowledge id="x">\n', [BIG]],
  ])("a reference with %s comes back as it is", async (_, toolCallId, contents) => {
    const { workspace, process } = await openOffload();
    let reference: ToolResultInput["content"] = "";
    for (const content of contents) reference = (await process({ toolCallId, content })).content;
    const before = (await workspace.queryArtifacts()).artifacts.length;
    const again = await process({ toolCallId, content: reference, metadata: { offload: true } });
    expect(again.content).toBe(reference);
    expect(again.decision).toEqual({ offloaded: false, reason: "none", inline: true });
    expect((await workspace.queryArtifacts()).artifacts).toHaveLength(before);
  });

  it("another call's reference, or one with text around it, is content like any other", async () => {
    const { workspace, process } = await openOffload();
    const { content: reference } = await process({});
    for (const [toolCallId, content] of [
      ["call_2", reference as string],
      ["call_1", `${reference as string}\n`],
      ["call_1", `See:\n${reference as string}`],
    ] as const) {
      const { decision } = await process({ toolCallId, content });
      expect(decision).toMatchObject({ offloaded: true, reason: "white_list" });
      const original = await workspace.getOriginal(decision.artifactId ?? "");
      expect(original).toBe(content);
    }
  });
});
