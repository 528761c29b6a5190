import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createWorkspace } from "context-offload";
import { sqliteStore } from "context-offload/stores";
import { smoke, useStore } from "./smoke.mjs";

// Jest and Vitest both bring it.
const { test } = /** @type {{ test: (title: string, run: () => Promise<void>) => void }} */ (
  /** @type {unknown} */ (globalThis)
);

test("the package stores, searches and queries", async () => {
  const folder = await mkdtemp(join(tmpdir(), "context-offload-smoke-"));
  await smoke(folder);
  await rm(folder, { recursive: true });
});

test("the package stores in SQLite", async () => {
  const folder = await mkdtemp(join(tmpdir(), "context-offload-smoke-"));
  const client = await import(pathToFileURL(process.env["SMOKE_SQLITE"] ?? "").href);
  const database = new client.default(join(folder, "smoke.db"));
  await useStore(createWorkspace({ store: sqliteStore(database) }));
  await rm(folder, { recursive: true });
});
