import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { OpenContent } from "../../core/workspace/artifacts/artifact-store.js";
import { type ArtifactMetadata, NAMED_FIELDS } from "../../core/workspace/artifacts/artifact.js";
import { inChunks } from "../joined-store/chunked-content.js";
import { type EncryptionOptions, type KeySet, resolveKeys } from "./encryption-keys.js";
import { type Seal, type SealedFields, TamperedError } from "./seal.js";

/**
 * Content as AES-256-GCM in chunks, so that ranges can be read: a head with the id of the key and of
 * this content, then chunks of one size, each with its tag. A tag also covers the content's id, the
 * chunk's number and whether it is the last one, so that none can be exchanged, moved or cut off.
 */

const MAGIC = Buffer.from("COE1");
const ID_BYTES = 16;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;
const CHUNK_BYTES = 65_536;
const SEALED_BYTES = CHUNK_BYTES + TAG_BYTES;
/** Enough for the longest head: the id of a key has at most 255 bytes. */
const MAX_HEAD_BYTES = MAGIC.length + 1 + 255 + ID_BYTES;

/** Encrypts a stream; the same id must never be used for other content. */
async function* encryptChunks(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  keys: KeySet,
  contentId: Buffer,
): AsyncGenerator<Uint8Array> {
  yield headOf(keys, contentId);
  let index = 0;
  let waiting: Uint8Array | undefined;
  for await (const chunk of inChunks(content, CHUNK_BYTES)) {
    // Written one behind, since the last one is marked.
    if (waiting) yield sealChunk(waiting, keys, contentId, index++, false);
    waiting = chunk;
  }
  yield sealChunk(waiting ?? new Uint8Array(), keys, contentId, index, true);
}

/** How long the encrypted form of so many bytes is. */
function encryptedSize(bytes: number, { keyId }: KeySet): number {
  const chunks = Math.max(1, Math.ceil(bytes / CHUNK_BYTES));
  return headSize(keyId) + bytes + chunks * TAG_BYTES;
}

/** Opens encrypted content for reading in ranges. */
async function decryptChunks(
  sealed: OpenContent,
  keysFor: (keyId: string) => KeySet,
  expectedId?: Buffer,
): Promise<OpenContent> {
  const { keys, contentId, headBytes } = await readHead(sealed, keysFor);
  if (expectedId && !expectedId.equals(contentId)) {
    throw new TamperedError("it is the content of another artifact");
  }
  const body = sealed.size - headBytes;
  const chunks = Math.max(1, Math.ceil(body / SEALED_BYTES));
  const size = body - chunks * TAG_BYTES;
  if (size < 0) throw new TamperedError("it was cut short");
  let bytesRead = 0;
  let last: { readonly index: number; readonly bytes: Uint8Array } | undefined;
  const intact = new Set<number>();

  const readChunk = async (index: number): Promise<Uint8Array> => {
    if (last?.index === index) return last.bytes;
    const start = headBytes + index * SEALED_BYTES;
    const bytes = await sealed.read(start, Math.min(start + SEALED_BYTES, sealed.size));
    const opened = openChunk(bytes, keys, contentId, index, index === chunks - 1);
    last = { index, bytes: opened };
    intact.add(index);
    return opened;
  };

  return {
    size,
    get bytesRead() {
      return bytesRead;
    },
    async read(from, to) {
      const end = Math.min(to, size);
      const bytes = new Uint8Array(Math.max(0, end - from));
      for (let at = from; at < end;) {
        const index = Math.floor(at / CHUNK_BYTES);
        const chunk = await readChunk(index);
        const offset = at - index * CHUNK_BYTES;
        const part = chunk.subarray(offset, Math.min(chunk.length, offset + end - at));
        if (part.length === 0) throw new TamperedError("it was cut short");
        bytes.set(part, at - from);
        at += part.length;
      }
      bytesRead += bytes.length;
      return bytes;
    },
    /** Every tag that was not checked by a read: an attacker could have replaced the store's own hash. */
    async check(signal) {
      for (let index = 0; index < chunks; index++) {
        signal?.throwIfAborted();
        if (!intact.has(index)) await readChunk(index);
      }
    },
    close: () => sealed.close(),
  };
}

/** A short text in one piece, for metadata; the same text gives the same bytes. */
function sealText(text: string, keys: KeySet, bound: string): string {
  const bytes = Buffer.from(text);
  const id = idOf(keys, "text", bound, bytes);
  return Buffer.concat([id, sealChunk(bytes, keys, id, 0, true)]).toString("base64");
}

function openText(sealed: string, keys: KeySet, bound: string): string {
  const bytes = Buffer.from(sealed, "base64");
  const id = bytes.subarray(0, ID_BYTES);
  const text = Buffer.from(openChunk(bytes.subarray(ID_BYTES), keys, id, 0, true));
  if (!idOf(keys, "text", bound, text).equals(id)) throw new TamperedError("it was moved");
  return text.toString();
}

/** An id that only this content has: nonces are made from it, and equal content is stored once. */
function idOf(keys: KeySet, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const hmac = createHmac("sha256", keys.nonce);
  for (const part of parts) {
    const bytes = Buffer.from(part);
    hmac.update(`${bytes.length} `).update(bytes);
  }
  return hmac.digest().subarray(0, ID_BYTES);
}

function headSize(keyId: string): number {
  return MAGIC.length + 1 + Buffer.byteLength(keyId) + ID_BYTES;
}

function headOf({ keyId }: KeySet, contentId: Buffer): Buffer {
  const id = Buffer.from(keyId);
  return Buffer.concat([MAGIC, Buffer.from([id.length]), id, contentId]);
}

async function readHead(sealed: OpenContent, keysFor: (keyId: string) => KeySet) {
  const head = Buffer.from(await sealed.read(0, Math.min(MAX_HEAD_BYTES, sealed.size)));
  if (!head.subarray(0, MAGIC.length).equals(MAGIC)) throw new TamperedError("it is not encrypted");
  const idEnd = MAGIC.length + 1 + (head[MAGIC.length] ?? 0);
  const contentId = head.subarray(idEnd, idEnd + ID_BYTES);
  if (contentId.length < ID_BYTES) throw new TamperedError("it was cut short");
  const keys = keysFor(head.toString("utf8", MAGIC.length + 1, idEnd));
  return { keys, contentId, headBytes: idEnd + ID_BYTES };
}

function sealChunk(
  chunk: Uint8Array,
  keys: KeySet,
  contentId: Buffer,
  index: number,
  isLast: boolean,
): Uint8Array {
  const cipher = createCipheriv("aes-256-gcm", keys.content, nonceOf(keys, contentId, index));
  cipher.setAAD(boundTo(contentId, index, isLast));
  return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
}

function openChunk(
  sealed: Uint8Array,
  keys: KeySet,
  contentId: Buffer,
  index: number,
  isLast: boolean,
): Uint8Array {
  if (sealed.length < TAG_BYTES) throw new TamperedError("it was cut short");
  const nonce = nonceOf(keys, contentId, index);
  const decipher = createDecipheriv("aes-256-gcm", keys.content, nonce);
  decipher.setAAD(boundTo(contentId, index, isLast));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  const opened = decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES));
  try {
    return Buffer.concat([opened, decipher.final()]);
  } catch {
    throw new TamperedError("it was changed, or the key is another one");
  }
}

function nonceOf({ nonce }: KeySet, contentId: Buffer, index: number): Buffer {
  const hmac = createHmac("sha256", nonce).update(contentId).update(`chunk ${index}`);
  return hmac.digest().subarray(0, NONCE_BYTES);
}

function boundTo(contentId: Buffer, index: number, isLast: boolean): Buffer {
  return Buffer.concat([contentId, Buffer.from(`${index}${isLast ? " last" : ""}`)]);
}

/** Metadata: the id of the key, and the encrypted record. */
const KEY_FIELD = "encryption_key_id";
const RECORD_FIELD = "encrypted_record";

interface EncryptedRecord extends SealedFields {
  readonly contentId: string;
}

/** Content, records and everything derived from them encrypted; only ids, times and named metadata are not. */
function createCipherSeal({ current, keysFor }: ReturnType<typeof resolveKeys>): Seal {
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
      const record: EncryptedRecord = { ...fields, contentId: contentId.toString("hex") };
      return {
        ...namedOf(fields.metadata),
        [KEY_FIELD]: current.keyId,
        [RECORD_FIELD]: sealText(JSON.stringify(record), current, sessionId),
      };
    },

    openRecord: ({ sessionId, metadata }) => decryptRecord(sessionId, metadata),

    async openContent({ sessionId, metadata }, sealed) {
      const { contentId } = decryptRecord(sessionId, metadata);
      return decryptChunks(sealed, keysFor, Buffer.from(contentId, "hex"));
    },

    // A cache may be rebuilt at any time, and must never share nonces with what it was before.
    sealDerived: (bytes) => encryptChunks(bytes, current, randomBytes(ID_BYTES)),
    openDerived: (sealed) => decryptChunks(sealed, keysFor),
  };

  function decryptRecord(sessionId: string, metadata: ArtifactMetadata): EncryptedRecord {
    const { [KEY_FIELD]: keyId, [RECORD_FIELD]: sealed } = metadata;
    if (typeof keyId !== "string" || typeof sealed !== "string") {
      throw new TamperedError("it was stored without encryption");
    }
    return JSON.parse(openText(sealed, keysFor(keyId), sessionId)) as EncryptedRecord;
  }
}

export function encryptionSeal(options: EncryptionOptions): { seal: Seal; hashKey: Uint8Array } {
  const keys = resolveKeys(options);
  return { seal: createCipherSeal(keys), hashKey: keys.current.hash };
}

function namedOf(metadata: ArtifactMetadata): ArtifactMetadata {
  return Object.fromEntries(
    NAMED_FIELDS.map((name) => [name, metadata[name]]),
  ) as unknown as ArtifactMetadata;
}
