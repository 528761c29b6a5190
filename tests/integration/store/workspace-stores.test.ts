import { readdirSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  createOffloader,
  createWorkspace,
  DEFAULTS,
  memoryStore,
  type OpenStore,
  type Workspace,
} from "../../../src/index.js";
import { sqliteStore, type ArtifactQuery } from "../../../src/stores.js";
import { queryArtifacts } from "../../../src/core/workspace/artifacts/list-artifacts.js";
import { BUCKET, startObjects, type RealObjects } from "../../support/real-objects.js";
import { startPostgres, type RealPostgres } from "../../support/real-postgres.js";
import { rejectionOf } from "../../support/rejection.js";
import { makeTempFolder } from "../../support/temp-folder.js";

let postgres: RealPostgres | undefined;
let objects: RealObjects | undefined;
beforeAll(async () => {
  [postgres, objects] = await Promise.all([startPostgres(), startObjects()]);
  process.env["AWS_ACCESS_KEY_ID"] = "S3RVER";
  process.env["AWS_SECRET_ACCESS_KEY"] = "S3RVER";
});
afterAll(async () => {
  await Promise.all([postgres?.end(), objects?.end()]);
});

const LOG = Array.from({ length: 60_000 }, (_, line) =>
  line === 41_234 ? "ERROR disk full 🙂" : `INFO request ${line.toString()} served`,
).join("\n");

/** Puts, reads, searches, lists and removes; a second workspace is another process. */
async function useWorkspace(open: () => Workspace): Promise<void> {
  const workspace = open();
  const scope = { sessionId: "s1" };
  const put = { toolCallId: "call_1", ...scope };
  const { record } = await workspace.put({ content: LOG, metadata: { task_id: "t1" } }, put);
  await workspace.put({ content: [{ a: [1, { b: "two" }] }] }, { toolCallId: "call_2", ...scope });
  const other = open();
  expect((await other.grepKnowledge("call_1", "ERROR", scope)).text).toContain("41235:");
  const lines = await other.getKnowledgeByLines("call_1", 41_234, 41_236, scope);
  expect(lines.text).toContain("disk full 🙂");
  expect((await other.grepSession("disk full", scope)).counts).toHaveLength(1);
  expect((await other.queryKnowledge("call_2", { ...scope, pointer: "/0/a/1/b" })).text).toContain(
    "two",
  );
  expect(await other.getOriginal("call_1", scope)).toBe(LOG);
  expect((await other.getArtifact("call_1")).hash).toBe(record.hash);
  const listed = await other.queryArtifacts({ task_id: "t1" });
  expect(listed.artifacts.map(({ artifactId }) => artifactId)).toEqual(["call_1"]);
  expect((await other.getToolResultOffloadInfo({ ...scope, maxChars: 10 })).leftOut).toBe(1);
  expect((await other.verify()).artifacts).toBe(2);
  await other.remove("call_2", scope);
  expect((await rejectionOf(workspace.getArtifact("call_2", scope))).code).toBe("ARTIFACT_GONE");
  expect((await rejectionOf(workspace.getArtifact("call_2"))).code).toBe("ARTIFACT_GONE");
  expect((await rejectionOf(workspace.getArtifact("call_9"))).message).toContain('"call_1"');
  await workspace.close();
  await other.close();
}

describe("a workspace", () => {
  it("searches a whole namespace newest first, without listing every session", async () => {
    const path = join(await makeTempFolder(), "many.db");
    // Named so that those of the same millisecond are in order, too.
    const name = (index: number) => `s${index.toString().padStart(3, "0")}`;
    const sessions = DEFAULTS.searchArtifacts + 3;
    const listed: string[] = [];
    const queries: ArtifactQuery[] = [];
    const open = sqliteStore(new Database(path));
    const workspace = createWorkspace({
      store(namespace) {
        const store = open(namespace);
        return {
          ...store,
          listSession(sessionId) {
            listed.push(sessionId);
            return store.listSession(sessionId);
          },
          query(query) {
            queries.push(query);
            return queryArtifacts(store, query);
          },
        };
      },
    });
    for (let index = 0; index < sessions; index++) {
      await workspace.put({ content: "needle" }, { toolCallId: "c", sessionId: name(index) });
    }
    [listed.length, queries.length] = [0, 0];
    const first = await workspace.grepSession("needle", { count: true, deadlineMs: 60_000 });
    expect(listed).toEqual([]);
    expect(queries).toEqual([
      expect.objectContaining({ newestFirst: true, limit: DEFAULTS.searchArtifacts }),
    ]);
    expect(first.counts.map(({ sessionId }) => sessionId)).toEqual(
      Array.from(first.counts, (_, at) => name(sessions - 1 - at)),
    );
    expect(first.note).toContain("3 older results not searched");
    const { cursor } = first.next?.input as { cursor: string };
    const rest = await workspace.grepSession("needle", { count: true, cursor, deadlineMs: 60_000 });
    expect(rest.counts.map(({ sessionId }) => sessionId)).toEqual([2, 1, 0].map(name));
    expect(rest.note).toBeUndefined();
    await workspace.close();
  });

  it("works in memory, without a disk", async () => {
    const store = memoryStore();
    await useWorkspace(() => createWorkspace({ store }));
  });

  it("works in SQLite, in PostgreSQL and in object storage by connection string", async () => {
    const folder = await makeTempFolder();
    const metadata = encodeURIComponent(postgres?.url ?? "");
    for (const store of [
      `file:${join(folder, "files with blank #1")}`,
      `sqlite:${join(folder, "sub", "blank #1%20.db")}`,
      postgres?.url ?? "",
      `s3://${BUCKET}/team?metadata=${metadata}&region=us-east-1&endpoint=${encodeURIComponent(objects?.endpoint ?? "")}`,
    ]) {
      const namespace = store.slice(0, 8);
      await useWorkspace(() => createWorkspace({ store, namespace }));
    }
    expect(readdirSync(join(folder, "sub"))).toContain("blank #1%20.db");
    expect(readdirSync(folder)).toContain("files with blank #1");
  });

  it("resolves paths of file: and sqlite: against the working directory, as root is", async () => {
    const folder = await makeTempFolder();
    const before = process.cwd();
    process.chdir(folder);
    onTestFinished(() => {
      process.chdir(before);
    });
    const workspaces = [
      createWorkspace({ store: "file:a" }),
      createWorkspace({ store: "sqlite:b.db" }),
    ];
    process.chdir(before);
    for (const workspace of workspaces) {
      await workspace.put({ content: "x" }, { sessionId: "default", toolCallId: "call_1" });
      await workspace.close();
    }
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(["a", "b.db"]));
  });

  it("isolates namespaces of one store", async () => {
    const database = new Database(join(await makeTempFolder(), "x.db"));
    const store = sqliteStore(database);
    const [one, two] = ["one", "two"].map((namespace) => createWorkspace({ store, namespace }));
    await one?.put({ content: "x" }, { sessionId: "default", toolCallId: "call_1" });
    expect((await two?.queryArtifacts())?.artifacts).toEqual([]);
  });

  it("passes a store on to an offloader", async () => {
    const workspace = createWorkspace({ store: "memory:" });
    const offloader = createOffloader({ workspace, sessionId: "s1", format: "anthropic" });
    const history = [
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "log", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: LOG }] },
    ];
    const { messages, report } = await offloader.offload(history);
    expect(report.totals.offloaded).toBe(1);
    expect(await offloader.restore(messages)).toEqual(history);
  });

  it("refuses a bad store at once, with a code and without a password", () => {
    const secret = "hunter2";
    const bad: [unknown, string][] = [
      [`mysql://user:${secret}@host/db`, "mysql:…"],
      [`postgres://user:${secret}@ho st:x/db`, "postgres:…"],
      [`s3://bucket/prefix`, "s3:…"],
      [`s3://bucket?metadata=mysql://u:${secret}@h/d`, "s3:…"],
      ["memory:x", "memory:…"],
      ["file:", "file:"],
      ["sqlite:", "sqlite:"],
      [`user:${secret}@host`, "user:…"],
      ["./folder", "without a scheme"],
      ["constructor:x", "constructor:…"],
      [{}, "object"],
      [7, "7"],
    ];
    for (const [store, shown] of bad) {
      const error = errorOf(() => createWorkspace({ store: store as OpenStore }));
      expect(error.code).toBe("INVALID_ARGUMENT");
      expect(error.message).toContain(shown);
      expect(JSON.stringify(error) + error.message + String(error.stack)).not.toContain(secret);
    }
    expect(errorOf(() => createWorkspace({ root: "a", store: "memory:" })).code).toBe(
      "INVALID_ARGUMENT",
    );
    expect(errorOf(() => createWorkspace({})).code).toBe("INVALID_ARGUMENT");
  });

  it("refuses to be read by path when its store has no files", () => {
    const error = errorOf(() => createWorkspace({ store: "memory:", readBy: "path" }));
    expect(error.code).toBe("INVALID_ARGUMENT");
    expect(error.message).toContain("no files");
    expect(() => createWorkspace({ store: "file:.offload", readBy: "path" })).not.toThrow();
  });

  it("says what was unreachable, never a password", async () => {
    const url = "postgres://user:hunter2@127.0.0.1:1/agents";
    const error = await rejectionOf(
      createWorkspace({ store: url }).put(
        { content: "x" },
        { sessionId: "default", toolCallId: "c" },
      ),
    );
    expect(error.code).toBe("STORE_UNREACHABLE");
    expect(error.message).toContain("postgres://127.0.0.1:1/agents");
    let cause: unknown = error;
    while (cause instanceof Error) {
      expect(`${cause.message} ${JSON.stringify(cause)} ${String(cause.stack)}`).not.toContain(
        "hunter2",
      );
      cause = cause.cause;
    }
  });
});

function errorOf(work: () => unknown): Error & { code?: string } {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error("it did not throw");
}
