import { loadPackage } from "../load-package.js";
import type { PostgresPool } from "./postgres-pool.js";

type OwnPool = PostgresPool & { end(): Promise<void> };
interface PoolOptions {
  readonly connectionString: string;
  readonly connectionTimeoutMillis: number;
  /** Idle connections do not keep the process alive. */
  readonly allowExitOnIdle: boolean;
}
type PoolClass = new (options: PoolOptions) => OwnPool;

const CONNECT_MS = 5_000;

/** Makes a pool with the package `pg`. */
export async function openPostgres(connectionString: string): Promise<OwnPool> {
  const loaded = await loadPackage("pg");
  const { Pool } = (loaded["default"] ?? loaded) as { Pool: PoolClass };
  return new Pool({ connectionString, connectionTimeoutMillis: CONNECT_MS, allowExitOnIdle: true });
}
