import { onceResolved } from "../../core/lib/concurrency.js";
import { createRetry, type Retry, type RetryOptions } from "../joined-store/retry.js";
import {
  isBusy,
  type SqliteClient,
  type SqliteSource,
  type SqliteStatement,
  type SqliteValue,
} from "./sqlite-client.js";
import { inTransaction, migrateSqlite } from "./sqlite-schema.js";

/** Statements on an open database, which run at once: SQLite does not wait for a network. */
export interface SqliteStatements {
  run(sql: string, ...values: SqliteValue[]): void;
  get(sql: string, ...values: SqliteValue[]): Readonly<Record<string, unknown>> | undefined;
  all(sql: string, ...values: SqliteValue[]): readonly Readonly<Record<string, unknown>>[];
}

/** A database with its tables, opened when it is first used. A lock of another process is waited for, within the deadline. */
export class SqliteDatabase {
  readonly #retry: Retry;
  readonly #statements = new Map<string, SqliteStatement>();
  readonly #client: () => Promise<SqliteClient>;

  constructor(source: SqliteSource, name: string, options: RetryOptions) {
    this.#client = onceResolved(() => openClient(source));
    this.#retry = createRetry(name, isBusy, options);
  }

  /** Runs statements that only read, or a single one that writes. */
  read<T>(work: (sql: SqliteStatements) => T): Promise<T> {
    return this.#retry(async () => work(this.#on(await this.#client())));
  }

  /** Runs statements as one transaction. */
  write<T>(work: (sql: SqliteStatements) => T): Promise<T> {
    return this.#retry(async () => {
      const client = await this.#client();
      return inTransaction(client, () => work(this.#on(client)));
    });
  }

  #on(client: SqliteClient): SqliteStatements {
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

async function openClient(source: SqliteSource): Promise<SqliteClient> {
  const client = typeof source === "function" ? await source() : source;
  client.prepare("PRAGMA journal_mode = WAL").get();
  migrateSqlite(client);
  return client;
}
