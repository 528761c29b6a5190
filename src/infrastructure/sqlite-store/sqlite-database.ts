import { onceResolved } from "../../core/lib/concurrency.js";
import { createRetry, type Retry, type RetryOptions } from "../joined-store/retry.js";
import {
  isBusy,
  type SqliteClient,
  type SqliteSource,
  type SqliteStatement,
  type SqliteValue,
} from "./sqlite-client.js";
import { endTransaction, migrateSqlite } from "./sqlite-schema.js";
import { inTurn } from "./sqlite-turns.js";

/** Statements on an open database, which run at once: SQLite does not wait for a network. */
export interface SqliteStatements {
  run(sql: string, ...values: SqliteValue[]): void;
  get(sql: string, ...values: SqliteValue[]): Readonly<Record<string, unknown>> | undefined;
  all(sql: string, ...values: SqliteValue[]): readonly Readonly<Record<string, unknown>>[];
}

/** A database with its tables, opened when it is first used. A lock of another process is waited for, within the deadline. */
export class SqliteDatabase {
  readonly #retry: Retry;
  readonly #prepared = new Map<string, SqliteStatement>();
  readonly #open: () => Promise<SqliteStatements>;

  constructor(source: SqliteSource, name: string, options: RetryOptions) {
    this.#open = onceResolved(async () => this.#on(await openClient(source)));
    this.#retry = createRetry(name, isBusy, options);
  }

  /** Runs statements that only read, or a single one that writes. */
  async read<T>(work: (sql: SqliteStatements) => T): Promise<T> {
    try {
      const sql = await this.#open();
      return await inTurn(() => work(sql));
    } catch (error) {
      if (!isBusy(error)) throw error;
      return this.#retry(async () => work(await this.#open()));
    }
  }

  /** Runs statements as one transaction. */
  write<T>(work: (sql: SqliteStatements) => T): Promise<T> {
    return this.read((sql) => {
      sql.run("BEGIN IMMEDIATE");
      return endTransaction(
        () => work(sql),
        (end) => {
          sql.run(end);
        },
      );
    });
  }

  /**
   * Overwrites the write-ahead log, in which what was removed is still to be read. Nobody is waited for:
   * while another connection reads, the log stays, and the next removal tries again.
   */
  async overwriteLog(): Promise<void> {
    await this.read((sql) => {
      const before = sql.get("PRAGMA busy_timeout");
      sql.all("PRAGMA busy_timeout = 0");
      try {
        sql.all("PRAGMA wal_checkpoint(TRUNCATE)");
      } catch (error) {
        if (!isBusy(error)) throw error;
      } finally {
        sql.all(`PRAGMA busy_timeout = ${Number(Object.values(before ?? {})[0] ?? 0)}`);
      }
    });
  }

  #on(client: SqliteClient): SqliteStatements {
    const prepared = (sql: string) => {
      let statement = this.#prepared.get(sql);
      if (!statement) {
        statement = client.prepare(sql);
        this.#prepared.set(sql, statement);
      }
      return statement;
    };
    return {
      run: (sql, ...values) => void prepared(sql).run(...values),
      get: (sql, ...values) => prepared(sql).get(...values) as Record<string, unknown> | undefined,
      all: (sql, ...values) => prepared(sql).all(...values) as Record<string, unknown>[],
    };
  }
}

async function openClient(source: SqliteSource): Promise<SqliteClient> {
  const client = typeof source === "function" ? await source() : source;
  client.prepare("PRAGMA journal_mode = WAL").get();
  // What is removed is overwritten with zeros.
  client.prepare("PRAGMA secure_delete = ON").get();
  migrateSqlite(client);
  return client;
}
