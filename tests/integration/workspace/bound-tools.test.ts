import { describe, expect, it } from "vitest";
import {
  createToolResultOffload,
  createWorkspace,
  TOOL_NAMES,
  type Workspace,
} from "../../../src/index.js";
import { type ToolAnswer } from "../../../src/formats/index.js";
import { makeTempFolder } from "../../support/temp-folder.js";
import { textOf } from "../../support/tool-messages.js";
import { openWorkspace } from "./open-workspace.js";

const SECRET = "the secret of another session";

/** Sessions of one folder: the agent's own, its child, a stranger's, and one of another namespace. */
async function openShared(): Promise<{ workspace: Workspace; strangerPath: string }> {
  const root = await makeTempFolder();
  const workspace = createWorkspace({ root, namespace: "one" });
  await workspace.put({ content: "mine" }, { toolCallId: "of-me", sessionId: "me" });
  await workspace.put(
    { content: "my child's" },
    { toolCallId: "of-child", sessionId: "child", parentSessionId: "me" },
  );
  const { record } = await workspace.put(
    { content: SECRET },
    { toolCallId: "of-stranger", sessionId: "stranger" },
  );
  const other = createWorkspace({ root, namespace: "two" });
  await other.put({ content: SECRET }, { toolCallId: "of-other", sessionId: "me" });
  return { workspace, strangerPath: record.location };
}

async function callAll(workspace: Workspace, input: object): Promise<ToolAnswer[]> {
  const answers: ToolAnswer[] = [];
  const { artifact_id: id } = input as { artifact_id?: string };
  const tools = workspace.tools({ sessionId: "me", readingTools: "all" });
  for (const tool of tools) {
    const sample: Record<string, unknown> = {
      ...{ pattern: ".", start_line: 1, end_line: 1, id },
      ...input,
    };
    const known = Object.keys(tool.inputSchema.properties).filter((name) => name in sample);
    answers.push(await tool.execute(Object.fromEntries(known.map((name) => [name, sample[name]]))));
  }
  return answers;
}

describe("tools of one session", () => {
  it("read its own results and its children's", async () => {
    const { workspace } = await openShared();
    const [byId] = workspace.tools({ sessionId: "me" });
    for (const [artifact_id, content, session_id] of [
      ["of-me", "mine", undefined],
      ["of-me", "mine", "me"],
      ["of-child", "my child's", undefined],
      ["of-child", "my child's", "child"],
    ]) {
      const answer = await byId?.execute({ artifact_id, session_id });
      expect(answer).toMatchObject({ isError: false });
      expect(answer?.text).toContain(content);
    }
  });

  it.each<[string, (strangerPath: string) => object]>([
    ["by id", () => ({ artifact_id: "of-stranger" })],
    ["by the session's name", () => ({ artifact_id: "of-stranger", session_id: "stranger" })],
    [
      "by a path as the session",
      () => ({ artifact_id: "of-stranger", session_id: "../one/stranger" }),
    ],
    ["by a path as the id", () => ({ artifact_id: "../stranger/of-stranger" })],
    ["by the file's name", () => ({ artifact_id: "../stranger/of-stranger.txt" })],
    ["by the file's path", (path) => ({ artifact_id: path })],
    ["by the manifest", () => ({ artifact_id: "../stranger/manifest.jsonl" })],
    ["by another namespace", () => ({ artifact_id: "of-other", namespace: "two" })],
    ["by a path of another namespace", () => ({ artifact_id: "../../two/me/of-other" })],
    ["by a cursor", () => ({ artifact_id: "of-stranger", cursor: "0:stranger" })],
  ])("see nothing of others: %s", async (_, inputOf) => {
    const { workspace, strangerPath } = await openShared();
    const answers = await callAll(workspace, inputOf(strangerPath));
    expect(answers).toHaveLength(TOOL_NAMES.length);
    for (const { text } of answers) expect(text).not.toContain(SECRET);
    for (const { isError } of answers.slice(0, 4)) expect(isError).toBe(true);
  });

  it("list nothing of others, and do not tell a session that exists from one that does not", async () => {
    const { workspace } = await openShared();
    const list = workspace.tools({ sessionId: "me" }).at(-1);
    const all = await list?.execute({});
    expect(all?.text).toContain('"of-me"');
    expect(all?.text).toContain('"of-child"');
    expect(all?.text).not.toMatch(/stranger|of-other/);
    const stranger = await list?.execute({ session_id: "stranger" });
    const nobody = await list?.execute({ session_id: "nobodyxx" });
    expect(stranger?.isError).toBe(true);
    expect(stranger?.text.replaceAll("stranger", "nobodyxx")).toBe(nobody?.text);
    const namespace = await list?.execute({ namespace: "two" });
    expect(namespace?.text).toMatch(/^INVALID_ARGUMENT: namespace must be "one"/);
    expect((await list?.execute({ namespace: "one" }))?.isError).toBe(false);
  });

  it("of a session that holds nothing say so", async () => {
    const { workspace } = await openShared();
    const [byId, , , , list] = workspace.tools({ sessionId: "new" });
    expect((await list?.execute({}))?.text).toBe("No tool results are stored.");
    expect((await byId?.execute({ artifact_id: "of-me" }))?.text).toContain("Nothing is stored");
  });

  it("say once and finally that a result is gone", async () => {
    const { workspace } = await openShared();
    await workspace.remove("of-me", { sessionId: "me" });
    const answers = await callAll(workspace, { artifact_id: "of-me" });
    expect(answers).toHaveLength(TOOL_NAMES.length);
    for (const { text } of answers.slice(0, 4)) {
      expect(text).toMatch(/^ARTIFACT_GONE: .*run (?:the tool|"[^"]+") again/);
    }
  });
});

describe("the listing that the system prompt recommends", () => {
  it("lists what was offloaded, by the id that the reference names", async () => {
    const workspace = await openWorkspace();
    const op = createToolResultOffload({ workspace, tokenThreshold: 100 });
    const { content } = await op.process(
      { toolCallId: "call_1", toolName: "bash", content: textOf(50_000) },
      { sessionId: "s1", taskId: "t1" },
    );
    expect(content).toContain('<knowledge id="call_1"');
    expect(workspace.systemPrompt()).toContain("get_tool_result_offload_info");
    const [byId, , , , list] = workspace.tools({ sessionId: "s1" });
    const { text = "" } = (await list?.execute({ task_id: "t1" })) ?? {};
    const { artifact_id } = JSON.parse(text) as { artifact_id: string };
    expect(artifact_id).toBe("call_1");
    expect((await byId?.execute({ artifact_id }))?.isError).toBe(false);
  });
});
