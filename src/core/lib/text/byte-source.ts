/** Bytes that can be read piece by piece, wherever they are stored. */
export interface ByteSource {
  /** How many bytes there are. */
  readonly size: number;
  /** The bytes from `start` up to, not including, `end`; fewer if the source ends before. */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** A source ended before the size that it stated. */
export class ShortSourceError extends Error {
  constructor(
    /** The requested range: from `start` up to `end`. */
    readonly start: number,
    readonly end: number,
    /** Where the bytes ended. */
    readonly endedAt: number,
  ) {
    super(`they end at byte ${endedAt}; the content was cut short`);
    this.name = "ShortSourceError";
  }
}

/** A part of a source. */
export function sliceSource(source: ByteSource, start: number, end = source.size): ByteSource {
  return { size: end - start, read: (from, to) => source.read(from + start, to + start) };
}

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

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}
