import { ReadFailedError } from "../../errors/read-failed-error.js";
import type { Hash } from "../../engine/hash.js";
import { collectPieces, readPieces } from "../../lib/text/byte-source.js";
import { decodeWtf8, encodeWtf8 } from "../../lib/text/wtf8.js";
import type { ArtifactRecord } from "./artifact.js";
import type { ArtifactStore } from "./artifact-store.js";
import type { Original } from "../workspace-types.js";

/** The longest string that every supported Node can hold. */
const MAX_STRING_CHARS = 2 ** 29 - 24;

/** The stored content exactly, checked against its hash. */
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
      const cause = new Error("the stored bytes are not those that were put; run verify");
      throw new ReadFailedError(`artifact ${JSON.stringify(record.artifactId)}`, cause);
    }
    const text = decodeWtf8(bytes);
    if (record.type === "JSON") return JSON.parse(text) as readonly unknown[];
    // Bytes from a stream need not be text; then the bytes themselves are the original.
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
