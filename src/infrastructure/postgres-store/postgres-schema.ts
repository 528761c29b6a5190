import { CauseError } from "../cause-error.js";
import type { PostgresConnection } from "./postgres-client.js";

/**
 * Each entry takes the tables from the version before to its own. An entry is never changed once
 * released. Keys are compared byte by byte, whatever the language of the database is.
 */
export const POSTGRES_MIGRATIONS: readonly string[] = [
  // Rows that change with every put have room for their next version on the same page.
  `
  CREATE TABLE context_offload_sessions (
    namespace text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    name text NOT NULL,
    epoch text NOT NULL,
    last_seq bigint NOT NULL,
    PRIMARY KEY (namespace, session)
  ) WITH (fillfactor = 50);
  CREATE TABLE context_offload_usage (
    namespace text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    artifacts bigint NOT NULL,
    bytes bigint NOT NULL,
    written text COLLATE "C" NOT NULL,
    PRIMARY KEY (namespace, session)
  ) WITH (fillfactor = 50);
  CREATE TABLE context_offload_artifacts (
    namespace text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    artifact text COLLATE "C" NOT NULL,
    changed bigint NOT NULL,
    removed boolean NOT NULL,
    created text COLLATE "C" NOT NULL,
    bytes bigint NOT NULL,
    shown text NOT NULL,
    location text NOT NULL,
    record text NOT NULL,
    metadata jsonb NOT NULL,
    PRIMARY KEY (namespace, session, artifact)
  );
  CREATE INDEX context_offload_by_change ON context_offload_artifacts (namespace, session, changed);
  CREATE INDEX context_offload_anywhere ON context_offload_artifacts (namespace, artifact);
  CREATE INDEX context_offload_by_metadata
    ON context_offload_artifacts USING gin (metadata jsonb_path_ops) WHERE NOT removed;
  CREATE TABLE context_offload_children (
    namespace text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    child text COLLATE "C" NOT NULL,
    name text NOT NULL,
    changed bigint NOT NULL,
    PRIMARY KEY (namespace, session, child)
  );
  CREATE TABLE context_offload_chunks (
    namespace text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    part integer NOT NULL,
    bytes bigint,
    written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    data bytea NOT NULL,
    PRIMARY KEY (namespace, key, part)
  );
  ALTER TABLE context_offload_chunks ALTER COLUMN data SET STORAGE EXTENDED;
  DO $$
  BEGIN
    ALTER TABLE context_offload_chunks ALTER COLUMN data SET COMPRESSION lz4;
  EXCEPTION WHEN OTHERS THEN
    -- A server without lz4 compresses with its own method.
    NULL;
  END
  $$;
  `,
  `
  CREATE INDEX context_offload_by_time
    ON context_offload_artifacts (namespace, created, session, changed) WHERE NOT removed;
  CREATE INDEX context_offload_by_end
    ON context_offload_artifacts (namespace, created) WHERE removed;
  `,
];

/** Held while the tables are made, so that hosts that start at once wait for each other. */
const MIGRATION_LOCK = 7_064_553_120_931;

/** Creates the tables, or brings them up to date; hosts that start at once wait for each other. */
export async function migratePostgres(client: PostgresConnection): Promise<void> {
  if ((await versionOf(client)) === POSTGRES_MIGRATIONS.length) return;
  await client.query("BEGIN");
  try {
    await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await client.query(
      "CREATE TABLE IF NOT EXISTS context_offload_version (version integer NOT NULL)",
    );
    // Not by the name in the catalog, of which a connection may know an older state.
    const version = await readVersion(client);
    if (version > POSTGRES_MIGRATIONS.length) {
      throw new CauseError(
        `its tables have version ${version}, which is newer than this package; update context-offload`,
      );
    }
    for (const sql of POSTGRES_MIGRATIONS.slice(version)) await client.query(sql);
    await client.query("DELETE FROM context_offload_version");
    await client.query("INSERT INTO context_offload_version VALUES ($1)", [
      POSTGRES_MIGRATIONS.length,
    ]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

async function versionOf(client: PostgresConnection): Promise<number> {
  const exists = "SELECT to_regclass('context_offload_version') IS NOT NULL AS found";
  const [row] = (await client.query(exists)).rows as readonly { found?: boolean }[];
  return row?.found === true ? readVersion(client) : 0;
}

async function readVersion(client: PostgresConnection): Promise<number> {
  const { rows } = await client.query("SELECT version FROM context_offload_version");
  return (rows[0] as { version?: number } | undefined)?.version ?? 0;
}
