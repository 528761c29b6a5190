import { CauseError } from "../cause-error.js";
import type { SqliteClient } from "./sqlite-client.js";

/** Each entry takes the tables from the version before to its own. An entry is never changed once released. */
export const SQLITE_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE context_offload_namespaces (
    namespace TEXT PRIMARY KEY NOT NULL,
    artifacts INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE context_offload_sessions (
    namespace TEXT NOT NULL,
    session TEXT NOT NULL,
    name TEXT NOT NULL,
    epoch TEXT NOT NULL,
    last_seq INTEGER NOT NULL,
    artifacts INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    written TEXT NOT NULL,
    PRIMARY KEY (namespace, session)
  ) WITHOUT ROWID;
  CREATE INDEX context_offload_by_count ON context_offload_sessions (namespace, artifacts);
  CREATE INDEX context_offload_by_bytes ON context_offload_sessions (namespace, bytes);
  CREATE TABLE context_offload_artifacts (
    namespace TEXT NOT NULL,
    session TEXT NOT NULL,
    artifact TEXT NOT NULL,
    changed INTEGER NOT NULL,
    created TEXT NOT NULL,
    context TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    location TEXT NOT NULL,
    record TEXT NOT NULL
  );
  CREATE UNIQUE INDEX context_offload_by_id
    ON context_offload_artifacts (namespace, session, artifact);
  CREATE INDEX context_offload_by_change
    ON context_offload_artifacts (namespace, session, changed, context);
  CREATE INDEX context_offload_anywhere ON context_offload_artifacts (namespace, artifact);
  CREATE TABLE context_offload_fields (
    namespace TEXT NOT NULL,
    field TEXT NOT NULL,
    session TEXT NOT NULL,
    changed INTEGER NOT NULL,
    PRIMARY KEY (namespace, field, session, changed)
  ) WITHOUT ROWID;
  CREATE TABLE context_offload_tombstones (
    namespace TEXT NOT NULL,
    session TEXT NOT NULL,
    artifact TEXT NOT NULL,
    changed INTEGER NOT NULL,
    until TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (namespace, session, artifact)
  ) WITHOUT ROWID;
  CREATE INDEX context_offload_gone_by_change
    ON context_offload_tombstones (namespace, session, changed);
  CREATE INDEX context_offload_gone_anywhere ON context_offload_tombstones (namespace, artifact);
  CREATE INDEX context_offload_gone_by_end ON context_offload_tombstones (namespace, until);
  CREATE TABLE context_offload_children (
    namespace TEXT NOT NULL,
    session TEXT NOT NULL,
    child TEXT NOT NULL,
    name TEXT NOT NULL,
    changed INTEGER NOT NULL,
    PRIMARY KEY (namespace, session, child)
  ) WITHOUT ROWID;
  CREATE INDEX context_offload_by_child ON context_offload_children (namespace, child);
  CREATE TABLE context_offload_chunks (
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    part INTEGER NOT NULL,
    bytes INTEGER,
    written_at INTEGER NOT NULL,
    data BLOB NOT NULL
  );
  CREATE UNIQUE INDEX context_offload_by_part
    ON context_offload_chunks (namespace, key, part);
  `,
  `
  CREATE INDEX context_offload_by_time
    ON context_offload_artifacts (namespace, created, session, changed, context);
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
  return endTransaction(work, (sql) => client.exec(sql));
}

/** Ends a transaction that has begun: with its work, or without a trace. */
export function endTransaction<T>(work: () => T, run: (sql: string) => unknown): T {
  try {
    const outcome = work();
    run("COMMIT");
    return outcome;
  } catch (error) {
    try {
      run("ROLLBACK");
    } catch {
      // SQLite has already rolled back.
    }
    throw error;
  }
}
