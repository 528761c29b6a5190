import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import type { OpenStore } from "../../src/core/workspace/artifacts/artifact-store.js";
import { openMemory } from "../../src/core/workspace/artifacts/memory-store.js";
import { sha256 } from "../../src/infrastructure/hash.js";
import { fileStore } from "../../src/presets/stores.js";
import { defineStoreTests } from "../../src/testing/index.js";
import { sealedStores } from "../support/sealed-stores.js";

const folder = mkdtempSync(join(tmpdir(), "context-offload-sealed-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const INNER: Record<string, OpenStore> = {
  memory: openMemory(sha256),
  files: fileStore(join(folder, "files")),
};

for (const [name, inner] of Object.entries(INNER)) {
  for (const [how, open] of Object.entries(sealedStores(inner))) {
    defineStoreTests(`${name}, ${how}`, { open }, { describe, it });
  }
}
