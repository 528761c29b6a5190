import { describe, expect, it, vi } from "vitest";
import {
  createToolResultOffload,
  type Workspace,
  type WorkspaceEvent,
} from "../../../../src/index.js";
import { WriteFailedError } from "../../../../src/errors.js";
import { EventReporter } from "../../../../src/core/workspace/events.js";
import { MemoryStore } from "../../../../src/testing/index.js";
import { openMemoryWorkspace, type MemoryOptions } from "../../../support/memory-workspace.js";

function openLogged(options: MemoryOptions = {}): {
  workspace: Workspace;
  events: WorkspaceEvent[];
} {
  const events: WorkspaceEvent[] = [];
  const logger = (event: WorkspaceEvent) => void events.push(event);
  return { workspace: openMemoryWorkspace({ logger, ...options }), events };
}

/** What every event says. */
const ALWAYS = {
  namespace: "default",
  time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
  duration_ms: expect.any(Number) as number,
};
const OF_A = {
  ...ALWAYS,
  context_type: "tool_result",
  biz_id: "call_1",
  artifact_id: "call_1",
  session_id: "s1",
  tool_name: "bash",
};

async function putCall(workspace: Workspace): Promise<void> {
  const artifact = { content: "[1,\n2]", metadata: { tool_name: "bash" } };
  await workspace.put(artifact, { toolCallId: "call_1", sessionId: "s1" });
}

describe("events", () => {
  it("an offload tells ids and sizes", async () => {
    const { workspace, events } = openLogged({ countTokens: () => 3 });
    await putCall(workspace);
    expect(events).toEqual([
      {
        ...OF_A,
        event: "offload",
        verb: "put",
        bytes: 6,
        chars: 6,
        lines: 2,
        tokens: 3,
        tokens_saved: expect.any(Number) as number,
      },
    ]);
  });

  it.each<[string, (workspace: Workspace) => Promise<unknown>, object]>([
    ["getKnowledgeById", (workspace) => workspace.getKnowledgeById("call_1"), { chars: 6 }],
    ["getKnowledgeByLines", (it) => it.getKnowledgeByLines("call_1", 1, 1), { chars: 3 }],
    ["grepKnowledge", (workspace) => workspace.grepKnowledge("call_1", "2"), { chars: 4 }],
    ["queryKnowledge", (it) => it.queryKnowledge("call_1", { pointer: "/0" }), { chars: 1 }],
    ["getOriginal", (workspace) => workspace.getOriginal("call_1"), { chars: 6, lines: 2 }],
  ])("%s is a read, with what it read", async (verb, read, sizes) => {
    const { workspace, events } = openLogged();
    await putCall(workspace);
    await read(workspace);
    expect(events).toHaveLength(2);
    expect(events[1]).toMatchObject({ ...OF_A, event: "read", verb, ...sizes });
  });

  it.each([
    ["get_knowledge_by_lines", { start_line: -1, end_line: -1 }],
    ["get_knowledge_by_id", { start_line: -1 }],
  ])("%s with lines from the end is one read", async (name, lines) => {
    const { workspace, events } = openLogged();
    await putCall(workspace);
    const tool = workspace.tools().find((each) => each.name === name);
    const { text, isError } = (await tool?.execute({ artifact_id: "call_1", ...lines })) ?? {};
    expect({ text, isError }).toMatchObject({
      text: expect.stringContaining("2") as string,
      isError: false,
    });
    expect(events.slice(1)).toMatchObject([{ event: "read", verb: "getKnowledgeByLines" }]);
    await tool?.execute({ artifact_id: "unknown", ...lines });
    expect(events.slice(2)).toMatchObject([{ event: "failure", verb: "getKnowledgeByLines" }]);
  });

  it("a listing is a read, a removal is told", async () => {
    const { workspace, events } = openLogged();
    await putCall(workspace);
    await workspace.queryArtifacts({}, { sessionId: "s1" });
    await workspace.getToolResultOffloadInfo();
    await workspace.remove("call_1");
    expect(events.slice(1)).toMatchObject([
      { ...ALWAYS, event: "read", verb: "queryArtifacts", session_id: "s1" },
      { ...ALWAYS, event: "read", verb: "getToolResultOffloadInfo", session_id: null },
      { ...OF_A, event: "remove", verb: "remove" },
    ]);
  });

  it("a result that is kept is a skip, with the reason", async () => {
    const { workspace, events } = openLogged();
    const op = createToolResultOffload({ workspace });
    const result = { toolCallId: "call_1", toolName: "bash", content: "short" };
    await op.process(result, { sessionId: "s1" });
    await op.process({ ...result, metadata: { offload: false } }, { sessionId: "s1" });
    const skip = { ...OF_A, artifact_id: null, event: "skip", chars: 5 };
    expect(events).toMatchObject([
      { ...skip, reason: "none" },
      { ...skip, reason: "metadata" },
    ]);
  });

  it.each<[string, string, (workspace: Workspace) => Promise<unknown>]>([
    ["getKnowledgeByLines", "OUT_OF_RANGE", (it) => it.getKnowledgeByLines("call_1", 9, 9)],
    ["grepKnowledge", "INVALID_PATTERN", (workspace) => workspace.grepKnowledge("call_1", "(")],
    ["queryKnowledge", "POINTER_NOT_FOUND", (it) => it.queryKnowledge("call_1", { pointer: "/x" })],
    ["getKnowledgeById", "OUT_OF_RANGE", (it) => it.getKnowledgeById("call_1", { startChar: 99 })],
  ])("%s that fails tells of the artifact, the code and the reason", async (verb, code, read) => {
    const { workspace, events } = openLogged();
    await putCall(workspace);
    const error = await read(workspace).catch((caught: unknown) => caught);
    const { message } = error as Error;
    expect(events[1]).toEqual({ ...OF_A, event: "failure", verb, code, error: message });
  });

  it("an unknown id is a failure", async () => {
    const { workspace, events } = openLogged();
    await workspace.getOriginal("nope", { sessionId: "s1" }).catch(() => undefined);
    expect(events).toMatchObject([
      { event: "failure", artifact_id: "nope", session_id: "s1", code: "UNKNOWN_ARTIFACT" },
    ]);
  });

  it("a put that is refused is a failure", async () => {
    const { workspace, events } = openLogged();
    await workspace
      .put({ content: 7 as unknown as string }, { sessionId: "default", toolCallId: "b" })
      .catch(() => undefined);
    expect(events).toMatchObject([{ event: "failure", biz_id: "b", code: "INVALID_ARGUMENT" }]);
  });

  it("an offload that fails tells whose it was, and no offload is told", async () => {
    const store = new MemoryStore();
    store.put = () => Promise.reject(new WriteFailedError("call_1", "the disk is full"));
    const { workspace, events } = openLogged({ store });
    const op = createToolResultOffload({ workspace, whiteList: ["bash"] });
    const result = { toolCallId: "call_1", toolName: "bash", content: "content" };
    await op.process(result, { sessionId: "s1" }).catch(() => undefined);
    expect(events).toMatchObject([
      { ...OF_A, artifact_id: null, event: "failure", verb: "put", chars: 7, code: "WRITE_FAILED" },
    ]);
  });
});

it("a clock that is set back makes no duration negative", async () => {
  const events: WorkspaceEvent[] = [];
  let now = 1_000_000;
  const reporter = new EventReporter(
    (event) => void events.push(event),
    { now: () => (now -= 100), elapsed: () => 5 },
    "n",
  );
  await reporter.observe(
    "put",
    {},
    () => Promise.resolve(),
    () => ({ event: "offload" }),
  );
  reporter.note("skip", "put", {});
  expect(events.map(({ duration_ms }) => duration_ms)).toEqual([0, 0]);
});

describe("the logger", () => {
  it("that throws harms nothing", async () => {
    const logger = vi.fn(() => {
      throw new Error("disk full");
    });
    const workspace = openMemoryWorkspace({ logger });
    const op = createToolResultOffload({ workspace, whiteList: ["bash"] });
    await op.process({ toolCallId: "a", toolName: "bash", content: "x" });
    await op.process({ toolCallId: "b", content: "kept" });
    expect(await workspace.getOriginal("a")).toBe("x");
    await expect(workspace.getOriginal("b")).rejects.toMatchObject({ code: "UNKNOWN_ARTIFACT" });
    expect(logger).toHaveBeenCalledTimes(4);
  });

  it("is nobody unless told: nothing is printed", async () => {
    const spies = [
      vi.spyOn(process.stdout, "write"),
      vi.spyOn(process.stderr, "write"),
      ...(["log", "info", "warn", "error", "debug"] as const).map((name) =>
        vi.spyOn(console, name),
      ),
    ];
    try {
      const workspace = openMemoryWorkspace();
      await putCall(workspace);
      await workspace.getKnowledgeById("call_1");
      await workspace.getKnowledgeById("nope").catch(() => undefined);
      for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });
});
