import type { ContentStore } from "../../core/workspace/artifacts/store-halves.js";
import { indexKey } from "../joined-store/index-key.js";
import { inChunks } from "../joined-store/in-chunks.js";
import { bytesOfBlob } from "./sqlite-client.js";
import type { SqliteDatabase } from "./sqlite-database.js";

const CHUNK_BYTES = 131_072;

const WRITE_CHUNK = `INSERT OR REPLACE INTO context_offload_chunks (namespace, key, part, data)
  VALUES (?, ?, ?, ?)`;
const WRITE_HEADER = `INSERT OR REPLACE INTO context_offload_contents (namespace, key, bytes, written_at)
  VALUES (?, ?, ?, ?)`;
const READ_HEADER = `SELECT bytes FROM context_offload_contents WHERE namespace = ? AND key = ?`;
const READ_RANGE = `SELECT substr(data, max(? - part * ${CHUNK_BYTES}, 0) + 1,
    min(? - part * ${CHUNK_BYTES}, ${CHUNK_BYTES}) - max(? - part * ${CHUNK_BYTES}, 0)) AS data
  FROM context_offload_chunks
  WHERE namespace = ? AND key = ? AND part BETWEEN ? AND ? ORDER BY part`;
const KEYS = `SELECT key, written_at FROM context_offload_contents
  WHERE namespace = ? AND key > ? ORDER BY key LIMIT ?`;
/** How many chunks are removed at once, so that others can write in between. */
const REMOVED_AT_ONCE = 64;

/** Content in chunks: it can be opened once its header is there, which is written with the last chunk. */
export function sqliteContent(database: SqliteDatabase, namespace: string): ContentStore {
  const ns = indexKey(namespace);

  const removeAll = async (prefix: string): Promise<void> => {
    const end = `${prefix}\uffff`;
    await database.write((session) => {
      session.run(
        "DELETE FROM context_offload_contents WHERE namespace = ? AND key >= ? AND key < ?",
        ...[ns, prefix, end],
      );
    });
    for (let left = true; left;) {
      left = await database.write((session) => {
        const rows = session.all(
          `DELETE FROM context_offload_chunks WHERE rowid IN (
            SELECT rowid FROM context_offload_chunks
            WHERE namespace = ? AND key >= ? AND key < ? LIMIT ${REMOVED_AT_ONCE}
          ) RETURNING part`,
          ...[ns, prefix, end],
        );
        return rows.length === REMOVED_AT_ONCE;
      });
    }
  };

  return {
    async write(key, content) {
      let bytes = 0;
      let part = 0;
      let last: Uint8Array | undefined;
      try {
        for await (const chunk of inChunks(content, CHUNK_BYTES)) {
          const before = last;
          if (before) {
            const at = part++;
            await database.write((session) => {
              session.run(WRITE_CHUNK, ns, key, at, before);
            });
          }
          last = chunk;
          bytes += chunk.length;
        }
      } catch (error) {
        if (part > 0) await removeAll(key).catch(() => undefined);
        throw error;
      }
      await database.write((session) => {
        if (last) session.run(WRITE_CHUNK, ns, key, part, last);
        session.run(WRITE_HEADER, ns, key, bytes, Date.now());
      });
    },

    async open(key) {
      const header = await database.read((session) => session.get(READ_HEADER, ns, key));
      if (!header) return undefined;
      const size = header["bytes"] as number;
      return {
        size,
        async read(start, end) {
          const stop = Math.min(end, size);
          if (start >= stop) return new Uint8Array();
          const [first, final] = [start, stop - 1].map((at) => Math.floor(at / CHUNK_BYTES));
          const rows = await database.read((session) =>
            session.all(READ_RANGE, start, stop, start, ns, key, first ?? 0, final ?? 0),
          );
          return joined(rows.map(({ data }) => bytesOfBlob(data)));
        },
        close: () => Promise.resolve(),
      };
    },

    removeAll,

    async keys(after, limit) {
      const rows = await database.read((session) => session.all(KEYS, ns, after, limit));
      return rows.map((row) => ({
        key: row["key"] as string,
        writtenAt: row["written_at"] as number,
      }));
    },
  };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return only && parts.length === 1 ? only : Buffer.concat(parts);
}
