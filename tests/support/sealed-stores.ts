import { randomBytes } from "node:crypto";
import type { OpenStore } from "../../src/core/workspace/artifacts/artifact-store.js";
import { encryptionSeal } from "../../src/infrastructure/sealed-store/cipher-seal.js";
import { keyedSeal } from "../../src/infrastructure/sealed-store/seal.js";
import { sealStore } from "../../src/infrastructure/sealed-store/sealed-store.js";

const key = randomBytes(32);

/** What a store is like with encryption, and with keyed hashes alone. */
export function sealedStores(inner: OpenStore): Record<string, OpenStore> {
  return {
    encrypted(namespace) {
      const { seal, hashKey } = encryptionSeal({ key }, namespace);
      return sealStore(inner(namespace), seal, hashKey);
    },
    "with keyed hashes": (namespace) => sealStore(inner(`${namespace}-keyed`), keyedSeal, key),
  };
}
