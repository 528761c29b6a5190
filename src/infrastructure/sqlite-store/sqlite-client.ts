/** What SQLite can hold. */
export type SqliteValue = string | number | Uint8Array;

/** A prepared statement, as the clients of SQLite have it. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): unknown;
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
}

/** A connection of `better-sqlite3`, `libsql` or `node:sqlite`, by the two methods that are used. */
export interface SqliteClient {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

/** A connection, or a function that opens one when it is first needed. */
export type SqliteSource = SqliteClient | (() => Promise<SqliteClient>);

/** Whether another connection was writing. */
export function isBusy(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return (
    (typeof code === "string" && /^SQLITE_(?:BUSY|LOCKED)/.test(code)) ||
    /database (?:table )?is locked|database schema is locked/.test(String(message))
  );
}

/** A blob as bytes; `libsql` returns an `ArrayBuffer`. */
export function bytesOfBlob(blob: unknown): Uint8Array {
  return blob instanceof ArrayBuffer ? new Uint8Array(blob) : (blob as Uint8Array);
}
