import { mkdir } from "node:fs/promises";
import { join, dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { PackageMissingError } from "../core/errors/storage-errors.js";
import type { ObjectClient } from "./object-store/object-client.js";
import type { PostgresPool } from "./postgres-store/postgres-client.js";
import type { SqliteClient } from "./sqlite-store/sqlite-client.js";

/**
 * Loads the first of these packages that is installed, beside this package or in the project of the
 * working directory.
 *
 * @throws PackageMissingError if none of them is.
 */
export async function loadPackage(
  ...names: readonly [string, ...string[]]
): Promise<Readonly<Record<string, unknown>>> {
  const failures: unknown[] = [];
  for (const name of names) {
    for (const find of [() => name, findInProject]) {
      try {
        // Not a literal, so that no bundler takes the package along.
        const specifier = await find(name);
        return (await import(/* @vite-ignore */ /* webpackIgnore: true */ specifier)) as Readonly<
          Record<string, unknown>
        >;
      } catch (error) {
        failures.push(error);
      }
    }
  }
  throw new PackageMissingError(names, failures[0]);
}

async function findInProject(name: string): Promise<string> {
  // Imported here: webpack would try to understand the call of one that is imported above.
  const { createRequire } = await import("node:module");
  const project = createRequire(join(process.cwd(), "package.json"));
  return pathToFileURL(project.resolve(name)).href;
}

type OwnClient = ObjectClient & { destroy(): void };

export interface ObjectAddress {
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
}

/** Makes a client with the package `@aws-sdk/client-s3`, with the credentials that its environment gives it. */
export async function openObjects({ endpoint, region }: ObjectAddress): Promise<OwnClient> {
  const { S3 } = (await loadPackage("@aws-sdk/client-s3")) as unknown as {
    S3: new (options: object) => OwnClient;
  };
  return new S3({
    // The store makes further attempts itself.
    maxAttempts: 1,
    // Not every service knows the newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(region === undefined ? {} : { region }),
  });
}

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

type Database = SqliteClient & { close(): unknown };
type DatabaseClass = new (path: string) => Database;

/** How long a statement waits for another process; the rest of the waiting does not block this one. */
const BUSY_MS = 100;

/** Opens a database file with the first client that is installed; Node 22 and later bring one. */
export async function openSqlite(path: string): Promise<Database> {
  const loaded = await loadPackage("libsql", "better-sqlite3", "node:sqlite");
  const Client = (loaded["DatabaseSync"] ?? loaded["default"]) as DatabaseClass;
  if (path !== ":memory:") await mkdir(dirname(path), { recursive: true });
  const database = new Client(path);
  database.prepare(`PRAGMA busy_timeout = ${BUSY_MS}`).get();
  // With a write-ahead log, a commit survives the end of the process without waiting for the disk.
  database.exec("PRAGMA synchronous = NORMAL");
  return database;
}
