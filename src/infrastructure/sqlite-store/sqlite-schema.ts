import { CauseError } from "../cause-error.js";
import type { SqliteClient } from "./sqlite-client.js";

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

/** Creates the tables, or brings them up to date; two processes may do it at once. */
export function migrateSqlite(client: SqliteClient): void {
  if (versionOf(client) === SQLITE_MIGRATIONS.length) return;
  inTransaction(client, () => {
    client.exec("CREATE TABLE IF NOT EXISTS context_offload_version (version INTEGER NOT NULL)");
    const version = versionOf(client);
    if (version > SQLITE_MIGRATIONS.length) {
      throw new CauseError(
        `its tables have version ${version}, which is newer than this package; update context-offload`,
      );
    }
    for (const sql of SQLITE_MIGRATIONS.slice(version)) client.exec(sql);
    client.exec("DELETE FROM context_offload_version");
    client.exec(`INSERT INTO context_offload_version VALUES (${SQLITE_MIGRATIONS.length})`);
  });
}

function versionOf(client: SqliteClient): number {
  const exists = client
    .prepare("SELECT 1 AS found FROM sqlite_master WHERE name = 'context_offload_version'")
    .get();
  if (!exists) return 0;
  const row = client.prepare("SELECT version FROM context_offload_version").get();
  return ((row ?? {}) as { version?: number }).version ?? 0;
}

export function inTransaction<T>(client: SqliteClient, work: () => T): T {
  client.exec("BEGIN IMMEDIATE");
  try {
    const outcome = work();
    client.exec("COMMIT");
    return outcome;
  } catch (error) {
    try {
      client.exec("ROLLBACK");
    } catch {
      // SQLite has already rolled back.
    }
    throw error;
  }
}
