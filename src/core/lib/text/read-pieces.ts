import type { ByteSource } from "./byte-source.js";

const PIECE_BYTES = 1_048_576;

/** All bytes of a source, piece by piece. */
export async function* readPieces(
  source: ByteSource,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < source.size; at += PIECE_BYTES) {
    signal?.throwIfAborted();
    yield await source.read(at, at + PIECE_BYTES);
  }
}

/** All pieces as one. */
export async function collectPieces(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of pieces) {
    parts.push(part);
    length += part.length;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
