import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { openMemory } from "../../src/core/workspace/artifacts/memory-store.js";
import { Disk } from "../../src/infrastructure/files/disk.js";
import { FileStore } from "../../src/infrastructure/files/file-store.js";
import { sha256 } from "../../src/infrastructure/hash.js";
import { defineStoreTests } from "../../src/testing/index.js";

const folder = mkdtempSync(join(tmpdir(), "context-offload-stores-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

defineStoreTests("memory", { open: openMemory(sha256) }, { describe, it });
defineStoreTests(
  "files",
  { open: (namespace) => new FileStore(join(folder, "local"), namespace) },
  { describe, it },
);

describe("on a disk that is not known to be local", () => {
  beforeAll(() => {
    vi.spyOn(Disk.prototype, "inspect").mockResolvedValue();
  });
  afterAll(() => {
    vi.restoreAllMocks();
  });
  defineStoreTests(
    "files",
    { open: (namespace) => new FileStore(join(folder, "remote"), namespace) },
    { describe, it },
  );
});
