import type { ContentStore } from "../../core/workspace/artifacts/store-halves.js";
import { CHUNK_BYTES, chunkedContent } from "../joined-store/chunked-content.js";
import { indexKey } from "../joined-store/index-key.js";
import { bytesOfBlob } from "./sqlite-client.js";
import type { SqliteDatabase } from "./sqlite-database.js";

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
const REMOVE_HEADERS =
  "DELETE FROM context_offload_contents WHERE namespace = ? AND key >= ? AND key < ?";
/** How many chunks are removed at once, so that others can write in between. */
const REMOVED_AT_ONCE = 64;
const REMOVE_CHUNKS = `DELETE FROM context_offload_chunks WHERE rowid IN (
    SELECT rowid FROM context_offload_chunks
    WHERE namespace = ? AND key >= ? AND key < ? LIMIT ${REMOVED_AT_ONCE}
  ) RETURNING part`;

export function sqliteContent(database: SqliteDatabase, namespace: string): ContentStore {
  const ns = indexKey(namespace);
  return chunkedContent({
    writeChunk: (key, part, chunk) =>
      database.write((session) => {
        session.run(WRITE_CHUNK, ns, key, part, chunk);
      }),

    writeEnd: (key, bytes, part, last) =>
      database.write((session) => {
        if (last) session.run(WRITE_CHUNK, ns, key, part, last);
        session.run(WRITE_HEADER, ns, key, bytes, Date.now());
      }),

    async readHeader(key) {
      const header = await database.read((session) => session.get(READ_HEADER, ns, key));
      return header && (header["bytes"] as number);
    },

    async readRange(key, { start, end }, { first, last }) {
      const rows = await database.read((session) =>
        session.all(READ_RANGE, start, end, start, ns, key, first, last),
      );
      return rows.map(({ data }) => bytesOfBlob(data));
    },

    async removeAll(prefix) {
      const range = [ns, prefix, `${prefix}\uffff`] as const;
      await database.write((session) => {
        session.run(REMOVE_HEADERS, ...range);
      });
      for (let removed = REMOVED_AT_ONCE; removed === REMOVED_AT_ONCE;) {
        removed = await database.write((session) => session.all(REMOVE_CHUNKS, ...range).length);
      }
    },

    async keys(after, limit) {
      const rows = await database.read((session) => session.all(KEYS, ns, after, limit));
      return rows.map((row) => ({
        key: row["key"] as string,
        writtenAt: row["written_at"] as number,
      }));
    },
  });
}
