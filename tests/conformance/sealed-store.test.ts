import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, describe, it } from "vitest";
import type { OpenStore } from "../../src/core/workspace/artifacts/artifact-store.js";
import { openMemory } from "../../src/core/workspace/artifacts/memory-store.js";
import { sha256 } from "../../src/infrastructure/hash.js";
import { encryptionSeal } from "../../src/infrastructure/sealed-store/cipher-seal.js";
import { keyedSeal } from "../../src/infrastructure/sealed-store/seal.js";
import { sealStore } from "../../src/infrastructure/sealed-store/sealed-store.js";
import { sqliteStore } from "../../src/infrastructure/sqlite-store/sqlite-store.js";
import { fileStore } from "../../src/presets/stores.js";
import { defineStoreTests } from "../../src/testing/index.js";

const folder = mkdtempSync(join(tmpdir(), "context-offload-sealed-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const key = randomBytes(32);
const INNER: Record<string, OpenStore> = {
  memory: openMemory(sha256),
  files: fileStore(join(folder, "files")),
  SQLite: (namespace) => sqliteStore(new Database(join(folder, "sealed.db")))(namespace),
};

for (const [name, inner] of Object.entries(INNER)) {
  const encrypted: OpenStore = (namespace) => {
    const { seal, hashKey } = encryptionSeal({ key }, namespace);
    return sealStore(inner(namespace), seal, hashKey);
  };
  const keyed: OpenStore = (namespace) => sealStore(inner(`${namespace}-keyed`), keyedSeal, key);
  defineStoreTests(`${name}, encrypted`, { open: encrypted }, { describe, it });
  defineStoreTests(`${name}, with keyed hashes`, { open: keyed }, { describe, it });
}
