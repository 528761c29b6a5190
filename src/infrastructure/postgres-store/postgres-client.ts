import { isConnectionFailure } from "../joined-store/retry.js";

/** What a statement returned. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
}

/** A connection of a pool. */
export interface PostgresClient {
  query(sql: string, values?: readonly unknown[]): Promise<PostgresResult>;
  /** With an error or `true`, the connection is closed instead of being used again. */
  release(destroy?: Error | boolean): void;
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/** A `Pool` of `pg`, by the methods that are used. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/** A pool, or a function that makes one when it is first needed. */
export type PostgresSource = PostgresPool | (() => Promise<PostgresPool>);

/** Codes of PostgreSQL, and of the system for a socket that is not there yet. */
const TRANSIENT = /^(?:ENOENT|57P0[1-5]|08...|53300|40001|40P01|25006|42P07)$/;
const CUT =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/;

/** Whether another attempt may succeed: the server was not there, or a transaction was rejected. */
export function isPostgresTransient(error: unknown): boolean {
  const { code, message, errors } = (error ?? {}) as {
    code?: unknown;
    message?: unknown;
    errors?: unknown;
  };
  return (
    isConnectionFailure(code) ||
    (typeof code === "string" && TRANSIENT.test(code)) ||
    CUT.test(String(message)) ||
    (Array.isArray(errors) && errors.some(isPostgresTransient))
  );
}
