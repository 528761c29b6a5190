import type { ByteSource } from "./byte-source.js";

const PIECE_BYTES = 1_048_576;

/** The bytes of a source, piece by piece: all of them unless a range is given. */
export async function* readPieces(
  source: ByteSource,
  signal?: AbortSignal,
  { start, end }: { readonly start: number; readonly end: number } = { start: 0, end: source.size },
): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; at += PIECE_BYTES) {
    signal?.throwIfAborted();
    yield await source.read(at, Math.min(at + PIECE_BYTES, end));
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
