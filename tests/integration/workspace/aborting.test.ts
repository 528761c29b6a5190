import { describe, expect, it } from "vitest";
import { createToolResultOffload, type Workspace } from "../../../src/index.js";
import { openWorkspace, workspaceOf } from "./open-workspace.js";

type Verb = (workspace: Workspace, signal: AbortSignal) => Promise<unknown>;

const VERBS: Record<string, Verb> = {
  put: (workspace, signal) =>
    workspace.put({ content: "x" }, { sessionId: "default", toolCallId: "b", signal }),
  offloadByWorkspace: (workspace, signal) =>
    workspace.offloadByWorkspace({ content: "x" }, { toolCallId: "b", signal }),
  process: (workspace, signal) =>
    createToolResultOffload({ workspace, whiteList: ["t"] }).process(
      { toolName: "t", content: "x" },
      { signal },
    ),
  getKnowledgeById: (workspace, signal) => workspace.getKnowledgeById("a", { signal }),
  getKnowledgeByLines: (workspace, signal) => workspace.getKnowledgeByLines("a", 1, 1, { signal }),
  grepKnowledge: (workspace, signal) => workspace.grepKnowledge("a", "x", { signal }),
  queryKnowledge: (workspace, signal) => workspace.queryKnowledge("a", { signal }),
  queryArtifacts: (workspace, signal) => workspace.queryArtifacts({}, { signal }),
  getToolResultOffloadInfo: (workspace, signal) => workspace.getToolResultOffloadInfo({ signal }),
  getOriginal: (workspace, signal) => workspace.getOriginal("a", { signal }),
  remove: (workspace, signal) => workspace.remove("a", { signal }),
  verify: (workspace, signal) => workspace.verify({ signal }),
  sessions: (workspace, signal) => workspace.sessions({ signal }),
  removeSession: (workspace, signal) => workspace.removeSession("default", { signal }),
  prune: (workspace, signal) => workspace.prune({ maxArtifacts: 0, minAgeMs: 0, signal }),
  "prune of a dry run": (workspace, signal) =>
    workspace.prune({ maxArtifacts: 0, minAgeMs: 0, dryRun: true, signal }),
  purge: (workspace, signal) => workspace.purge({ sessionId: "default", signal }),
};
const verbs = Object.entries(VERBS);

describe("a signal that is aborted already", () => {
  it.each(verbs)("%s rejects with its reason and does nothing", async (_, verb) => {
    const workspace = await workspaceOf('["x"]');
    const reason = new Error("the user left");
    await expect(verb(workspace, AbortSignal.abort(reason))).rejects.toBe(reason);
    const { artifacts } = await workspace.queryArtifacts();
    expect(artifacts.map(({ artifactId }) => artifactId)).toEqual(["a"]);
  });

  it.each(verbs)("%s rejects in an empty workspace as well", async (_, verb) => {
    const reason = new Error("the user left");
    await expect(verb(await openWorkspace(), AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it.each(verbs)("%s takes a signal that is never aborted", async (_, verb) => {
    const workspace = await workspaceOf('["x"]');
    await expect(verb(workspace, new AbortController().signal)).resolves.not.toBeInstanceOf(Error);
  });
});

describe("a signal that is aborted meanwhile", () => {
  it("ends a search that would not end", async () => {
    const workspace = await workspaceOf(`${"a".repeat(50_000)}b`);
    const controller = new AbortController();
    const reason = new Error("enough");
    const search = workspace.grepKnowledge("a", "^(a+)+$", {
      deadlineMs: 60_000,
      signal: controller.signal,
    });
    setTimeout(() => {
      controller.abort(reason);
    }, 50);
    await expect(search).rejects.toBe(reason);
  });

  it("ends a put from a stream, of which nothing is stored", async () => {
    const workspace = await openWorkspace();
    const controller = new AbortController();
    const reason = new Error("enough");
    const content = (async function* () {
      for (let at = 0; at < 1_000; at++) {
        if (at === 5) controller.abort(reason);
        await Promise.resolve();
        yield Buffer.from(`chunk ${at}\n`);
      }
    })();
    const put = workspace.put(
      { content },
      { sessionId: "default", toolCallId: "a", signal: controller.signal },
    );
    await expect(put).rejects.toBe(reason);
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
    expect((await workspace.verify()).orphaned).toEqual([]);
  });

  it.each(["next() that never resolves", "silence after a chunk", "a silent generator"])(
    "ends a put from a stream that says nothing: %s",
    async (kind) => {
      const workspace = await openWorkspace();
      const controller = new AbortController();
      const reason = new Error("enough");
      const silence = new Promise<never>(() => undefined);
      let asked = 0;
      let isReturned = false;
      const stream: AsyncIterable<Uint8Array> = {
        [Symbol.asyncIterator]: () => ({
          next: () => {
            asked += 1;
            if (kind.includes("chunk") && asked === 1) {
              return Promise.resolve({ done: false, value: Buffer.from("a chunk") });
            }
            setImmediate(() => {
              controller.abort(reason);
            });
            return silence;
          },
          return: () => {
            isReturned = true;
            return silence;
          },
        }),
      };
      const generator = (async function* () {
        yield* stream;
      })();
      const content = kind.includes("generator") ? generator : stream;
      const put = workspace.put(
        { content },
        { sessionId: "default", toolCallId: "a", signal: controller.signal },
      );
      await expect(put).rejects.toBe(reason);
      // A generator that waits cannot be told.
      expect(isReturned).toBe(!kind.includes("generator"));
      expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
      expect((await workspace.verify()).orphaned).toEqual([]);
    },
  );

  it("changes nothing once the stream has been stored", async () => {
    const workspace = await openWorkspace();
    const controller = new AbortController();
    const content = (async function* () {
      await Promise.resolve();
      yield Buffer.from("all of it");
    })();
    await workspace.put(
      { content },
      { sessionId: "default", toolCallId: "a", signal: controller.signal },
    );
    controller.abort();
    expect(await workspace.getOriginal("a")).toBe("all of it");
  });

  it("ends the reading of a large artifact", async () => {
    const workspace = await workspaceOf(
      JSON.stringify(Array.from({ length: 300_000 }, (_, at) => `${at}`)),
    );
    const controller = new AbortController();
    const reason = new Error("enough");
    const reading = workspace.getKnowledgeById("a", { signal: controller.signal });
    setImmediate(() => {
      controller.abort(reason);
    });
    await expect(reading).rejects.toBe(reason);
    expect((await workspace.getKnowledgeById("a")).text).toMatch(/^\[\n {2}"0",\n/);
  });
});
