/**
 * Each entry takes the tables from the version before to its own. An entry is never changed once
 * released. Keys are compared byte by byte, whatever the language of the database is.
 */
export const POSTGRES_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE context_offload_sessions (
    namespace text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    name text NOT NULL,
    last_seq bigint NOT NULL,
    PRIMARY KEY (namespace, session)
  );
  CREATE TABLE context_offload_artifacts (
    namespace text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    artifact text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    changed bigint NOT NULL,
    removed boolean NOT NULL,
    location text NOT NULL,
    record text NOT NULL,
    metadata jsonb NOT NULL,
    PRIMARY KEY (namespace, session, artifact)
  );
  CREATE INDEX context_offload_by_seq ON context_offload_artifacts (namespace, session, seq);
  CREATE INDEX context_offload_by_change ON context_offload_artifacts (namespace, session, changed);
  CREATE INDEX context_offload_anywhere ON context_offload_artifacts (namespace, artifact);
  CREATE INDEX context_offload_by_metadata
    ON context_offload_artifacts USING gin (metadata jsonb_path_ops);
  CREATE TABLE context_offload_children (
    namespace text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    child text COLLATE "C" NOT NULL,
    name text NOT NULL,
    changed bigint NOT NULL,
    PRIMARY KEY (namespace, session, child)
  );
  CREATE TABLE context_offload_contents (
    namespace text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    bytes bigint NOT NULL,
    written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (namespace, key)
  );
  CREATE TABLE context_offload_chunks (
    namespace text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    part integer NOT NULL,
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
  ALTER TABLE context_offload_artifacts ADD COLUMN created text COLLATE "C"
    GENERATED ALWAYS AS (coalesce(substring(record FROM '"createdAt":"([^"]*)"'), '')) STORED;
  CREATE INDEX context_offload_by_time
    ON context_offload_artifacts (namespace, created, session, seq) WHERE NOT removed;
  `,
];

/** Held while the tables are made, so that hosts that start at once wait for each other. */
export const MIGRATION_LOCK = 7_064_553_120_931;
