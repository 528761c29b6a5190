import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { createOffloader, createWorkspace, type Workspace } from "../../src/index.js";
import {
  objectStore,
  postgresMetadata,
  postgresStore,
  type ArtifactStore,
} from "../../src/stores.js";
import type { OpenStore } from "../../src/index.js";
import { BUCKET, startObjects } from "../support/real-objects.js";
import { startPostgres, type RealPostgres } from "../support/real-postgres.js";
import { startSwitchingProxy } from "../support/unreliable-proxy.js";

const SESSION = { sessionId: "s" };

function openPool(server: Pick<RealPostgres, "url">, port?: number): pg.Pool {
  const url = new URL(server.url);
  if (port !== undefined) url.port = port.toString();
  const pool = new pg.Pool({ connectionString: url.href, max: 3, idleTimeoutMillis: 500 });
  pool.on("error", () => undefined);
  onTestFinished(() => (pool.ended ? undefined : pool.end()));
  return pool;
}

async function putAll(workspace: Workspace, name: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `${name}-${index.toString()}`);
  for (const id of ids) {
    await workspace.put({ content: `content of ${id}` }, { toolCallId: id, ...SESSION });
  }
  return ids;
}

/** A workspace, and the store that remembers what it has listed. */
interface Host {
  readonly workspace: Workspace;
  readonly store: ArtifactStore;
}

function hostOn(open: OpenStore): Host {
  const store = open("default");
  const openOnce: OpenStore = (name) => (name === "default" ? store : open(name));
  return { workspace: createWorkspace({ store: openOnce }), store };
}

/** Everything that was acknowledged reads exactly, and a host lists what a fresh one does: nothing that was lost. */
async function expectSame(hosts: readonly Host[], fresh: Host, ids: readonly string[]) {
  const listed = await idsOf(fresh.workspace);
  expect(listed).toEqual(expect.arrayContaining([...ids]));
  for (const { workspace: host, store } of [...hosts, fresh]) {
    const [own, others] = [await store.listSession("s"), await fresh.store.listSession("s")];
    expect([...own.artifacts.keys()].sort()).toEqual([...others.artifacts.keys()].sort());
    const offloader = createOffloader({ workspace: host, sessionId: "s", format: "anthropic" });
    for (const id of ids) {
      expect(await host.getOriginal(id, SESSION)).toBe(`content of ${id}`);
    }
    const matches = await host.grepSession("content of", { ...SESSION, maxResults: 1_000 });
    for (const id of listed) expect(matches.text).toContain(`content of ${id}`);
    // What a conversation is offloaded to must come back.
    const messages = conversationOf(listed.length);
    const offloaded = await offloader.offload(messages);
    expect(JSON.stringify(offloaded.messages)).toContain("<knowledge_list>");
    expect(await offloader.restore(offloaded.messages)).toEqual(messages);
  }
}

let calls = 0;
function conversationOf(seed: number) {
  const id = `toolu_${seed.toString()}_${(calls++).toString()}`;
  const content = `row ${id} of a table\n`.repeat(3_000);
  return [
    { role: "assistant", content: [{ type: "tool_use", id, name: "sql", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
  ];
}

async function idsOf(workspace: Workspace): Promise<string[]> {
  const { artifacts } = await workspace.queryArtifacts({}, { ...SESSION, limit: 1_000 });
  return artifacts.map(({ artifactId }) => artifactId).filter((id) => !id.startsWith("toolu_"));
}

async function startServer(): Promise<RealPostgres> {
  const server = await startPostgres();
  onTestFinished(() => server.end());
  return server;
}

describe("after a failover to a standby that lacks the last changes", () => {
  it("hosts that ran through it read all that is acknowledged from then on", async () => {
    const primary = await startServer();
    const standby = await primary.startStandby();
    onTestFinished(() => standby.end());
    const proxy = await startSwitchingProxy(primary.port);
    const host = () => hostOn(postgresStore(openPool(primary, proxy.port)));
    const [writer, reader] = [host(), host()];
    const before = await putAll(writer.workspace, "before", 5);
    const follower = openPool(standby);
    await expect
      .poll(() => countIn(follower), { timeout: 20_000, interval: 50 })
      .toBe(before.length);
    await follower.end();
    await standby.stop();
    await putAll(writer.workspace, "lost", 10);
    for (const { workspace } of [writer, reader]) expect(await idsOf(workspace)).toHaveLength(15);
    const session = { sessionId: "s", format: "anthropic" } as const;
    for (const { workspace } of [writer, reader]) {
      await createOffloader({ workspace, ...session }).offload(conversationOf(0));
    }
    await primary.stop();
    await standby.start();
    await openPool(standby).query("SELECT pg_promote()");
    proxy.switchTo(standby.port);
    const after = await putAll(writer.workspace, "after", 8);
    await expectSame([writer, reader], host(), [...before, ...after]);
    await primary.start();
  });
});

async function countIn(pool: pg.Pool): Promise<number> {
  const sql = "SELECT count(*)::integer AS count FROM context_offload_artifacts";
  const { rows } = await pool.query<{ count: number }>(sql).catch(() => ({ rows: [] }));
  return rows[0]?.count ?? 0;
}

describe.each<[string, (pool: pg.Pool) => Promise<OpenStore>]>([
  ["PostgreSQL", (pool) => Promise.resolve(postgresStore(pool))],
  [
    "object storage with PostgreSQL",
    async (pool) => {
      const objects = await startObjects();
      onTestFinished(() => objects.end());
      const metadata = postgresMetadata(pool);
      return objectStore({ client: objects.client(), bucket: BUCKET, metadata });
    },
  ],
])("%s", (_name, open) => {
  it("restored to an earlier state shows hosts that kept running what it holds", async () => {
    const server = await startServer();
    const store = await open(openPool(server));
    const host = () => hostOn(store);
    const [writer, reader] = [host(), host()];
    const before = await putAll(writer.workspace, "before", 3);
    const restore = await server.backup();
    await putAll(writer.workspace, "lost", 5);
    const session = { sessionId: "s", format: "anthropic" } as const;
    for (const { workspace } of [writer, reader]) {
      await createOffloader({ workspace, ...session }).offload(conversationOf(0));
    }
    await restore();
    const after = await putAll(writer.workspace, "after", 5);
    await expectSame([writer, reader], host(), [...before, ...after]);
  });
});

describe("PostgreSQL", () => {
  it("restored to an earlier state of as many artifacts shows which they are", async () => {
    const server = await startServer();
    const store = postgresStore(openPool(server));
    const host = () => hostOn(store);
    const [writer, reader] = [host(), host()];
    const before = await putAll(writer.workspace, "before", 3);
    const restore = await server.backup();
    await putAll(writer.workspace, "lost", 1);
    await writer.workspace.remove("before-2", SESSION);
    for (const { store: own } of [writer, reader]) await own.listSession("s");
    await restore();
    const after = await putAll(writer.workspace, "after", 5);
    await expectSame([writer, reader], host(), [...before, ...after]);
  });

  it("whose tables are restored while it runs shows what they hold", async () => {
    const server = await startServer();
    const pool = openPool(server);
    const host = () => hostOn(postgresStore(pool));
    const [writer, reader] = [host(), host()];
    const before = await putAll(writer.workspace, "before", 3);
    const tables = ["sessions", "usage", "artifacts", "children", "chunks"];
    for (const table of tables) {
      await pool.query(`CREATE TABLE saved_${table} AS TABLE context_offload_${table}`);
    }
    await putAll(writer.workspace, "lost", 5);
    const session = { sessionId: "s", format: "anthropic" } as const;
    for (const { workspace } of [writer, reader]) {
      await createOffloader({ workspace, ...session }).offload(conversationOf(0));
    }
    const sql = tables.map(
      (table) =>
        `DELETE FROM context_offload_${table}; INSERT INTO context_offload_${table} TABLE saved_${table};`,
    );
    await pool.query(sql.join("\n"));
    // By another host, so that the numbers go on beyond what the first ones have seen.
    const after = await putAll(host().workspace, "after", 9);
    await expectSame([writer, reader], host(), [...before, ...after]);
  });
});
