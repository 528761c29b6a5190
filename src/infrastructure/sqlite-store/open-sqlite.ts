import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { loadPackage } from "../load-package.js";
import type { SqliteClient } from "./sqlite-client.js";

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
