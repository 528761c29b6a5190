import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { ArtifactQuery, OpenContent } from "../../core/workspace/artifacts/artifact-store.js";
import {
  type ArtifactMetadata,
  type ArtifactRecord,
  HIDDEN_CONTEXT,
} from "../../core/workspace/artifacts/artifact.js";
import { inChunks } from "../joined-store/chunked-content.js";
import { type EncryptionOptions, type KeySet, resolveKeys } from "./encryption-keys.js";
import { type Place, type Seal, type SealedFields, TamperedError } from "./seal.js";

/**
 * Content as AES-256-GCM in chunks, so that ranges can be read: a head with the id of the key and of
 * this content, then chunks of one size, each with its tag. A tag also covers where the content belongs,
 * its id, the chunk's number and whether it is the last one, so that none can be exchanged, moved or cut
 * off.
 */

const MAGIC = Buffer.from("COE1");
const ID_BYTES = 16;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;
const CHUNK_BYTES = 65_536;
const SEALED_BYTES = CHUNK_BYTES + TAG_BYTES;
/** Enough for the longest head: the id of a key has at most 255 bytes. */
const MAX_HEAD_BYTES = MAGIC.length + 1 + 255 + ID_BYTES;

/** What all chunks of one sealed thing have in common; the same id is never used for anything else. */
interface Sealing {
  readonly keys: KeySet;
  readonly id: Buffer;
  /** Where it belongs and what it is. */
  readonly bound: string;
}

async function* encryptChunks(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  sealing: Sealing,
): AsyncGenerator<Uint8Array> {
  yield headOf(sealing);
  let index = 0;
  let waiting: Uint8Array | undefined;
  for await (const chunk of inChunks(content, CHUNK_BYTES)) {
    // Written one behind, since the last one is marked.
    if (waiting) yield sealChunk(waiting, sealing, index++, false);
    waiting = chunk;
  }
  yield sealChunk(waiting ?? new Uint8Array(), sealing, index, true);
}

/** How long the encrypted form of so many bytes is. */
function encryptedSize(bytes: number, { keyId }: KeySet): number {
  const chunks = Math.max(1, Math.ceil(bytes / CHUNK_BYTES));
  return headSize(keyId) + bytes + chunks * TAG_BYTES;
}

/**
 * Opens encrypted content for reading in ranges.
 *
 * @param expected - What its record says of it.
 */
async function decryptChunks(
  sealed: OpenContent,
  bound: string,
  keysFor: (keyId: string) => KeySet,
  expected?: { readonly keyId: string; readonly id: Buffer },
): Promise<OpenContent> {
  const { keyId, id, headBytes } = await readHead(sealed);
  if (expected && (expected.keyId !== keyId || !expected.id.equals(id))) {
    throw new TamperedError("it is the content of another artifact");
  }
  const sealing: Sealing = { keys: keysFor(keyId), id, bound };
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
    const opened = openChunk(bytes, sealing, index, index === chunks - 1);
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

/** A short text in one piece; the same text in the same place gives the same bytes. */
function sealText(text: string, keys: KeySet, bound: string): string {
  const bytes = Buffer.from(text);
  const id = idOf(keys, bound, bytes);
  return Buffer.concat([id, sealChunk(bytes, { keys, id, bound }, 0, true)]).toString("base64");
}

function openText(sealed: string, keys: KeySet, bound: string): string {
  const bytes = Buffer.from(sealed, "base64");
  const id = bytes.subarray(0, ID_BYTES);
  const opened = openChunk(bytes.subarray(ID_BYTES), { keys, id, bound }, 0, true);
  return Buffer.from(opened).toString();
}

/**
 * An id that only this content in this place has, made from all of it: nonces are made from it, and
 * equal content is stored once.
 */
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

function headOf({ keys, id }: Sealing): Buffer {
  const keyId = Buffer.from(keys.keyId);
  return Buffer.concat([MAGIC, Buffer.from([keyId.length]), keyId, id]);
}

async function readHead(sealed: OpenContent) {
  const head = Buffer.from(await sealed.read(0, Math.min(MAX_HEAD_BYTES, sealed.size)));
  if (!head.subarray(0, MAGIC.length).equals(MAGIC)) throw new TamperedError("it is not encrypted");
  const idEnd = MAGIC.length + 1 + (head[MAGIC.length] ?? 0);
  const id = head.subarray(idEnd, idEnd + ID_BYTES);
  if (id.length < ID_BYTES) throw new TamperedError("it was cut short");
  const keyId = head.toString("utf8", MAGIC.length + 1, idEnd);
  return { keyId, id, headBytes: idEnd + ID_BYTES };
}

function sealChunk(
  chunk: Uint8Array,
  sealing: Sealing,
  index: number,
  isLast: boolean,
): Uint8Array {
  const nonce = nonceOf(sealing, index);
  const cipher = createCipheriv("aes-256-gcm", sealing.keys.content, nonce);
  cipher.setAAD(authenticated(sealing, index, isLast));
  return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
}

function openChunk(
  sealed: Uint8Array,
  sealing: Sealing,
  index: number,
  isLast: boolean,
): Uint8Array {
  if (sealed.length < TAG_BYTES) throw new TamperedError("it was cut short");
  const nonce = nonceOf(sealing, index);
  const decipher = createDecipheriv("aes-256-gcm", sealing.keys.content, nonce);
  decipher.setAAD(authenticated(sealing, index, isLast));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  const opened = decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES));
  try {
    return Buffer.concat([opened, decipher.final()]);
  } catch {
    throw new TamperedError("it was changed or moved here, or the key is another one");
  }
}

function nonceOf({ keys, id }: Sealing, index: number): Buffer {
  const hmac = createHmac("sha256", keys.nonce).update(id).update(`chunk ${index}`);
  return hmac.digest().subarray(0, NONCE_BYTES);
}

function authenticated({ id, bound }: Sealing, index: number, isLast: boolean): Buffer {
  return Buffer.concat([id, Buffer.from(`${index}${isLast ? " last" : ""}\n${bound}`)]);
}

/** Metadata: the id of the key, and the encrypted record. */
const KEY_FIELD = "encryption_key_id";
const RECORD_FIELD = "encrypted_record";

interface EncryptedRecord extends SealedFields {
  readonly contentId: string;
}

/** The values of `context_type` that the store may know: by them, listings leave out what is hidden. */
const SHOWN_CONTEXTS: readonly unknown[] = ["tool_result", HIDDEN_CONTEXT];
const OTHER_CONTEXT = "other";

/**
 * Everything is encrypted but what the store needs: ids of sessions and artifacts, times, names of tools,
 * whether an artifact is hidden, the id of the key, and how long the encrypted content is.
 */
function createCipherSeal(
  namespace: string,
  { current, keysFor }: ReturnType<typeof resolveKeys>,
): Seal {
  /** The kind comes with everything, so that nothing can stand for something of another kind. */
  const boundTo = (kind: string, { sessionId, artifactId }: Place, ...more: readonly string[]) =>
    JSON.stringify([namespace, sessionId, artifactId, kind, ...more]);

  const boundChild = (sessionId: string) => JSON.stringify([namespace, sessionId, "child"]);

  const derivedOf = (record: ArtifactRecord, name: string) =>
    boundTo("derived", record, name, record.hash);

  const decryptRecord = (inner: ArtifactRecord): EncryptedRecord & { readonly keyId: string } => {
    const { [KEY_FIELD]: keyId, [RECORD_FIELD]: sealed } = inner.metadata;
    if (typeof keyId !== "string" || typeof sealed !== "string") {
      throw new TamperedError("it was stored without encryption");
    }
    const text = openText(sealed, keysFor(keyId), boundTo("record", inner));
    return { ...(JSON.parse(text) as EncryptedRecord), keyId };
  };

  return {
    sealContent(content, place) {
      const bound = boundTo("content", place);
      const id =
        content instanceof Uint8Array ? idOf(current, bound, content) : randomBytes(ID_BYTES);
      return {
        content: encryptChunks(content, { keys: current, id, bound }),
        contentId: id,
        storedBytes: (bytes) => encryptedSize(bytes, current),
      };
    },

    sealRecord(fields, place, contentId) {
      const { size, metadata } = fields;
      const record: EncryptedRecord = { ...fields, contentId: contentId.toString("hex") };
      return {
        size: { bytes: encryptedSize(size.bytes, current), chars: 0, lines: 0, tokens: 0 },
        metadata: {
          ...shownOf(metadata),
          [KEY_FIELD]: current.keyId,
          [RECORD_FIELD]: sealText(JSON.stringify(record), current, boundTo("record", place)),
        },
      };
    },

    sealType: () => "TEXT",

    openRecord(inner) {
      const { type, size, hash, metadata } = decryptRecord(inner);
      return { type, size, hash, metadata };
    },

    async openContent(inner, sealed) {
      const { keyId, contentId } = decryptRecord(inner);
      const expected = { keyId, id: Buffer.from(contentId, "hex") };
      return decryptChunks(sealed, boundTo("content", inner), keysFor, expected);
    },

    // A cache may be rebuilt at any time, and must never share nonces with what it was before.
    sealDerived: (bytes, record, name) =>
      encryptChunks(bytes, {
        ...{ keys: current, id: randomBytes(ID_BYTES) },
        bound: derivedOf(record, name),
      }),
    openDerived: (sealed, record, name) => decryptChunks(sealed, derivedOf(record, name), keysFor),

    sealChild: (childSessionId, sessionId) =>
      JSON.stringify([
        current.keyId,
        sealText(JSON.stringify(childSessionId), current, boundChild(sessionId)),
      ]),
    openChild(sealed, sessionId) {
      const [keyId, text] = parseChild(sealed);
      return JSON.parse(openText(text, keysFor(keyId), boundChild(sessionId))) as string;
    },

    canQuery({ filter = {}, exceptContext }) {
      return (
        (exceptContext === undefined || SHOWN_CONTEXTS.includes(exceptContext)) &&
        Object.entries(filter).every(([name, value]) => isShown(name, value))
      );
    },
  };
}

function isShown(name: string, value: NonNullable<ArtifactQuery["filter"]>[string]): boolean {
  if (value === undefined || name === "tool_name") return true;
  return name === "context_type" && SHOWN_CONTEXTS.includes(value);
}

function shownOf({ context_type, tool_name }: ArtifactMetadata): ArtifactMetadata {
  return {
    context_type: SHOWN_CONTEXTS.includes(context_type) ? context_type : OTHER_CONTEXT,
    ...{ biz_id: null, agent_id: null, task_id: null, session_id: null, action_name: null },
    tool_name,
  };
}

function parseChild(sealed: string): readonly [string, string] {
  try {
    const [keyId, text] = JSON.parse(sealed) as readonly unknown[];
    if (typeof keyId === "string" && typeof text === "string") return [keyId, text];
  } catch {
    // Reported below.
  }
  throw new TamperedError("it was stored without encryption");
}

/** @param namespace - What is sealed here can be opened in this namespace alone. */
export function encryptionSeal(
  options: EncryptionOptions,
  namespace: string,
): { seal: Seal; hashKey: Uint8Array } {
  const keys = resolveKeys(options);
  return { seal: createCipherSeal(namespace, keys), hashKey: keys.current.hash };
}
