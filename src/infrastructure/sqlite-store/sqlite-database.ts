import { createRetry, type Retry, type RetryOptions } from "../joined-store/retry.js";
import {
  isBusy,
  type SqliteClient,
  type SqliteSource,
  type SqliteStatement,
  type SqliteValue,
} from "./sqlite-client.js";

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

/** Statements on an open database, which run at once: SQLite does not wait for a network. */
export interface SqliteSession {
  run(sql: string, ...values: SqliteValue[]): void;
  get(sql: string, ...values: SqliteValue[]): Readonly<Record<string, unknown>> | undefined;
  all(sql: string, ...values: SqliteValue[]): readonly Readonly<Record<string, unknown>>[];
}

/** A database with its tables, opened when it is first used. A lock of another process is waited for, within the deadline. */
export class SqliteDatabase {
  readonly #source: SqliteSource;
  readonly #retry: Retry;
  readonly #statements = new Map<string, SqliteStatement>();
  #opening: Promise<SqliteClient> | undefined;

  constructor(source: SqliteSource, name: string, options: RetryOptions) {
    this.#source = source;
    this.#retry = createRetry(name, isBusy, options);
  }

  /** Runs statements that only read, or a single one that writes. */
  read<T>(work: (session: SqliteSession) => T): Promise<T> {
    return this.#retry(async () => work(this.#session(await this.#client())));
  }

  /** Runs statements as one transaction. */
  write<T>(work: (session: SqliteSession) => T): Promise<T> {
    return this.#retry(async () => {
      const client = await this.#client();
      return inTransaction(client, () => work(this.#session(client)));
    });
  }

  #client(): Promise<SqliteClient> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      // The next call tries again.
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<SqliteClient> {
    const client = typeof this.#source === "function" ? await this.#source() : this.#source;
    client.prepare("PRAGMA journal_mode = WAL").get();
    migrate(client);
    return client;
  }

  #session(client: SqliteClient): SqliteSession {
    const prepared = (sql: string) => {
      const statement = this.#statements.get(sql) ?? client.prepare(sql);
      this.#statements.set(sql, statement);
      return statement;
    };
    return {
      run: (sql, ...values) => void prepared(sql).run(...values),
      get: (sql, ...values) => prepared(sql).get(...values) as Record<string, unknown> | undefined,
      all: (sql, ...values) => prepared(sql).all(...values) as Record<string, unknown>[],
    };
  }
}

/** Creates the tables, or brings them up to date; two processes may do it at once. */
function migrate(client: SqliteClient): void {
  if (versionOf(client) === SQLITE_MIGRATIONS.length) return;
  inTransaction(client, () => {
    client.exec("CREATE TABLE IF NOT EXISTS context_offload_version (version INTEGER NOT NULL)");
    const version = versionOf(client);
    if (version > SQLITE_MIGRATIONS.length) {
      throw new Error(
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

function inTransaction<T>(client: SqliteClient, work: () => T): T {
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
