import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenStore } from "../../src/core/workspace/artifacts/artifact-store.js";
import { objectStore } from "../../src/infrastructure/object-store/object-store.js";
import { POSTGRES_MIGRATIONS } from "../../src/infrastructure/postgres-store/postgres-schema.js";
import {
  postgresMetadata,
  postgresStore,
} from "../../src/infrastructure/postgres-store/postgres-store.js";
import { defineStoreTests } from "../../src/testing/index.js";
import { artifactOf } from "../../src/testing/store-context.js";
import { BUCKET, startObjects, type RealObjects } from "../support/real-objects.js";
import { startPostgres, type RealPostgres } from "../support/real-postgres.js";
import { sealedStores } from "../support/sealed-stores.js";

let server: RealPostgres | undefined;
let objects: RealObjects | undefined;
const pools: pg.Pool[] = [];
beforeAll(async () => {
  [server, objects] = await Promise.all([startPostgres(), startObjects()]);
});
afterAll(async () => {
  for (const pool of pools) await pool.end();
  await Promise.all([server?.end(), objects?.end()]);
});

function openPool(connectionString = server?.url): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 2, idleTimeoutMillis: 500 });
  // The server is stopped while connections are still being closed.
  pool.on("error", () => undefined);
  pools.push(pool);
  return pool;
}

const OPEN: Record<string, OpenStore> = {
  PostgreSQL: (namespace) => postgresStore(openPool())(namespace),
  "object storage with PostgreSQL"(namespace) {
    if (!objects) throw new Error("the server was not started");
    const client = objects.client();
    const metadata = postgresMetadata(openPool());
    return objectStore({ client, bucket: BUCKET, metadata, partBytes: 1_000_000 })(namespace);
  },
};

for (const [name, open] of Object.entries(OPEN)) {
  defineStoreTests(name, { open }, { describe, it });
  for (const [how, sealed] of Object.entries(sealedStores(open))) {
    defineStoreTests(`${name}, ${how}`, { open: sealed }, { describe, it });
  }
}

describe("a PostgreSQL database", () => {
  type Row = Readonly<Record<string, unknown>>;
  /** What was sent to it, and with which values. */
  const sent: { readonly sql: string; readonly values: readonly unknown[] }[] = [];

  function openRecorded(): pg.Pool {
    const pool = openPool();
    pool.on("connect", (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      const recorded = (...args: unknown[]) => {
        const [sql, values] = args;
        if (Array.isArray(values)) sent.push({ sql: String(sql), values });
        else if (typeof sql === "object" && sql) {
          const { text, values: own } = sql as { text: string; values: unknown[] };
          sent.push({ sql: text, values: own });
        }
        return query(...args);
      };
      Object.assign(client, { query: recorded });
    });
    return pool;
  }

  it("finds pages and changes of a session by index, without sorting the session", async () => {
    const store = postgresStore(openRecorded())("plans");
    for (const id of ["a", "b", "c"]) await store.put(artifactOf(id, { id }));
    const [first] = (await store.query?.({ sessionId: "s1", limit: 1 }))?.artifacts ?? [];
    sent.length = 0;
    await store.query?.({ sessionId: "s1", limit: 1 });
    await store.query?.({ sessionId: "s1", limit: 1, after: first?.cursor });
    await store.query?.({ limit: 1, after: first?.cursor });
    await store.query?.({ newestFirst: true, limit: 1 });
    await store.query?.({ newestFirst: true, limit: 1, after: first?.cursor });
    await store.listSession("s1");
    expect(sent).toHaveLength(6);
    const admin = await openPool().connect();
    try {
      // What is sorted in spite of this has no order to take from an index, however large the table is.
      for (const way of ["sort", "incremental_sort", "bitmapscan", "seqscan"]) {
        await admin.query(`SET enable_${way} = off`);
      }
      for (const { sql, values } of sent) {
        const { rows } = await admin.query<Row>(`EXPLAIN ${sql}`, [...values]);
        const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
        expect(plan).toMatch(/Index Scan (?:Backward )?using context_offload_by_/);
        // Children are few, and have no index by change; the first row is the session's own.
        expect(plan).not.toMatch(
          /Sort {2}\(.*\n(?: +Disabled: true\n)? +Sort Key: (?!\w+children|\('0')/,
        );
      }
    } finally {
      admin.release(true);
    }
  });

  it("finds what a filter asks for by index", async () => {
    const pool = openRecorded();
    const store = postgresStore(pool)("filters");
    await store.sessions();
    await pool.query(
      `INSERT INTO context_offload_artifacts
        (namespace, session, artifact, changed, removed, created, bytes, shown, location, record, metadata)
      SELECT namespace, 's' || n / 100, 'a' || n, n, false, '', 0, '', '', '{}',
        jsonb_build_object(namespace, jsonb_build_object('tool_name', 'tool' || n % 2000))
      FROM generate_series(1, 20000) AS n, unnest(ARRAY['filters', 'others']) AS namespace`,
    );
    await pool.query("ANALYZE context_offload_artifacts");
    // What happens to be in the sample of the server is taken for frequent.
    const { rows: samples } = await pool.query<{ sample: string }>(
      `SELECT histogram_bounds::text AS sample FROM pg_stats
        WHERE tablename = 'context_offload_artifacts' AND attname = 'metadata'`,
    );
    const isSampled = (tool: string) => samples.some(({ sample }) => sample.includes(`${tool}\\`));
    const tools = Array.from({ length: 2_000 }, (_, index) => `tool${index}`);
    const rare = tools.find((tool) => !isSampled(tool));
    sent.length = 0;
    const page = await store.query?.({ filter: { tool_name: rare }, limit: 20 });
    expect(page?.artifacts).toHaveLength(10);
    const [{ sql, values } = { sql: "", values: [] }] = sent;
    const { rows } = await pool.query<Row>(`EXPLAIN ${sql}`, [...values]);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan).toContain("Bitmap Index Scan on context_offload_by_metadata");
    // What the index leads to belongs to this namespace: nothing of the other one is looked at.
    const analyzed = await pool.query<Row>(`EXPLAIN (ANALYZE, TIMING OFF) ${sql}`, [...values]);
    expect(JSON.stringify(analyzed.rows)).toMatch(
      /Bitmap Index Scan on context_offload_by_metadata[^"]*actual rows=10(?:\.00)? /,
    );
    expect(JSON.stringify(analyzed.rows)).not.toContain("Rows Removed");
    // What nearly all have is no reason to read and sort all of them.
    sent.length = 0;
    await store.query?.({ filter: { context_type: "x" }, newestFirst: true, limit: 200 });
    const [listing = { sql: "", values: [] }] = sent;
    const listed = await pool.query<Row>(`EXPLAIN ${listing.sql}`, [...listing.values]);
    expect(JSON.stringify(listed.rows)).toContain("using context_offload_by_time");
    expect(JSON.stringify(listed.rows)).not.toContain("Sort");
    await pool.query(
      "DELETE FROM context_offload_artifacts WHERE namespace IN ('filters', 'others')",
    );
  });

  it("compresses content, with lz4 if the server has it", async () => {
    const pool = openPool();
    const line = "2026-01-02T03:04:05Z INFO request served in 12 ms\n";
    await postgresStore(pool)("compressed").put(artifactOf(line.repeat(5_000), { id: "a" }));
    const { rows } = await pool.query<Row>(
      `SELECT sum(length(data))::integer AS bytes, sum(pg_column_size(data))::integer AS stored,
        min(pg_column_compression(data)) AS method,
        (SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression') AS lz4
      FROM context_offload_chunks WHERE namespace = 'compressed'`,
    );
    const [{ bytes, stored, method, lz4 } = {}] = rows;
    expect(bytes).toBe(line.length * 5_000);
    expect(stored).toBeLessThan(Number(bytes) / 10);
    expect(method).toBe(lz4 === true ? "lz4" : "pglz");
  });

  it("gets the namespace in every statement", async () => {
    const store = postgresStore(openRecorded())("everywhere");
    sent.length = 0;
    const record = await store.put(artifactOf("x", { id: "a" }));
    await store.addChild("s1", "s2");
    await store.listSession("s1");
    await store.sessions();
    await store.query?.({
      limit: 1,
      countRest: true,
      artifactIds: ["a"],
      filter: { task_id: "t" },
    });
    const content = await store.open(record);
    await content.read(0, 1);
    await store.verify({ deleteOrphans: true });
    await store.remove(record);
    expect(sent.length).toBeGreaterThan(12);
    // Only the version of the tables and the lock for their migration belong to no namespace.
    const statements = sent.filter(({ sql }) => !/advisory|context_offload_version/.test(sql));
    for (const { sql, values } of statements) {
      expect(values[0]).toBe("everywhere");
      const [, ...tables] = sql.split(/(?=(?:FROM|INTO|UPDATE) context_offload_)/);
      for (const table of tables) expect(table).toMatch(/namespace = \$1|\(namespace, /);
    }
  });

  it("is listened to once, however many stores share a pool", async () => {
    const pool = openPool();
    const before = pool.listenerCount("error");
    for (let index = 0; index < 12; index++) await postgresStore(pool)("n").sessions();
    expect(pool.listenerCount("error")).toBe(before + 1);
  });

  it("of an older version is brought up to date, with what it holds", async () => {
    const admin = openPool();
    await admin.query("CREATE DATABASE older");
    const url = new URL(server?.url ?? "");
    url.pathname = "/older";
    const pool = openPool(url.href);
    await pool.query(POSTGRES_MIGRATIONS[0] ?? "");
    await pool.query("CREATE TABLE context_offload_version (version integer NOT NULL)");
    await pool.query("INSERT INTO context_offload_version VALUES (1)");
    const record = { artifactId: "a", sessionId: "s", createdAt: "2026-01-01", location: "x" };
    await pool.query(
      `INSERT INTO context_offload_artifacts
        VALUES ('n', 's', 'a', 1, false, '2026-01-01', 1, '', 'x', $1, '{}')`,
      [JSON.stringify(record)],
    );
    const page = await postgresStore(pool)("n").query?.({ newestFirst: true, limit: 2 });
    expect(page?.artifacts.map((artifact) => artifact.record)).toEqual([record]);
    const { rows } = await pool.query("SELECT version FROM context_offload_version");
    expect(rows).toEqual([{ version: POSTGRES_MIGRATIONS.length }]);
  });

  it("of a newer version is refused, not spoilt", async () => {
    const pool = openPool();
    await postgresStore(pool)("n").sessions();
    await pool.query("UPDATE context_offload_version SET version = version + 98");
    try {
      await expect(postgresStore(pool)("n").sessions()).rejects.toMatchObject({
        code: "READ_FAILED",
        message: expect.stringContaining("update context-offload") as string,
      });
    } finally {
      await pool.query("UPDATE context_offload_version SET version = version - 98");
    }
  });
});
