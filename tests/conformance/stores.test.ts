import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import { openMemory } from "../../src/core/workspace/artifacts/memory-store.js";
import { FileStore } from "../../src/infrastructure/file-store/file-store.js";
import { sha256 } from "../../src/infrastructure/hash.js";
import { defineStoreTests } from "../../src/testing/index.js";

const folder = mkdtempSync(join(tmpdir(), "context-offload-stores-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

defineStoreTests("memory", { open: openMemory(sha256) }, { describe, it });
defineStoreTests(
  "files",
  { open: (namespace) => new FileStore(folder, namespace) },
  { describe, it },
);
