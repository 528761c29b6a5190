import { ArtifactDamagedError } from "../../errors/reading-errors.js";
import type { Hash } from "../../engine/format.js";
import { type ByteSource, readPieces } from "../../lib/text/byte-source.js";
import { decodeWtf8, encodeWtf8, holdsSurrogate } from "../../lib/text/wtf8.js";
import type { ArtifactRecord } from "./artifact.js";
import type { ArtifactStore } from "./artifact-store.js";
import type { Original } from "../workspace-types.js";

/** The maximum string length in every supported version of Node. */
const MAX_STRING_CHARS = 2 ** 29 - 24;

/** Exactly the content that was stored, checked against its hash. */
export async function getOriginal(
  store: ArtifactStore,
  record: ArtifactRecord,
  hash: Hash,
  signal: AbortSignal | undefined,
): Promise<Original> {
  if (record.size.chars > MAX_STRING_CHARS) return streamOf(store, record, signal);
  const content = await store.open(record);
  try {
    const bytes = await readAll(content, signal);
    if (content.check) await content.check(signal);
    else if (hash(bytes) !== record.hash) {
      throw new ArtifactDamagedError(record.artifactId, "its hash is different");
    }
    const text = decode(bytes);
    if (record.type === "JSON" && text !== undefined) return JSON.parse(text) as readonly unknown[];
    // A stream may have held bytes that are not text; then the original is the bytes themselves.
    return text !== undefined && isExact(text, bytes) ? text : streamOf(store, record, signal);
  } finally {
    await content.close();
  }
}

/** Bytes that are no text leave a mark in what was decoded; halves of a pair stored apart would be joined. */
function isExact(text: string, bytes: Uint8Array): boolean {
  const isText = !text.includes("\ufffd") && !holdsSurrogate(bytes);
  return isText || isSame(encodeWtf8(text), bytes);
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  // Not `every`, which takes five times as long.
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

/** All bytes in one array, which is made only once, since they may be many; a single piece is that array. */
async function readAll(source: ByteSource, signal: AbortSignal | undefined): Promise<Uint8Array> {
  let bytes: Uint8Array | undefined;
  let length = 0;
  for await (const piece of readPieces(source, signal)) {
    if (piece.length === source.size) return piece;
    bytes ??= new Uint8Array(source.size);
    bytes.set(piece, length);
    length += piece.length;
  }
  return (bytes ?? new Uint8Array()).subarray(0, length);
}

/** `undefined` for bytes that are not text and decode to more than a string can hold. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return decodeWtf8(bytes);
  } catch {
    return undefined;
  }
}

async function* streamOf(
  store: ArtifactStore,
  record: ArtifactRecord,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const content = await store.open(record);
  try {
    // Checked first: whoever reads a stream has used most of it when its end is reached.
    await content.check?.(signal);
    yield* readPieces(content, signal);
  } finally {
    await content.close();
  }
}
