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
import { asBuffer, postgresMetadataIn, postgresTogether } from "./postgres-metadata.js";
import type { PostgresSource } from "./postgres-client.js";

/** The last chunk says how long all of it is: content without it was never finished. */
const WRITE_CHUNK = `INSERT INTO context_offload_chunks (namespace, key, part, data, bytes)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (namespace, key, part) DO UPDATE SET data = excluded.data, bytes = excluded.bytes`;
const READ_HEADER = `SELECT bytes FROM context_offload_chunks
  WHERE namespace = $1 AND key = $2 ORDER BY part DESC LIMIT 1`;
const READ_RANGE = `SELECT substring(data
    FROM greatest($3 - part * ${CHUNK_BYTES}::bigint, 0)::integer + 1
    FOR (least($4 - part * ${CHUNK_BYTES}::bigint, ${CHUNK_BYTES})
      - greatest($3 - part * ${CHUNK_BYTES}::bigint, 0))::integer) AS data
  FROM context_offload_chunks
  WHERE namespace = $1 AND key = $2 AND part BETWEEN $5 AND $6 ORDER BY part`;
const REMOVE = `DELETE FROM context_offload_chunks WHERE namespace = $1 AND key = ANY($2::text[])`;
const KEYS = `SELECT key, extract(epoch FROM written_at) * 1000 AS written_at
  FROM context_offload_chunks WHERE namespace = $1 AND key > $2 AND part = 0 ORDER BY key LIMIT $3`;
const NO_BYTES = new Uint8Array();

function postgresContent(database: PostgresDatabase, namespace: string): ContentStore {
  const ns = indexKey(namespace);
  return chunkedContent({
    writeChunk: (key, part, chunk) =>
      database.runOften(WRITE_CHUNK, [ns, key, part, asBuffer(chunk), null]),

    writeEnd: (key, bytes, part, last = NO_BYTES) =>
      database.runOften(WRITE_CHUNK, [ns, key, part, asBuffer(last), bytes]),

    async readHeader(key) {
      const [last] = await database.runOften(READ_HEADER, [ns, key]);
      return last?.["bytes"] == null ? undefined : Number(last["bytes"]);
    },

    async readRange(key, { start, end }, { first, last }) {
      const rows = await database.runOften(READ_RANGE, [ns, key, start, end, first, last]);
      return rows.map(({ data }) => data as Uint8Array);
    },

    async remove(keys) {
      await database.run(REMOVE, [ns, keys]);
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
    joinStores(
      postgresMetadataIn(database, namespace),
      postgresContent(database, namespace),
      name,
      postgresTogether(database, namespace),
    );
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
