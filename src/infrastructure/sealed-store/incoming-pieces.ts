import { createHmac } from "node:crypto";
import type { NewArtifact } from "../../core/workspace/artifacts/artifact-store.js";
import { sha256 } from "../hash.js";

const MAX_GATHERED_BYTES = 8_388_608;

/**
 * A stream as one piece if it is short: only content that is known before it is stored gets the id
 * that it would have had, and is stored once.
 */
export async function gather(content: NewArtifact["content"]): Promise<NewArtifact["content"]> {
  if (content instanceof Uint8Array) return content;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const source = content[Symbol.asyncIterator]();
  while (bytes <= MAX_GATHERED_BYTES) {
    const next = await source.next();
    if (next.done === true) return Buffer.concat(pieces);
    // A copy, since the caller may use its buffer again.
    pieces.push(next.value.slice());
    bytes += next.value.length;
  }
  async function* rest(): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces;
      for (;;) {
        const next = await source.next();
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await source.return?.();
    }
  }
  return rest();
}

/** The keyed hash of a stream is known when all of it has passed. */
export function hashWhilePassing(content: NewArtifact["content"], key: Uint8Array) {
  if (content instanceof Uint8Array) {
    return { content, hash: () => createHmac("sha256", key).update(content).digest("hex") };
  }
  const hmac = createHmac("sha256", key);
  async function* pass(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      hmac.update(piece);
      yield piece;
    }
  }
  return { content: pass(content), hash: () => hmac.digest("hex") };
}

export function hashOnce(bytes: Uint8Array): () => string {
  let hash: string | undefined;
  return () => (hash ??= sha256(bytes));
}
