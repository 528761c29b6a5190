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
import { PostgresDatabase } from "./postgres-database.js";
import { postgresMetadataIn } from "./postgres-metadata.js";
import type { PostgresSource } from "./postgres-client.js";

const WRITE_CHUNK = `INSERT INTO context_offload_chunks (namespace, key, part, data)
  VALUES ($1, $2, $3, $4)
  ON CONFLICT (namespace, key, part) DO UPDATE SET data = excluded.data`;
const WRITE_HEADER = `INSERT INTO context_offload_contents (namespace, key, bytes)
  VALUES ($1, $2, $3)
  ON CONFLICT (namespace, key) DO UPDATE SET bytes = excluded.bytes`;
/** The last chunk and the header in one statement, which is one transaction. */
const WRITE_END = `WITH header AS (
    INSERT INTO context_offload_contents (namespace, key, bytes) VALUES ($1, $2, $5)
    ON CONFLICT (namespace, key) DO UPDATE SET bytes = excluded.bytes
  ) ${WRITE_CHUNK}`;
const READ_HEADER = `SELECT bytes FROM context_offload_contents WHERE namespace = $1 AND key = $2`;
const READ_RANGE = `SELECT substring(data
    FROM greatest($3 - part * ${CHUNK_BYTES}::bigint, 0)::integer + 1
    FOR (least($4 - part * ${CHUNK_BYTES}::bigint, ${CHUNK_BYTES})
      - greatest($3 - part * ${CHUNK_BYTES}::bigint, 0))::integer) AS data
  FROM context_offload_chunks
  WHERE namespace = $1 AND key = $2 AND part BETWEEN $5 AND $6 ORDER BY part`;
const REMOVE = `WITH header AS (
    DELETE FROM context_offload_contents
    WHERE namespace = $1 AND key COLLATE "C" >= $2 AND key COLLATE "C" < $3
  ) DELETE FROM context_offload_chunks
    WHERE namespace = $1 AND key COLLATE "C" >= $2 AND key COLLATE "C" < $3`;
const KEYS = `SELECT key, extract(epoch FROM written_at) * 1000 AS written_at
  FROM context_offload_contents WHERE namespace = $1 AND key COLLATE "C" > $2
  ORDER BY key COLLATE "C" LIMIT $3`;

function postgresContent(database: PostgresDatabase, namespace: string): ContentStore {
  const ns = indexKey(namespace);
  return chunkedContent({
    writeChunk: (key, part, chunk) => database.run(WRITE_CHUNK, [ns, key, part, asBuffer(chunk)]),

    writeEnd: (key, bytes, part, last) =>
      last
        ? database.run(WRITE_END, [ns, key, part, asBuffer(last), bytes])
        : database.run(WRITE_HEADER, [ns, key, bytes]),

    async readHeader(key) {
      const [header] = await database.run(READ_HEADER, [ns, key]);
      return header && Number(header["bytes"]);
    },

    async readRange(key, { start, end }, { first, last }) {
      const rows = await database.run(READ_RANGE, [ns, key, start, end, first, last]);
      return rows.map(({ data }) => data as Uint8Array);
    },

    async removeAll(prefix) {
      await database.run(REMOVE, [ns, prefix, `${prefix}\uffff`]);
    },

    async keys(after, limit) {
      const rows = await database.run(KEYS, [ns, after, limit]);
      return rows.map((row) => ({
        key: row["key"] as string,
        writtenAt: Number(row["written_at"]),
      }));
    },
  });
}

/** `pg` sends a buffer as bytes. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Options of `postgresStore`. */
export interface PostgresStoreOptions extends RetryOptions {
  /** What the database is called in errors. Default `"PostgreSQL"`. */
  readonly name?: string | undefined;
}

const NAME = "PostgreSQL";
const EXPECTED = "an object with name or limits, or omitted";

/**
 * A store in a PostgreSQL database, for agents on many hosts. Its tables begin with
 * `context_offload_` and are created on first use.
 *
 * @param pool - A `Pool` of `pg`. It is not closed by the store.
 * @example
 * const workspace = createWorkspace({ store: postgresStore(new Pool({ connectionString })) });
 */
export function postgresStore(pool: PostgresSource, options: PostgresStoreOptions = {}): OpenStore {
  requireObject("options", options, EXPECTED);
  const { name = NAME } = options;
  const database = new PostgresDatabase(pool, name, options);
  return (namespace) =>
    joinStores(postgresMetadataIn(database, namespace), postgresContent(database, namespace), name);
}

/** The metadata half alone, for `objectStore`. */
export function postgresMetadata(
  pool: PostgresSource,
  options: PostgresStoreOptions = {},
): (namespace: string) => MetadataStore {
  requireObject("options", options, EXPECTED);
  const database = new PostgresDatabase(pool, options.name ?? NAME, options);
  return (namespace) => postgresMetadataIn(database, namespace);
}
