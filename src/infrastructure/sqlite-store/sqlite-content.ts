import type { ContentStore } from "../../core/workspace/artifacts/artifact-store.js";
import { CHUNK_BYTES, chunkedContent } from "../joined-store/chunked-content.js";
import { indexKey } from "../joined-store/session-listings.js";
import { bytesOfBlob } from "./sqlite-client.js";
import type { SqliteDatabase } from "./sqlite-database.js";

/** To `node:sqlite` of Node 22 an empty array is NULL. The last chunk says how long all of it is: content without it was never finished. */
export const WRITE_CHUNK = `INSERT OR REPLACE INTO context_offload_chunks
    (namespace, key, part, bytes, written_at, data)
  VALUES (?, ?, ?, ?, ?, coalesce(?, x''))`;
const WRITE_PART = `INSERT OR REPLACE INTO context_offload_chunks
    (namespace, key, part, written_at, data)
  VALUES (?, ?, ?, ?, ?)`;
const READ_HEADER = `SELECT bytes FROM context_offload_chunks
  WHERE namespace = ? AND key = ? ORDER BY part DESC LIMIT 1`;
const READ_RANGE = `SELECT substr(data, max(? - part * ${CHUNK_BYTES}, 0) + 1,
    min(? - part * ${CHUNK_BYTES}, ${CHUNK_BYTES}) - max(? - part * ${CHUNK_BYTES}, 0)) AS data
  FROM context_offload_chunks
  WHERE namespace = ? AND key = ? AND part BETWEEN ? AND ? ORDER BY part`;
const KEYS = `SELECT key, written_at FROM context_offload_chunks
  WHERE namespace = ? AND key > ? AND part = 0 ORDER BY key LIMIT ?`;
/** How many chunks are removed at once, so that others can write in between. */
const MAX_REMOVED = 64;
const OF_KEYS = "namespace = ? AND key IN (SELECT value FROM json_each(?))";
/** In place, before any is removed: SQLite may copy rows within a page that loses others, and leave the copies. */
const OVERWRITE = `UPDATE context_offload_chunks SET data = zeroblob(length(data)) WHERE rowid IN (
    SELECT rowid FROM context_offload_chunks
    WHERE ${OF_KEYS} AND data <> zeroblob(length(data)) LIMIT ${MAX_REMOVED}
  ) RETURNING part`;
const REMOVE = `DELETE FROM context_offload_chunks WHERE rowid IN (
    SELECT rowid FROM context_offload_chunks WHERE ${OF_KEYS} LIMIT ${MAX_REMOVED}
  ) RETURNING part`;
const NO_BYTES = new Uint8Array();

/** Content in chunks, in SQLite. */
export function sqliteContentIn(database: SqliteDatabase, namespace: string): ContentStore {
  const ns = indexKey(namespace);
  return chunkedContent({
    writeChunk: (key, part, chunk) =>
      database.write((sql) => {
        sql.run(WRITE_PART, ns, key, part, Date.now(), chunk);
      }),

    writeEnd: (key, bytes, part, last = NO_BYTES) =>
      database.write((sql) => {
        sql.run(WRITE_CHUNK, ns, key, part, bytes, Date.now(), last);
      }),

    async readHeader(key) {
      const last = await database.read((sql) => sql.get(READ_HEADER, ns, key));
      return last?.["bytes"] == null ? undefined : Number(last["bytes"]);
    },

    async readRange(key, { start, end }, { first, last }) {
      const rows = await database.read((sql) =>
        sql.all(READ_RANGE, start, end, start, ns, key, first, last),
      );
      return rows.map(({ data }) => bytesOfBlob(data));
    },

    async remove(keys) {
      const list = JSON.stringify(keys);
      let count = 0;
      for (const step of [OVERWRITE, REMOVE]) {
        for (let changed = MAX_REMOVED; changed === MAX_REMOVED; count += changed) {
          changed = await database.write((sql) => sql.all(step, ns, list).length);
        }
      }
      if (count > 0) await database.overwriteLog();
    },

    async keys(after, limit) {
      const rows = await database.read((sql) => sql.all(KEYS, ns, after, limit));
      return rows.map((row) => ({
        key: row["key"] as string,
        writtenAt: Number(row["written_at"]),
      }));
    },
  });
}
