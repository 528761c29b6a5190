import { randomBytes } from "node:crypto";
import { requireObject } from "../core/arguments.js";
import type { Hash } from "../core/engine/content.js";
import { InvalidArgumentError } from "../core/errors/argument-errors.js";
import type { ArtifactStore } from "../core/workspace/artifacts/artifact-store.js";
import { keyedHash, sha256 } from "../infrastructure/hash.js";
import { encryptionSeal } from "../infrastructure/sealed-store/cipher-seal.js";
import { keyedSeal } from "../infrastructure/sealed-store/keyed-seal.js";
import { keptKey } from "../infrastructure/sealed-store/kept-key.js";
import { sealStore } from "../infrastructure/sealed-store/sealed-store.js";
import type { WorkspaceOptions } from "./create-workspace.js";

const LEAST_KEY_BYTES = 16;

/** The store with encryption or redaction around it, and how its content is hashed. */
export function sealAsTold(
  store: ArtifactStore,
  { encryption, redact, redactionKey, root }: WorkspaceOptions,
): { readonly store: ArtifactStore; readonly hash: Hash } {
  if (redact !== undefined && typeof redact !== "function") {
    throw new InvalidArgumentError("redact", redact, "a function of a text, such as redactSecrets");
  }
  if (redactionKey !== undefined) requireKey(redactionKey);
  if (encryption !== undefined) {
    requireObject("encryption", encryption, "an object with key or keyFor");
    const { seal, hashKey } = encryptionSeal(encryption);
    return { store: sealStore(store, seal, hashKey), hash: keyedHash(hashKey) };
  }
  if (!redact) return { store, hash: sha256 };
  const key = redactionKey ?? (root === undefined ? randomBytes(32) : keptKey(root));
  const hash = keyedHash(key);
  const { writeReadable } = store;
  const sealed = sealStore(store, keyedSeal, key);
  return {
    // Files can still be read by path: they hold what was redacted already.
    store: writeReadable
      ? { ...sealed, writeReadable: (record, text) => writeReadable.call(store, record, text) }
      : sealed,
    hash,
  };
}

function requireKey(key: unknown): void {
  if (key instanceof Uint8Array && key.length >= LEAST_KEY_BYTES) return;
  const given = key instanceof Uint8Array ? `${key.length} bytes` : typeof key;
  const expected = `a Uint8Array of at least ${LEAST_KEY_BYTES} bytes`;
  throw new InvalidArgumentError("redactionKey", given, expected);
}
