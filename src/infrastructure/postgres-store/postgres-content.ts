import type { ContentStore } from "../../core/workspace/artifacts/store-halves.js";
import { indexKey } from "../joined-store/index-key.js";
import { inChunks } from "../joined-store/in-chunks.js";
import type { PostgresDatabase } from "./postgres-database.js";

const CHUNK_BYTES = 131_072;

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
const READ_HEADER = `SELECT bytes::float8 AS bytes FROM context_offload_contents
  WHERE namespace = $1 AND key = $2`;
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
const KEYS = `SELECT key, extract(epoch FROM written_at)::float8 * 1000 AS written_at
  FROM context_offload_contents WHERE namespace = $1 AND key COLLATE "C" > $2
  ORDER BY key COLLATE "C" LIMIT $3`;

/** Content in chunks: it can be opened once its header is there, which is written with the last chunk. */
export function postgresContent(database: PostgresDatabase, namespace: string): ContentStore {
  const ns = indexKey(namespace);
  const removeAll = async (prefix: string): Promise<void> => {
    await database.run(REMOVE, [ns, prefix, `${prefix}\uffff`]);
  };

  return {
    async write(key, content) {
      let bytes = 0;
      let part = 0;
      let last: Uint8Array | undefined;
      try {
        for await (const chunk of inChunks(content, CHUNK_BYTES)) {
          if (last) await database.run(WRITE_CHUNK, [ns, key, part++, asBuffer(last)]);
          last = chunk;
          bytes += chunk.length;
        }
      } catch (error) {
        if (part > 0) await removeAll(key).catch(() => undefined);
        throw error;
      }
      if (last) await database.run(WRITE_END, [ns, key, part, asBuffer(last), bytes]);
      else await database.run(WRITE_HEADER, [ns, key, 0]);
    },

    async open(key) {
      const [header] = await database.run(READ_HEADER, [ns, key]);
      if (!header) return undefined;
      const size = header["bytes"] as number;
      return {
        size,
        async read(start, end) {
          const stop = Math.min(end, size);
          if (start >= stop) return new Uint8Array();
          const parts = [start, stop - 1].map((at) => Math.floor(at / CHUNK_BYTES));
          const rows = await database.run(READ_RANGE, [ns, key, start, stop, ...parts]);
          return Buffer.concat(rows.map(({ data }) => data as Uint8Array));
        },
        close: () => Promise.resolve(),
      };
    },

    removeAll,

    async keys(after, limit) {
      const rows = await database.run(KEYS, [ns, after, limit]);
      return rows.map((row) => ({
        key: row["key"] as string,
        writtenAt: row["written_at"] as number,
      }));
    },
  };
}

/** `pg` sends a buffer as bytes. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
