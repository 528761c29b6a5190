import { createHmac, hkdfSync, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { InvalidArgumentError } from "../../core/errors/argument-errors.js";
import { KeyMissingError } from "../../core/errors/storage-errors.js";
import { ignoreRejection } from "../../core/lib/concurrency.js";
import { FILE_MODE, FOLDER_MODE } from "../files/store-layout.js";

/** The key of what is stored from now on, and older keys for what was stored before. */
export interface EncryptionOptions {
  /** The current key, 32 bytes. Default: `keyFor(keyId)`. */
  readonly key?: Uint8Array | undefined;
  /** The key with this id, for content that names it; throw or return `undefined` for an unknown id. */
  readonly keyFor?: ((keyId: string) => Uint8Array | undefined) | undefined;
  /** The id of the current key, stored with everything that it encrypts. Default: made from the key. */
  readonly keyId?: string | undefined;
}

/** One key, from which a separate one is derived for each purpose. */
export interface KeySet {
  readonly keyId: string;
  readonly content: Uint8Array;
  readonly nonce: Uint8Array;
  readonly hash: Uint8Array;
}

const KEY_BYTES = 32;
const MAX_ID_CHARS = 200;

/** The current keys, and those for any id. */
export function resolveKeys(options: EncryptionOptions): {
  readonly current: KeySet;
  readonly keysFor: (keyId: string) => KeySet;
} {
  const { key, keyId } = options;
  // Nobody waits for a promise, which is no key.
  const keyFor = options.keyFor && ((id: string) => ignoreRejection(options.keyFor?.(id)));
  if (key === undefined && keyFor === undefined) {
    throw new InvalidArgumentError("encryption", options, "an object with key or keyFor");
  }
  if (keyId !== undefined && (keyId === "" || keyId.length > MAX_ID_CHARS)) {
    throw new InvalidArgumentError("encryption.keyId", keyId, "a short name");
  }
  const currentKey = key ?? keyFor?.(keyId ?? "default");
  const current = deriveKeys(requireKey(currentKey), keyId ?? (key ? undefined : "default"));
  const known = new Map([[current.keyId, current]]);
  return {
    current,
    keysFor(id) {
      const keys = known.get(id) ?? deriveKeys(findKey(keyFor, id), id);
      known.set(id, keys);
      return keys;
    },
  };
}

function findKey(keyFor: EncryptionOptions["keyFor"], keyId: string): Uint8Array {
  let found: Uint8Array | undefined;
  try {
    found = keyFor?.(keyId);
  } catch (cause) {
    throw new KeyMissingError(keyId, cause);
  }
  if (found === undefined) throw new KeyMissingError(keyId);
  return requireKey(found);
}

function requireKey(key: unknown): Uint8Array {
  if (key instanceof Uint8Array && key.length === KEY_BYTES) return key;
  // Never the key itself: an error may be logged.
  const given = key instanceof Uint8Array ? `${key.length} bytes` : typeof key;
  throw new InvalidArgumentError("encryption.key", given, `a Uint8Array of ${KEY_BYTES} bytes`);
}

function deriveKeys(key: Uint8Array, keyId: string | undefined): KeySet {
  const derive = (purpose: string): Uint8Array =>
    new Uint8Array(hkdfSync("sha256", key, "", `context-offload ${purpose}`, KEY_BYTES));
  return {
    keyId: keyId ?? createHmac("sha256", key).update("key id").digest("hex").slice(0, 16),
    content: derive("content"),
    nonce: derive("nonce"),
    hash: derive("hash"),
  };
}

const REDACTION_KEY_FILE = "redaction.key";

/**
 * The secret of a workspace on files, made when it is first needed and readable by its owner only. A
 * folder that cannot be written gets a random one: then content is known again within this process.
 */
export function loadRedactionKey(root: string): Uint8Array {
  const path = join(resolve(root), REDACTION_KEY_FILE);
  const made = randomBytes(KEY_BYTES);
  try {
    makeRoot(resolve(root));
    // Exclusively, since two processes may start at once.
    writeFileSync(path, made.toString("hex"), { flag: "wx", mode: FILE_MODE });
    return made;
  } catch {
    return readKeyFile(path) ?? made;
  }
}

/** A new root is hidden from git and from searches, as the store would have made it. */
function makeRoot(root: string): void {
  if (mkdirSync(root, { recursive: true, mode: FOLDER_MODE }) === undefined) return;
  writeFileSync(join(root, ".gitignore"), "*\n", { flag: "wx", mode: FILE_MODE });
}

function readKeyFile(path: string): Uint8Array | undefined {
  try {
    const key = Buffer.from(readFileSync(path, "utf8").trim(), "hex");
    return key.length === KEY_BYTES ? key : undefined;
  } catch {
    return undefined;
  }
}
