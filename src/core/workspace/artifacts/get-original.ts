import { ReadFailedError } from "../../errors/storage-errors.js";
import type { Hash } from "../../engine/content.js";
import { collectPieces, readPieces } from "../../lib/text/byte-source.js";
import { decodeWtf8, encodeWtf8 } from "../../lib/text/wtf8.js";
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
    const bytes = await collectPieces(readPieces(content, signal));
    if (hash(bytes) !== record.hash) {
      const cause = new Error("the stored bytes have changed since they were put; run verify");
      throw new ReadFailedError(`artifact ${JSON.stringify(record.artifactId)}`, cause);
    }
    const text = decodeWtf8(bytes);
    if (record.type === "JSON") return JSON.parse(text) as readonly unknown[];
    // A stream may have held bytes that are not text; then the original is the bytes themselves.
    return hash(encodeWtf8(text)) === record.hash ? text : streamOf(store, record, signal);
  } finally {
    await content.close();
  }
}

async function* streamOf(
  store: ArtifactStore,
  record: ArtifactRecord,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const content = await store.open(record);
  try {
    yield* readPieces(content, signal);
  } finally {
    await content.close();
  }
}
