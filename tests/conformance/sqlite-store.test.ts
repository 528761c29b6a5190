import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, describe, expect, it } from "vitest";
import { sqliteStore, type SqliteClient } from "../../src/stores.js";
import type { SqliteValue } from "../../src/infrastructure/sqlite-store/sqlite-client.js";
import { SQLITE_MIGRATIONS } from "../../src/infrastructure/sqlite-store/sqlite-schema.js";
import { defineStoreTests } from "../../src/testing/index.js";
import { artifactOf } from "../../src/testing/store-context.js";

const folder = mkdtempSync(join(tmpdir(), "context-offload-sqlite-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

defineStoreTests(
  "SQLite through libsql",
  { open: (namespace) => sqliteStore(new Database(join(folder, "libsql.db")))(namespace) },
  { describe, it },
);

type Client = new (path: string) => SqliteClient;
const name = "better-sqlite3";
const loaded = await import(/* @vite-ignore */ name).then(
  (module: { default: Client }) => ({ Client: module.default }),
  (error: unknown) => ({ whyNot: String(error) }),
);

if ("Client" in loaded) {
  const { Client } = loaded;
  defineStoreTests(
    "SQLite through better-sqlite3",
    { open: (namespace) => sqliteStore(new Client(join(folder, "better.db")))(namespace) },
    { describe, it },
  );
} else {
  // It may take a compiler to install, so the project does not ask for it; where it is asked for, it must run.
  it("SQLite through better-sqlite3", (context) => {
    const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
    const { devDependencies } = JSON.parse(manifest) as { devDependencies: object };
    if (process.env["CI"] && name in devDependencies) throw new Error(loaded.whyNot);
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

  it("finds pages by index, without sorting what is on other pages", async () => {
    const database = new Database(join(folder, "plans.db"));
    const sent: { readonly sql: string; readonly values: SqliteValue[] }[] = [];
    const store = sqliteStore({
      exec: (sql) => database.exec(sql),
      prepare(sql) {
        const statement = database.prepare(sql);
        return {
          run: (...values) => statement.run(...values),
          get: (...values) => statement.get(...values),
          all(...values) {
            sent.push({ sql, values });
            return statement.all(...values);
          },
        };
      },
    })("n");
    for (const id of ["a", "b"]) await store.put(artifactOf(id, { id }));
    const [first] = (await store.query?.({ limit: 1 }))?.artifacts ?? [];
    sent.length = 0;
    const after = first?.cursor;
    await store.query?.({ sessionId: "s1", limit: 1, after });
    await store.query?.({ limit: 1, after });
    await store.query?.({ newestFirst: true, limit: 1, after });
    await store.query?.({ filter: { task_id: "t" }, limit: 1 });
    await store.query?.({ filter: { tool_name: "t" }, limit: 1 });
    await store.listSession("s1");
    expect(sent).toHaveLength(6);
    const used: string[] = [];
    for (const { sql, values } of sent) {
      const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
      const plan = (rows as { detail: string }[]).map(({ detail }) => detail).join("\n");
      used.push(/USING INDEX context_offload_(\w+) \(namespace=\?/.exec(plan)?.[1] ?? plan);
      // Children are few, and have no index by change.
      expect(plan.replace(/SEARCH context_offload_children[^]*/, "")).not.toContain("TEMP B-TREE");
    }
    expect(used).toEqual(["by_seq", "by_seq", "by_time", "by_task", "by_tool", "by_change"]);
  });

  it("of an older version is brought up to date, with what it holds", async () => {
    const database = new Database(join(folder, "older.db"));
    database.exec(SQLITE_MIGRATIONS[0] ?? "");
    database.exec("CREATE TABLE context_offload_version (version INTEGER NOT NULL)");
    database.exec("INSERT INTO context_offload_version VALUES (1)");
    const record = { artifactId: "a", sessionId: "s", createdAt: "2026-01-01", location: "x" };
    database
      .prepare("INSERT INTO context_offload_artifacts VALUES ('n', 's', 1, 'a', 1, 0, ?)")
      .run(JSON.stringify(record));
    const page = await sqliteStore(database)("n").query?.({ newestFirst: true, limit: 2 });
    expect(page?.artifacts.map((artifact) => artifact.record)).toEqual([record]);
    expect(database.prepare("SELECT version FROM context_offload_version").get()).toMatchObject({
      version: SQLITE_MIGRATIONS.length,
    });
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
