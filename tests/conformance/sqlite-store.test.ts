import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, describe, it } from "vitest";
import { sqliteStore } from "../../src/infrastructure/sqlite-store/sqlite-store.js";
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
