/** Each entry takes the tables from the version before to its own. An entry is never changed once released. */
export const SQLITE_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE context_offload_sessions (
    namespace TEXT NOT NULL,
    session TEXT NOT NULL,
    name TEXT NOT NULL,
    last_seq INTEGER NOT NULL,
    PRIMARY KEY (namespace, session)
  ) WITHOUT ROWID;
  CREATE TABLE context_offload_artifacts (
    namespace TEXT NOT NULL,
    session TEXT NOT NULL,
    seq INTEGER NOT NULL,
    artifact TEXT NOT NULL,
    changed INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    record TEXT NOT NULL
  );
  CREATE UNIQUE INDEX context_offload_by_id
    ON context_offload_artifacts (namespace, session, artifact);
  CREATE INDEX context_offload_by_seq ON context_offload_artifacts (namespace, session, seq);
  CREATE INDEX context_offload_by_change ON context_offload_artifacts (namespace, session, changed);
  CREATE INDEX context_offload_anywhere ON context_offload_artifacts (namespace, artifact);
  CREATE INDEX context_offload_by_task
    ON context_offload_artifacts (namespace, record -> '$.metadata.task_id', session, seq);
  CREATE INDEX context_offload_by_tool
    ON context_offload_artifacts (namespace, record -> '$.metadata.tool_name', session, seq);
  CREATE TABLE context_offload_children (
    namespace TEXT NOT NULL,
    session TEXT NOT NULL,
    child TEXT NOT NULL,
    name TEXT NOT NULL,
    changed INTEGER NOT NULL,
    PRIMARY KEY (namespace, session, child)
  ) WITHOUT ROWID;
  CREATE TABLE context_offload_contents (
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    written_at INTEGER NOT NULL,
    PRIMARY KEY (namespace, key)
  ) WITHOUT ROWID;
  CREATE TABLE context_offload_chunks (
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    part INTEGER NOT NULL,
    data BLOB NOT NULL
  );
  CREATE UNIQUE INDEX context_offload_by_part
    ON context_offload_chunks (namespace, key, part);
  `,
  `
  CREATE INDEX context_offload_by_time
    ON context_offload_artifacts (namespace, record ->> '$.createdAt', session, seq)
    WHERE removed = 0;
  `,
];
