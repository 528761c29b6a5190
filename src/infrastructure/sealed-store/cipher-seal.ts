import { randomBytes } from "node:crypto";
import type { ArtifactMetadata } from "../../core/workspace/artifacts/artifact.js";
import {
  decryptChunks,
  encryptChunks,
  encryptedSize,
  ID_BYTES,
  idOf,
  openText,
  sealText,
  TamperedError,
} from "./cipher-chunks.js";
import { readKeys, type EncryptionOptions } from "./encryption-keys.js";
import { NAMED_FIELDS, type Seal, type SealedFields } from "./seal.js";

/** Metadata: the id of the key, and the encrypted record. */
const KEY_FIELD = "encryption_key_id";
const RECORD_FIELD = "encrypted_record";

interface Inside extends SealedFields {
  readonly contentId: string;
}

/** Content, records and everything derived from them encrypted; only ids, times and named metadata are not. */
export function createCipherSeal({ current, keysFor }: ReturnType<typeof readKeys>): Seal {
  return {
    hidesMetadata: true,

    sealContent({ sessionId, type, content }, hash) {
      // The same content in the same session gives the same bytes, so that the store keeps it once.
      const contentId =
        hash === undefined
          ? randomBytes(ID_BYTES)
          : idOf(current, "content", sessionId, type, hash);
      return {
        content: encryptChunks(content, current, contentId),
        contentId,
        storedBytes: (bytes) => encryptedSize(bytes, current),
      };
    },

    sealRecord(fields, sessionId, contentId) {
      const inside: Inside = { ...fields, contentId: contentId.toString("hex") };
      return {
        ...namedOf(fields.metadata),
        [KEY_FIELD]: current.keyId,
        [RECORD_FIELD]: sealText(JSON.stringify(inside), current, sessionId),
      };
    },

    openRecord: ({ sessionId, metadata }) => openInside(sessionId, metadata),

    async openContent({ sessionId, metadata }, sealed) {
      const { contentId } = openInside(sessionId, metadata);
      return decryptChunks(sealed, keysFor, Buffer.from(contentId, "hex"));
    },

    // A cache that is made anew at any time must never share nonces with what it was before.
    sealDerived: (bytes) => encryptChunks(bytes, current, randomBytes(ID_BYTES)),
    openDerived: (sealed) => decryptChunks(sealed, keysFor),
  };

  function openInside(sessionId: string, metadata: ArtifactMetadata): Inside {
    const { [KEY_FIELD]: keyId, [RECORD_FIELD]: sealed } = metadata;
    if (typeof keyId !== "string" || typeof sealed !== "string") {
      throw new TamperedError("it was stored without encryption");
    }
    return JSON.parse(openText(sealed, keysFor(keyId), sessionId)) as Inside;
  }
}

export function encryptionSeal(options: EncryptionOptions): { seal: Seal; hashKey: Uint8Array } {
  const keys = readKeys(options);
  return { seal: createCipherSeal(keys), hashKey: keys.current.hash };
}

function namedOf(metadata: ArtifactMetadata): ArtifactMetadata {
  return Object.fromEntries(
    NAMED_FIELDS.map((name) => [name, metadata[name]]),
  ) as unknown as ArtifactMetadata;
}
