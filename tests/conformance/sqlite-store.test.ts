import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, describe, expect, it } from "vitest";
import { sqliteStore, type SqliteClient } from "../../src/index.js";
import { defineStoreTests } from "../../src/testing/index.js";

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
      version: 1,
    });
    expect(existsSync(`${path}-wal`)).toBe(true);
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
