import type { ContentStore } from "../../core/workspace/artifacts/artifact-store.js";

/** Content in chunks of one size; only the last one is shorter. The memory of a chunk is its own. */
export async function* inChunks(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array) {
    for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
    return;
  }
  let chunk = new Uint8Array(size);
  let filled = 0;
  for await (const piece of content) {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + size - filled);
      chunk.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < size) continue;
      yield chunk;
      chunk = new Uint8Array(size);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

export const CHUNK_BYTES = 131_072;

/** Tables with a row for each chunk of content, and a header for content that is complete. */
export interface ChunkTables extends Pick<ContentStore, "remove" | "keys"> {
  writeChunk(key: string, part: number, chunk: Uint8Array): Promise<unknown>;
  /** Writes the last chunk, if there is one, and the header, both or neither. */
  writeEnd(key: string, bytes: number, part: number, last?: Uint8Array): Promise<unknown>;
  /** How long the content is; `undefined` without a header. */
  readHeader(key: string): Promise<number | undefined>;
  /** The bytes of this range, a piece from each of the chunks that it touches. */
  readRange(
    key: string,
    range: { readonly start: number; readonly end: number },
    parts: { readonly first: number; readonly last: number },
  ): Promise<readonly Uint8Array[]>;
}

/** Content in chunks: it can be opened once its header is there, which is written with the last chunk. */
export function chunkedContent(tables: ChunkTables): ContentStore {
  return {
    remove: (keys) => tables.remove(keys),
    keys: (after, limit) => tables.keys(after, limit),

    async write(key, content) {
      let bytes = 0;
      let part = 0;
      let last: Uint8Array | undefined;
      try {
        for await (const chunk of inChunks(content, CHUNK_BYTES)) {
          if (last) await tables.writeChunk(key, part++, last);
          last = chunk;
          bytes += chunk.length;
        }
      } catch (error) {
        if (part > 0) await tables.remove([key]).catch(() => undefined);
        throw error;
      }
      await tables.writeEnd(key, bytes, part, last);
    },

    async open(key) {
      const size = await tables.readHeader(key);
      if (size === undefined) return undefined;
      return {
        size,
        async read(start, until) {
          const end = Math.min(until, size);
          if (start >= end) return new Uint8Array();
          const parts = { first: partAt(start), last: partAt(end - 1) };
          const pieces = await tables.readRange(key, { start, end }, parts);
          const [only] = pieces;
          return only && pieces.length === 1 ? only : Buffer.concat(pieces);
        },
        close: () => Promise.resolve(),
      };
    },
  };
}

function partAt(position: number): number {
  return Math.floor(position / CHUNK_BYTES);
}
