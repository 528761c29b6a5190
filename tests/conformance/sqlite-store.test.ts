import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, describe, expect, it } from "vitest";
import type { OpenStore } from "../../src/core/workspace/artifacts/artifact-store.js";
import { sqliteStore, type ArtifactStore, type SqliteClient } from "../../src/stores.js";
import type { SqliteValue } from "../../src/infrastructure/sqlite-store/sqlite-client.js";
import { SQLITE_MIGRATIONS } from "../../src/infrastructure/sqlite-store/sqlite-schema.js";
import { defineStoreTests } from "../../src/testing/index.js";
import { artifactOf } from "../../src/testing/store-context.js";
import { sealedStores } from "../support/sealed-stores.js";

const folder = mkdtempSync(join(tmpdir(), "context-offload-sqlite-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

type Client = new (path: string) => SqliteClient;

/** The whole suite on a client, and what is sealed on it. */
function defineClientTests(client: string, SomeClient: Client): void {
  const open: OpenStore = (namespace) =>
    sqliteStore(new SomeClient(join(folder, `${client}.db`)))(namespace);
  defineStoreTests(`SQLite through ${client}`, { open }, { describe, it });
  for (const [how, sealed] of Object.entries(sealedStores(open))) {
    defineStoreTests(`SQLite through ${client}, ${how}`, { open: sealed }, { describe, it });
  }
}

defineClientTests("libsql", Database);

// From Node 22 on; tests/runtime runs this on one where another Node runs the tests.
const builtIn = process.getBuiltinModule("node:sqlite") as
  { readonly DatabaseSync: Client } | undefined;
if (builtIn) defineClientTests("node:sqlite", builtIn.DatabaseSync);

const name = "better-sqlite3";
const peers = new URL("../../bench/peers/package.json", import.meta.url);
const loaded = await import(/* @vite-ignore */ name).then(
  (module: { default: Client }) => ({ Client: module.default }),
  () => {
    try {
      return { Client: createRequire(peers)(name) as Client };
    } catch (error) {
      return { whyNot: String(error) };
    }
  },
);

if ("Client" in loaded) {
  defineClientTests(name, loaded.Client);
} else {
  // It may take a compiler to install, so the project does not ask for it; where the peers of the benchmarks are installed, it must run.
  it("SQLite through better-sqlite3", (context) => {
    const isInstalled = existsSync(new URL("node_modules", peers));
    if (process.env["CI"] && isInstalled) throw new Error(loaded.whyNot);
    console.warn(`not run: ${context.task.name}: ${loaded.whyNot}`);
    context.skip(loaded.whyNot);
  });
}

describe("a SQLite database", () => {
  it("has a write-ahead log, and its tables have a version", async () => {
    const path = join(folder, "version.db");
    const database = new Database(path);
    await sqliteStore(database)("n").sessions();
    expect(database.prepare("PRAGMA journal_mode").get()).toMatchObject({ journal_mode: "wal" });
    expect(database.prepare("SELECT version FROM context_offload_version").get()).toMatchObject({
      version: SQLITE_MIGRATIONS.length,
    });
    expect(existsSync(`${path}-wal`)).toBe(true);
  });

  it("finds everything by index: no statement reads a whole table, or sorts what is on other pages", async () => {
    const database = new Database(join(folder, "plans.db"));
    const sent: { readonly sql: string; readonly values: SqliteValue[] }[] = [];
    const store = sqliteStore(spied(database, (sql, values) => sent.push({ sql, values })))("n");
    const metadata = { task_id: "t", note: "n" };
    const records = [];
    for (const id of ["a", "b"]) records.push(await store.put(artifactOf(id, { id, metadata })));
    const [first] = (await store.query?.({ limit: 1 }))?.artifacts ?? [];
    const after = first?.cursor;
    await store.query?.({ sessionId: "s1", limit: 1, after });
    await store.query?.({ limit: 1, after, countRest: true });
    await store.query?.({ newestFirst: true, limit: 1, after });
    await store.query?.({ filter: { task_id: "t" }, limit: 1 });
    await store.query?.({ filter: { note: "n", task_id: "t" }, limit: 1, after });
    await store.query?.({ artifactIds: ["a"], limit: 1 });
    await store.find?.({ artifactIds: ["a", "x"], limit: 1 });
    await store.find?.({ artifactIds: ["x"], sessionId: "s1", limit: 1 });
    await store.listSession("s1");
    await store.sessions();
    await store.summarize?.({ limit: 1 });
    await store.verify({});
    const beyond = { keepSince: "2027", maxArtifacts: 9, perSession: { maxBytes: 9 } };
    await store.removeOldest?.({ beyond: { ...beyond, olderThan: "2026" }, limit: 1 });
    if (records[0]) await store.remove(records[0]);
    const plans = sent
      .filter(({ sql }) => /^\s*(?:SELECT|DELETE|UPDATE)/.test(sql))
      .map(({ sql, values }) => {
        const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
        return { sql, plan: (rows as { detail: string }[]).map(({ detail }) => detail).join("\n") };
      });
    expect(plans.length).toBeGreaterThan(20);
    for (const { sql, plan } of plans) {
      expect(plan, sql).not.toMatch(/SCAN (?:[acfgs]\b|context_offload_(?!version))/);
      // Children are few, and have no index by change; of an id there is one in each session.
      const isFew = /context_offload_(?:children|anywhere)/.test(sql);
      if (!isFew) expect(plan, sql).not.toContain("TEMP B-TREE");
    }
  });

  it("ends one transaction for all that is put at once, and fails nobody for another", async () => {
    const database = new Database(join(folder, "together.db"));
    const sent: string[] = [];
    const spy = spied(database, (sql, values) => {
      sent.push(sql);
      if (values.includes("odd")) throw new Error("no room for it");
    });
    const store = sqliteStore(spy)("n");
    await store.sessions();
    const commits = () => sent.splice(0).filter((sql) => sql === "COMMIT").length;
    const ids = ["a", "b", "c", "d"];
    await Promise.all(ids.map((id) => store.put(artifactOf(id, { id }))));
    expect(commits()).toBe(1);
    const puts = ["e", "odd", "f"].map((id) => store.put(artifactOf(id, { id })));
    const outcomes = (await Promise.allSettled(puts)).map(({ status }) => status);
    expect(outcomes).toEqual(["fulfilled", "rejected", "fulfilled"]);
    const fresh = sqliteStore(new Database(join(folder, "together.db")))("n");
    const { artifacts } = await fresh.listSession("s1");
    expect([...artifacts.keys()].sort()).toEqual([...ids, "e", "f"]);
  });

  it("of an older version is brought up to date, with what it holds", async () => {
    const database = new Database(join(folder, "older.db"));
    database.exec(SQLITE_MIGRATIONS[0] ?? "");
    database.exec("CREATE TABLE context_offload_version (version INTEGER NOT NULL)");
    database.exec("INSERT INTO context_offload_version VALUES (1)");
    const record = { artifactId: "a", sessionId: "s", createdAt: "2026-01-01", location: "x" };
    database
      .prepare(
        `INSERT INTO context_offload_artifacts
          VALUES ('n', 's', 'a', 1, '2026-01-01', 'tool_result', 1, 'x', ?)`,
      )
      .run(JSON.stringify(record));
    const page = await sqliteStore(database)("n").query?.({ newestFirst: true, limit: 2 });
    expect(page?.artifacts.map((artifact) => artifact.record)).toEqual([record]);
    expect(database.prepare("SELECT version FROM context_offload_version").get()).toMatchObject({
      version: SQLITE_MIGRATIONS.length,
    });
  });

  it.each([10, 40])(
    "takes the same few statements for a put and a get beside %i others",
    async (others) => {
      const database = new Database(join(folder, `statements-${others}.db`));
      let statements = 0;
      const open = sqliteStore(spied(database, () => statements++));
      const store = open("n");
      for (let at = 0; at < others; at++) await store.put(artifactOf(`${at}`, { id: `i${at}` }));
      const count = async (work: () => Promise<unknown>) => {
        statements = 0;
        await work();
        return statements;
      };
      const put = () => store.put(artifactOf("x", { id: "call_1" }));
      // The transaction, whether it is there, its number, the total, a tombstone, the record, its id, the content.
      expect(await count(put)).toBe(9);
      // The transaction, the record that is there, and whether its content is.
      expect(await count(put)).toBe(4);
      expect(await count(() => readById(open("n"), "call_1"))).toBe(1);
      // However many there are: two transactions of records and one of content for each of its steps, and the log.
      expect(
        await count(() => store.removeOldest?.({ sessionId: "s1", limit: 500 }) ?? put()),
      ).toBeLessThan(30);
    },
  );

  it("lets the event loop go on while much is read, and heeds an abort", async () => {
    const database = new Database(join(folder, "turns.db"));
    let since = 0;
    let most = 0;
    let isOver = false;
    const store = sqliteStore(
      spied(database, () => {
        most = Math.max(most, ++since);
        // Each statement takes as long as one over many rows.
        for (const end = performance.now() + 1; performance.now() < end;);
      }),
    )("n");
    for (let at = 0; at < 30; at++) await store.put(artifactOf(`${at}`, { id: `i${at}` }));
    const turn = () => {
      since = 0;
      if (!isOver) setImmediate(turn);
    };
    turn();
    most = 0;
    await store.verify({});
    isOver = true;
    expect(most).toBeLessThan(30);
    const aborted = new AbortController();
    setImmediate(() => {
      aborted.abort();
    });
    await expect(store.verify({ signal: aborted.signal })).rejects.toMatchObject({
      name: "AbortError",
    });
  });

  it("that was restored under a running host shows it its own new puts", async () => {
    const path = join(folder, "restored.db");
    const database = new Database(path);
    const store = sqliteStore(database)("n");
    for (let at = 0; at < 3; at++) await store.put(artifactOf(`a${at}`, { id: `a${at}` }));
    database.exec(`VACUUM INTO '${path}.backup'`);
    for (let at = 0; at < 5; at++) await store.put(artifactOf(`b${at}`, { id: `b${at}` }));
    expect((await store.listSession("s1")).artifacts.size).toBe(8);
    database.exec(`ATTACH '${path}.backup' AS bak`);
    const tables = database
      .prepare("SELECT name FROM bak.sqlite_master WHERE type = 'table' AND name LIKE 'context%'")
      .all() as { name: string }[];
    for (const { name: table } of tables) {
      database.exec(
        `DELETE FROM main.${table}; INSERT INTO main.${table} SELECT * FROM bak.${table}`,
      );
    }
    for (let at = 0; at < 5; at++) {
      await store.put(artifactOf(`c${at}`, { id: `c${at}` }));
      const listed = [...(await store.listSession("s1")).artifacts.keys()];
      expect(listed).toEqual([
        "a0",
        "a1",
        "a2",
        ...["c0", "c1", "c2", "c3", "c4"].slice(0, at + 1),
      ]);
    }
  });

  it("finds the chunks of a put that never ended", async () => {
    const path = join(folder, "unfinished.db");
    const database = new Database(path);
    const chunks = () =>
      database.prepare("SELECT part FROM context_offload_chunks ORDER BY part").all().length;
    const store = sqliteStore(database)("n");
    await store.put(artifactOf("kept", { id: "kept" }));
    await new Promise<void>((resolve) => {
      async function* content() {
        yield new Uint8Array(500_000);
        resolve();
        await new Promise(() => undefined);
      }
      void store.put({ ...artifactOf("cut off", { id: "cut" }), content: content() });
    });
    expect(chunks()).toBeGreaterThan(2);
    const other = sqliteStore(new Database(path))("n");
    const report = await other.verify({ deleteOrphans: true, orphanAgeMs: 0 });
    expect(report).toMatchObject({ artifacts: 1, damaged: [], missing: [] });
    expect(report.deleted).toHaveLength(1);
    expect(chunks()).toBe(1);
  });

  it("is not left locked by a client that was closed meanwhile", async () => {
    const path = join(folder, "closed.db");
    const client = new Database(path);
    const store = sqliteStore(client)("n");
    const record = await store.put(artifactOf("a", {}));
    client.close();
    // It still runs what it prepared, and so begins; what a removal needs it cannot prepare.
    await expect(store.remove(record)).rejects.toMatchObject({ code: "WRITE_FAILED" });
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    other.exec("ROLLBACK");
  });

  it("of a newer version is refused, not spoilt", async () => {
    const database = new Database(join(folder, "newer.db"));
    await sqliteStore(database)("n").sessions();
    database.exec("UPDATE context_offload_version SET version = 99");
    await expect(sqliteStore(database)("n").sessions()).rejects.toMatchObject({
      code: "READ_FAILED",
      message: expect.stringContaining("update context-offload") as string,
    });
  });
});

/** The same connection; `told` learns of every statement that is run. */
function spied(
  database: SqliteClient,
  told: (sql: string, values: SqliteValue[]) => unknown,
): SqliteClient {
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      const run = <T>(values: SqliteValue[], work: () => T): T => {
        told(sql, values);
        return work();
      };
      return {
        run: (...values) => run(values, () => statement.run(...values)),
        get: (...values) => run(values, () => statement.get(...values)),
        all: (...values) => run(values, () => statement.all(...values)),
      };
    },
  };
}

/** As a reader does who has the id of a reference. */
async function readById(store: ArtifactStore, id: string): Promise<void> {
  const found = await store.find?.({ artifactIds: [id], sessionId: "s1", limit: 1 });
  const [record] = found?.artifacts ?? [];
  if (!record) throw new Error(`${id} was not found`);
  const content = await store.open(record);
  await content.read(0, content.size);
  await content.close();
}
