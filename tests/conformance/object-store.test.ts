import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, describe, it } from "vitest";
import { objectStore } from "../../src/infrastructure/object-store/object-store.js";
import { sqliteMetadata } from "../../src/infrastructure/sqlite-store/sqlite-store.js";
import { defineStoreTests } from "../../src/testing/index.js";
import { BUCKET, startObjects, type RealObjects } from "../support/real-objects.js";

const folder = mkdtempSync(join(tmpdir(), "context-offload-objects-"));
let server: RealObjects | undefined;
beforeAll(async () => {
  server = await startObjects();
});
afterAll(async () => {
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

function open(namespace: string) {
  if (!server) throw new Error("the server was not started");
  return objectStore({
    client: server.client(),
    bucket: BUCKET,
    prefix: "team/",
    metadata: sqliteMetadata(new Database(join(folder, "metadata.db"))),
    // Smaller than what a real service accepts, so that the suite uploads in parts.
    partBytes: 1_000_000,
  })(namespace);
}

defineStoreTests("object storage with SQLite", { open }, { describe, it });
