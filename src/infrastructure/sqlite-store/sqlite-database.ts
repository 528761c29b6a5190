import { onceResolved } from "../../core/lib/concurrency.js";
import { StoreUnreachableError } from "../../core/errors/storage-errors.js";
import { createRetry, type Retry, type RetryOptions } from "../joined-store/retry.js";
import {
  isBusy,
  type SqliteClient,
  type SqliteSource,
  type SqliteStatement,
  type SqliteValue,
} from "./sqlite-client.js";
import { endTransaction, migrateSqlite } from "./sqlite-schema.js";
import { inTurn, MAX_TURN_MS } from "./sqlite-turns.js";

/** Statements on an open database, which run at once: SQLite does not wait for a network. */
export interface SqliteStatements {
  run(sql: string, ...values: SqliteValue[]): void;
  get(sql: string, ...values: SqliteValue[]): Readonly<Record<string, unknown>> | undefined;
  all(sql: string, ...values: SqliteValue[]): readonly Readonly<Record<string, unknown>>[];
}

/** What is to be written, and its caller; it may run again in another transaction. */
interface Write {
  /** Returns what tells the caller, once the transaction has ended. */
  readonly run: (sql: SqliteStatements) => () => void;
  readonly reject: (reason: unknown) => void;
}

/** A database with its tables, opened when it is first used. A lock of another process is waited for, within the deadline. */
export class SqliteDatabase {
  readonly #retry: Retry;
  readonly #prepared = new Map<string, SqliteStatement>();
  readonly #waiting: Write[] = [];
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

  /**
   * Runs statements as one transaction, together with what others write at this moment: its end is most of
   * what a short transaction takes. If it fails, each has one of its own, so that nobody fails for another.
   */
  write<T>(work: (sql: SqliteStatements) => T): Promise<T> {
    return new Promise((resolve, reject: (reason: unknown) => void) => {
      const run = (sql: SqliteStatements) => {
        const outcome = work(sql);
        return () => {
          resolve(outcome);
        };
      };
      if (this.#waiting.push({ run, reject }) > 1) return;
      setImmediate(() => void this.#writeTogether(this.#waiting.splice(0)));
    });
  }

  async #writeTogether(writes: readonly Write[]): Promise<void> {
    let settle: readonly (() => void)[];
    try {
      settle = await this.read((sql) => {
        sql.run("BEGIN IMMEDIATE");
        return endTransaction(
          () => runForOneTurn(writes, sql),
          (end) => {
            sql.run(end);
          },
        );
      });
    } catch (error) {
      if (writes.length > 1 && !(error instanceof StoreUnreachableError)) {
        await Promise.all(writes.map((write) => this.#writeTogether([write])));
      } else for (const { reject } of writes) reject(error);
      return;
    }
    for (const settleOne of settle) settleOne();
    const rest = writes.slice(settle.length);
    if (rest.length > 0) await this.#writeTogether(rest);
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
    // A client that its owner has closed may still run what it prepared, and prepare nothing more:
    // what it begins it must be able to end, or it locks the database for everybody else.
    for (const end of ["COMMIT", "ROLLBACK"]) prepared(end);
    return {
      run: (sql, ...values) => void prepared(sql).run(...values),
      get: (sql, ...values) => prepared(sql).get(...values) as Record<string, unknown> | undefined,
      all: (sql, ...values) => prepared(sql).all(...values) as Record<string, unknown>[],
    };
  }
}

/** The first ones, for as long as they may block the event loop. */
function runForOneTurn(writes: readonly Write[], sql: SqliteStatements): (() => void)[] {
  const startedAt = performance.now();
  const settle: (() => void)[] = [];
  for (const { run } of writes) {
    settle.push(run(sql));
    if (performance.now() - startedAt >= MAX_TURN_MS) break;
  }
  return settle;
}

async function openClient(source: SqliteSource): Promise<SqliteClient> {
  const client = typeof source === "function" ? await source() : source;
  client.prepare("PRAGMA journal_mode = WAL").get();
  // What is removed is overwritten with zeros.
  client.prepare("PRAGMA secure_delete = ON").get();
  migrateSqlite(client);
  return client;
}
