import { isConnectionFailure } from "../joined-store/retry.js";

/** What a statement returned. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
}

/** A statement that a connection parses and plans once, and knows by this name from then on. */
export interface PostgresStatement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** A connection, as far as statements go. */
export interface PostgresConnection {
  query(sql: string | PostgresStatement, values?: readonly unknown[]): Promise<PostgresResult>;
}

/** A connection of a pool. */
export interface PostgresClient extends PostgresConnection {
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/** Gives a connection back. With an error or `true`, it is closed instead of being used again. */
export type PostgresRelease = (destroy?: Error | boolean) => void;

/** A `Pool` of `pg`, by the methods that are used. */
export interface PostgresPool {
  /** With a callback, which is called before anything else that the server has sent is looked at. */
  connect(
    callback: (
      error: Error | undefined,
      client: PostgresClient | undefined,
      release: PostgresRelease,
    ) => void,
  ): void;
  /** How many wait for a connection that others have. */
  readonly waitingCount?: number;
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/** A pool, or a function that makes one when it is first needed. */
export type PostgresSource = PostgresPool | (() => Promise<PostgresPool>);

/** Codes of PostgreSQL: 57014 is a limit on statements, since nothing here cancels one; 55P03 is one on locks. */
const TRANSIENT = /^(?:57014|55P03|57P0[1-5]|08...|53300|40001|40P01|25006|42P07)$/;
const CUT =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/;

/** Whether a connection does not know a statement that it should know, as behind an older pooler. */
export function isUnprepared(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return code === "26000" || code === "42P05" || code === "0A000";
}

/** Whether another attempt may succeed: the server was not there, or a transaction was rejected. */
export function isPostgresTransient(error: unknown): boolean {
  const { code, message, errors, syscall } = (error ?? {}) as Readonly<Record<string, unknown>>;
  return (
    isConnectionFailure(code) ||
    // A socket that is not there yet, rather than a certificate that is not there at all.
    (code === "ENOENT" && syscall === "connect") ||
    (typeof code === "string" && TRANSIENT.test(code)) ||
    CUT.test(String(message)) ||
    (Array.isArray(errors) && errors.some(isPostgresTransient))
  );
}
