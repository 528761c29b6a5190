import { requireObject } from "../../core/arguments.js";
import type {
  ContentStore,
  OpenStore,
  MetadataStore,
} from "../../core/workspace/artifacts/artifact-store.js";
import { CHUNK_BYTES, chunkedContent } from "../joined-store/chunked-content.js";
import { joinStores } from "../joined-store/join-stores.js";
import type { RetryOptions } from "../joined-store/retry.js";
import { indexKey } from "../joined-store/session-listings.js";
import { bytesOfBlob, type SqliteSource } from "./sqlite-client.js";
import { SqliteDatabase } from "./sqlite-database.js";
import { sqliteMetadataIn } from "./sqlite-metadata.js";

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
  "DELETE FROM context_offload_contents WHERE namespace = ? AND key IN (SELECT value FROM json_each(?))";
/** How many chunks are removed at once, so that others can write in between. */
const MAX_REMOVED = 64;
const REMOVE_CHUNKS = `DELETE FROM context_offload_chunks WHERE rowid IN (
    SELECT rowid FROM context_offload_chunks
    WHERE namespace = ? AND key IN (SELECT value FROM json_each(?)) LIMIT ${MAX_REMOVED}
  ) RETURNING part`;

function sqliteContent(database: SqliteDatabase, namespace: string): ContentStore {
  const ns = indexKey(namespace);
  return chunkedContent({
    writeChunk: (key, part, chunk) =>
      database.write((sql) => {
        sql.run(WRITE_CHUNK, ns, key, part, chunk);
      }),

    writeEnd: (key, bytes, part, last) =>
      database.write((sql) => {
        if (last) sql.run(WRITE_CHUNK, ns, key, part, last);
        sql.run(WRITE_HEADER, ns, key, bytes, Date.now());
      }),

    async readHeader(key) {
      const header = await database.read((sql) => sql.get(READ_HEADER, ns, key));
      return header && (header["bytes"] as number);
    },

    async readRange(key, { start, end }, { first, last }) {
      const rows = await database.read((sql) =>
        sql.all(READ_RANGE, start, end, start, ns, key, first, last),
      );
      return rows.map(({ data }) => bytesOfBlob(data));
    },

    async remove(keys) {
      const list = JSON.stringify(keys);
      await database.write((sql) => {
        sql.run(REMOVE_HEADERS, ns, list);
      });
      for (let removed = MAX_REMOVED; removed === MAX_REMOVED;) {
        removed = await database.write((sql) => sql.all(REMOVE_CHUNKS, ns, list).length);
      }
    },

    async keys(after, limit) {
      const rows = await database.read((sql) => sql.all(KEYS, ns, after, limit));
      return rows.map((row) => ({
        key: row["key"] as string,
        writtenAt: row["written_at"] as number,
      }));
    },
  });
}

/** Options of `sqliteStore`. */
export interface SqliteStoreOptions extends RetryOptions {
  /** What the database is called in errors. Default `"the SQLite database"`. */
  readonly name?: string | undefined;
}

const NAME = "the SQLite database";
const EXPECTED = "an object with name or limits, or omitted";

/**
 * A store in a SQLite database, with content in chunks. Its tables begin with `context_offload_`, so it
 * can share a database with others.
 *
 * @param client - A connection of `better-sqlite3`, `libsql` or `node:sqlite`.
 * @example
 * const workspace = createWorkspace({ store: sqliteStore(new Database("offload.db")) });
 */
export function sqliteStore(client: SqliteSource, options: SqliteStoreOptions = {}): OpenStore {
  requireObject("options", options, EXPECTED);
  const { name = NAME } = options;
  const database = new SqliteDatabase(client, name, options);
  return (namespace) =>
    joinStores(sqliteMetadataIn(database, namespace), sqliteContent(database, namespace), name);
}

/** The metadata half alone, for `objectStore`. */
export function sqliteMetadata(
  client: SqliteSource,
  options: SqliteStoreOptions = {},
): (namespace: string) => MetadataStore {
  requireObject("options", options, EXPECTED);
  const database = new SqliteDatabase(client, options.name ?? NAME, options);
  return (namespace) => sqliteMetadataIn(database, namespace);
}
