import { rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createOffloader, createWorkspace, type Workspace } from "../../src/index.js";
import { MemoryStore } from "../../src/testing/index.js";
import { memoryWorkspaceOf, openMemoryWorkspace } from "../support/memory-workspace.js";
import { rejectionOf } from "../support/rejection.js";
import { toolRunner } from "../support/run-tools.js";
import { makeStore, openStore } from "../support/store-files.js";
import { makeTempFolder } from "../support/temp-folder.js";

const CALLS = {
  get_knowledge_by_id: { artifact_id: "call-1" },
  get_knowledge_by_lines: { artifact_id: "call-1", start_line: 1, end_line: 1 },
  grep_knowledge: { artifact_id: "call-1", pattern: "x" },
  query_knowledge: { artifact_id: "call-1", pointer: "/a" },
  get_tool_result_offload_info: {},
};

/** What the model is told by each tool, those answers that are errors. */
async function errorsOf(workspace: Workspace, sessionId = "session-1"): Promise<string[]> {
  const run = toolRunner(workspace, { sessionId });
  const answers = await Promise.all(Object.entries(CALLS).map(([name, input]) => run(name, input)));
  return answers.filter(({ isError }) => isError).map(({ text }) => text);
}

describe("an error of a tool tells the model nothing of the host's disk", () => {
  const SYSTEM = /ENO|EACC|EISDIR|ENOTDIR|ELOOP|EINVAL|errno|open '|lstat/;

  async function openDamaged(damage: (file: string, folder: string) => Promise<unknown>) {
    const { root, workspace, sessionFolder } = await makeStore();
    const options = { toolCallId: "call-1", sessionId: "session-1" };
    const { record } = await workspace.put({ content: '{"a":"x"}' }, options);
    await damage(record.location, sessionFolder("session-1"));
    return { root, workspace: openStore(root) };
  }

  it.each<[string, number, (file: string, folder: string) => Promise<unknown>]>([
    ["a file that was cut", 4, (file) => truncate(file, 3)],
    ["a file that is gone", 4, (file) => rm(file)],
    [
      "a manifest that is a folder",
      5,
      async (_, folder) => {
        await rm(join(folder, "manifest.jsonl"));
        const { mkdir } = await import("node:fs/promises");
        await mkdir(join(folder, "manifest.jsonl"));
      },
    ],
    [
      "a folder that is a file",
      5,
      async (_, folder) => {
        await rm(folder, { recursive: true });
        await writeFile(folder, "");
      },
    ],
    [
      "a folder that is a link",
      5,
      async (_, folder) => {
        const { rename, symlink } = await import("node:fs/promises");
        await rename(folder, `${folder}-elsewhere`);
        await symlink(`${folder}-elsewhere`, folder);
      },
    ],
  ])("%s", async (_, count, damage) => {
    const { root, workspace } = await openDamaged(damage);
    const errors = await errorsOf(workspace);
    expect(errors).toHaveLength(count);
    for (const text of errors) {
      expect(text).toMatch(
        /^(?:READ_FAILED|ARTIFACT_DAMAGED|ARTIFACT_GONE|UNSAFE_PATH): .*run the tool .*again/,
      );
      expect(text).not.toContain(root);
      expect(text).not.toMatch(SYSTEM);
    }
  });

  it("a root that is a file; the host is told the path, with a code", async () => {
    const root = join(await makeTempFolder(), "file");
    await writeFile(root, "");
    const workspace = createWorkspace({ root });
    const offloader = createOffloader({ workspace, sessionId: "session-1" });
    const errors = await errorsOf(workspace);
    expect(errors).toHaveLength(5);
    const call = { type: "tool_use", id: "c", name: "grep_knowledge", input: CALLS.grep_knowledge };
    errors.push(JSON.stringify(await offloader.handleToolCall(call)));
    for (const text of errors) expect(text).not.toContain(root);
    const scope = { sessionId: "session-1" };
    const calls: Record<string, () => Promise<unknown>> = {
      getOriginal: () => workspace.getOriginal("t", scope),
      getArtifact: () => workspace.getArtifact("t", scope),
      getKnowledgeById: () => workspace.getKnowledgeById("t", scope),
      grepKnowledge: () => workspace.grepKnowledge("t", "x", scope),
      queryArtifacts: () => workspace.queryArtifacts(),
      getToolResultOffloadInfo: () => workspace.getToolResultOffloadInfo(scope),
      remove: () => workspace.remove("t", scope),
      verify: () => workspace.verify(),
      put: () => workspace.put({ content: "x" }, scope),
      putOfChild: () => workspace.put({ content: "x" }, { ...scope, parentSessionId: "p" }),
    };
    for (const [name, run] of Object.entries(calls)) {
      const { code, message } = await rejectionOf(run());
      expect(code, name).toMatch(/^(?:READ|WRITE)_FAILED$/);
      expect(message, name).toContain(root);
    }
  });

  it("an error of a store of one's own, which has no code", async () => {
    const secret = "postgres://admin:hunter2@db.internal";
    const store = new MemoryStore();
    store.listSession = () => Promise.reject(new Error(`cannot connect to ${secret}`));
    const errors = await errorsOf(openMemoryWorkspace({ store }));
    expect(errors).toHaveLength(5);
    for (const text of errors) {
      expect(text).toMatch(/^FAILED: /);
      expect(text).not.toContain("hunter2");
    }
  });
});

describe("a value in an error is the one that was sent", () => {
  it.each<[string, string, object, string]>([
    ["an id", "get_knowledge_by_id", { artifact_id: "sessionId-8" }, '"sessionId-8"'],
    [
      "an id in quotes",
      "get_knowledge_by_id",
      { artifact_id: 'a"sessionId' },
      String.raw`"a\"sessionId"`,
    ],
    ["a parameter", "get_knowledge_by_id", { artifact_id: "b", sessionId: "s" }, '"sessionId"'],
    ["a pointer", "query_knowledge", { artifact_id: "a", pointer: "/startLine" }, '"/startLine"'],
    [
      "a pointer in quotes",
      "query_knowledge",
      { artifact_id: "a", pointer: '/"startLine' },
      String.raw`"/\"startLine"`,
    ],
    ["keys", "query_knowledge", { artifact_id: "a", pointer: "/x" }, '"maxResults"'],
    ["a field", "query_knowledge", { artifact_id: "a", fields: ["endLine"] }, '"endLine"'],
    ["a pattern", "grep_knowledge", { artifact_id: "a", pattern: "(maxResults" }, '"(maxResults"'],
    ["flags", "grep_knowledge", { artifact_id: "a", pattern: "x(?startLine)" }, '"(?startLine)"'],
    ["a view", "get_knowledge_by_id", { artifact_id: "a", view: "startLine" }, '"startLine"'],
  ])("%s", async (_, name, input, shown) => {
    const run = toolRunner(await memoryWorkspaceOf('{"maxResults":{"b":1}}'));
    const { text, isError } = await run(name, input);
    expect(isError).toBe(true);
    expect(text).toContain(shown);
  });

  it.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
    "a class, a key or a tool named %s is one like any other",
    async (name) => {
      const run = toolRunner(await memoryWorkspaceOf('{"a":1}'));
      const pattern = `[[:${name}:]]`;
      const found = await run("grep_knowledge", { artifact_id: "a", pattern });
      expect(found.text).not.toMatch(/function|native code|\[object/);
      for (const [tool, input] of [
        ["query_knowledge", { artifact_id: "a", pointer: `/${name}` }],
        ["query_knowledge", { artifact_id: "a", fields: [name] }],
        ["get_knowledge_by_id", { artifact_id: name }],
        ["get_knowledge_by_id", { artifact_id: "a", view: name }],
        ["get_knowledge_by_id", JSON.parse(`{"artifact_id":"b","${name}":1}`)],
      ] as const) {
        expect(await run(tool, input)).toMatchObject({ isError: true });
      }
    },
  );
});
