import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createWorkspace } from "../../../src/index.js";
import { postgresStore, type PostgresPool, type PostgresStatement } from "../../../src/stores.js";
import { artifactOf } from "../../../src/testing/store-context.js";
import { startPostgres, type RealPostgres } from "../../support/real-postgres.js";

let server: RealPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.end());

interface Counts {
  statements: number;
  rows: number;
}

/** A pool that counts what is asked and answered. */
function openCounted(): {
  readonly pool: PostgresPool;
  readonly plain: pg.Pool;
  readonly counts: Counts;
} {
  const plain = new pg.Pool({ connectionString: server.url, max: 4 });
  plain.on("error", () => undefined);
  onTestFinished(() => plain.end());
  const counts: Counts = { statements: 0, rows: 0 };
  const pool: PostgresPool = {
    connect(callback) {
      plain.connect((error, client, release) => {
        if (!client) {
          callback(error, undefined, release);
          return;
        }
        const query = async (sql: string | PostgresStatement, values?: readonly unknown[]) => {
          const result = await (typeof sql === "string"
            ? client.query(sql, values as unknown[])
            : client.query(sql));
          counts.statements++;
          // Of several statements at once, as in a migration, there are several results.
          if (Array.isArray(result.rows)) counts.rows += result.rows.length;
          return result;
        };
        callback(undefined, { query }, release);
      });
    },
  };
  return { pool, plain, counts };
}

const OLD = "2020-01-01T00:00:00.000Z";

/** Artifacts by SQL, 100 to a session, each a day younger than `OLD` at most. */
async function fill(pool: pg.Pool, namespace: string, count: number, createdAt: string) {
  const record = JSON.stringify({
    ...{ artifactId: "CALL", sessionId: "SESSION", type: "TEXT", hash: "0".repeat(64), createdAt },
    size: { bytes: 1_000, chars: 1_000, lines: 10, tokens: 300 },
    metadata: { context_type: "tool_result", tool_name: "read_log" },
    location: "x",
  });
  await pool.query(
    `INSERT INTO context_offload_artifacts (namespace, session, artifact, changed, removed, created,
      bytes, shown, location, record, metadata)
    SELECT $1, 's' || n / 100, 'call_' || n % 100, n % 100 + 1, false, $4, 1000, '00000000', 'x' || n,
      replace(replace($2, 'SESSION', 's' || n / 100), 'CALL', 'call_' || n % 100),
      jsonb_build_object($1::text, jsonb_build_object('context_type', 'tool_result', 'tool_name',
        'read_log', 'ticket', 't' || n))
    FROM generate_series(0, $3::integer - 1) AS n`,
    [namespace, record, count, createdAt],
  );
  await pool.query(
    `INSERT INTO context_offload_sessions (namespace, session, name, epoch, last_seq)
    SELECT $1, 's' || n, '"s' || n || '"', 'e', 100 FROM generate_series(0, $2::integer / 100 - 1) AS n`,
    [namespace, count],
  );
  await pool.query(
    `INSERT INTO context_offload_usage (namespace, session, artifacts, bytes, written)
    SELECT $1, 's' || n, 100, 100000, $3 FROM generate_series(0, $2::integer / 100 - 1) AS n`,
    [namespace, count, createdAt],
  );
  await pool.query("ANALYZE");
}

describe("with 60,000 artifacts", () => {
  it("retention that has nothing to remove reads hardly a row for 40 puts", async () => {
    const { pool, plain, counts } = openCounted();
    const store = postgresStore(pool);
    await store("kept").sessions();
    await fill(plain, "kept", 60_000, new Date().toISOString());
    const removals: string[] = [];
    const workspace = createWorkspace({
      ...{ store, namespace: "kept" },
      retention: {
        ...{ maxAgeMs: 3_600_000, maxArtifacts: 100_000, maxBytes: 1e9, minAgeMs: 0 },
        perSession: { maxArtifacts: 200 },
      },
      logger: Object.assign(() => undefined, {
        storeCall: ({ operation }: { operation: string }) => {
          if (operation === "removeOldest") removals.push(operation);
        },
      }),
    });
    counts.rows = 0;
    for (let index = 0; index < 40; index++) {
      const toolCallId = `put_${index.toString()}`;
      await workspace.put({ content: toolCallId }, { toolCallId, sessionId: "new" });
    }
    await expect.poll(() => removals.length).toBeGreaterThan(0);
    // Each put has a row in its answer.
    expect(counts.rows).toBeLessThanOrEqual(40 + 20);
    await store("kept").purge();
  });

  it("retention removes what is beyond its limits, oldest first, each once among hosts", async () => {
    const { plain, pool } = openCounted();
    const store = postgresStore(pool);
    await store("beyond").sessions();
    await fill(plain, "beyond", 3_000, OLD);
    const hosts = [store("beyond"), postgresStore(plain)("beyond"), postgresStore(plain)("beyond")];
    const beyond = { maxArtifacts: 1_000, keepSince: new Date().toISOString() };
    const removed: string[] = [];
    const run = async (host: (typeof hosts)[number]) => {
      for (;;) {
        const slice = (await host.removeOldest?.({ beyond, limit: 300 })) ?? [];
        removed.push(...slice.map(({ sessionId, artifactId }) => `${sessionId}/${artifactId}`));
        if (slice.length < 300) return;
      }
    };
    await Promise.all(hosts.map(run));
    expect(new Set(removed).size).toBe(2_000);
    expect(removed).toHaveLength(2_000);
    const limits = { keepSince: beyond.keepSince, perSession: { maxBytes: 50_000 } };
    const perSession = await store("beyond").removeOldest?.({ beyond: limits, limit: 2_000 });
    expect(perSession).toHaveLength(500);
    const sessions = (await store("beyond").summarize?.({ limit: 100 })) ?? [];
    expect(sessions.map(({ artifacts, bytes }) => [artifacts, bytes])).toEqual(
      Array.from({ length: 10 }, () => [50, 50_000]),
    );
    const held = await plain.connect();
    await held.query("BEGIN; SELECT pg_advisory_xact_lock(7064553, hashtext('beyond'))");
    expect(
      await hosts[1]?.removeOldest?.({
        beyond: { ...limits, olderThan: "9" },
        limit: 9,
        alone: true,
      }),
    ).toEqual([]);
    await held.query("COMMIT");
    held.release();
    await store("beyond").purge();
  });

  it("sessions are summed up in pages, a statement each", async () => {
    const { plain, pool, counts } = openCounted();
    const store = postgresStore(pool);
    await store("many").sessions();
    await fill(plain, "many", 60_000, OLD);
    const workspace = createWorkspace({ store, namespace: "many" });
    counts.statements = 0;
    const all = await workspace.sessions();
    expect(all).toHaveLength(600);
    expect(counts.statements).toBeLessThanOrEqual(2);
    const first = await workspace.sessions({ limit: 10 });
    const second = await workspace.sessions({ limit: 10, after: first.at(-1)?.sessionId });
    expect([...first, ...second]).toEqual(all.slice(0, 20));
    expect(first[0]).toEqual({
      ...{ sessionId: "s0", artifacts: 100, bytes: 100_000, lastWrittenAt: OLD },
    });
    counts.rows = 0;
    await workspace.getToolResultOffloadInfo({ limit: 50 });
    expect(counts.rows).toBeLessThan(60);
    counts.rows = 0;
    await workspace.queryArtifacts({ ticket: "t31000" });
    expect(counts.rows).toBe(1);
    await store("many").purge();
  });
});

describe("a round trip to PostgreSQL", () => {
  it("is all that a put takes, and a read, where nothing is known", async () => {
    const { pool, counts } = openCounted();
    const store = postgresStore(pool);
    const content = "line of text\n".repeat(800);
    const workspace = createWorkspace({ store, namespace: "trips" });
    const at = (toolCallId: string) => ({ toolCallId, sessionId: "s" });
    await workspace.put({ content }, at("warm"));
    counts.statements = 0;
    await workspace.put({ content }, at("a"));
    expect(counts.statements).toBe(1);
    const fresh = createWorkspace({ store, namespace: "trips" });
    counts.statements = 0;
    expect(await fresh.getOriginal("a", { sessionId: "s" })).toBe(content);
    expect(counts.statements).toBe(1);
  });

  it.each([10, 400])("is as long for an encrypted put after %i others", async (others) => {
    const { pool, counts } = openCounted();
    const encryption = { key: new Uint8Array(32) };
    const namespace = `sealed ${others}`;
    const workspace = createWorkspace({ store: postgresStore(pool), namespace, encryption });
    const put = (id: string) =>
      workspace.put({ content: `row ${id}` }, { toolCallId: id, sessionId: "s" });
    for (let index = 0; index < others; index++) await put(`t${index}`);
    Object.assign(counts, { statements: 0, rows: 0 });
    await put("last");
    // What the session has become since the last put, the content, and the record.
    expect(counts).toEqual({ statements: 3, rows: 3 });
  });

  it("has a statement that is not planned with each call", async () => {
    const plain = new pg.Pool({ connectionString: server.url, max: 1 });
    plain.on("error", () => undefined);
    onTestFinished(() => plain.end());
    const workspace = createWorkspace({ store: postgresStore(plain), namespace: "planned" });
    for (let index = 0; index < 12; index++) {
      const toolCallId = `t${index.toString()}`;
      await workspace.put({ content: toolCallId }, { toolCallId, sessionId: "s" });
      expect(await workspace.getOriginal(toolCallId, { sessionId: "s" })).toBe(toolCallId);
    }
    const { rows } = await plain.query<{ statement: string; custom: string }>(
      "SELECT statement, custom_plans AS custom FROM pg_prepared_statements",
    );
    expect(rows).toHaveLength(2);
    // The server compares five plans with one for all values.
    expect(rows.filter(({ custom }) => Number(custom) > 5)).toEqual([]);
  });

  it("has two rows for a session that is known, however many there are", async () => {
    const { pool, counts } = openCounted();
    const store = postgresStore(pool)("live");
    const sessions = Array.from({ length: 400 }, (_, index) => `s${index.toString()}`);
    for (const sessionId of sessions) {
      await Promise.all(["a", "b", "c"].map((id) => store.put(artifactOf(id, { id, sessionId }))));
    }
    for (const sessionId of sessions) await store.listSession(sessionId);
    counts.rows = 0;
    counts.statements = 0;
    for (const sessionId of sessions) await store.listSession(sessionId);
    expect(counts).toEqual({ statements: sessions.length, rows: sessions.length });
  });
});
