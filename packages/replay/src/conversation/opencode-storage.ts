import { copyFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { opencodeFormat } from "context-offload/formats";
import type { Item } from "./conversation.js";
import { asRecord, parseJson, type JsonRecord } from "./json.js";
import { readMessages } from "./read-messages.js";
import { UnreadableHereError } from "./unreadable-here-error.js";

/**
 * A session that an older OpenCode recorded, by the folder of its messages: each message is a file,
 * and so is each of its parts, in another folder. `undefined` for any other folder.
 *
 * @param folder - `storage/message/<session>`
 */
export async function readOpenCodeFolder(folder: string): Promise<Item[] | undefined> {
  if (basename(dirname(folder)) !== "message") return undefined;
  const storage = dirname(dirname(folder));
  const messages = await readAll(folder);
  const madeAt = (info: JsonRecord) => Number(asRecord(info["time"])["created"] ?? 0);
  messages.sort((a, b) => madeAt(a) - madeAt(b));
  const whole = messages.map(async (info) => ({
    info,
    parts: await readAll(join(storage, "part", String(info["id"]))),
  }));
  return readMessages(opencodeFormat, await Promise.all(whole));
}

/** The objects in a folder, in the order of their names, which is that of their making. */
async function readAll(folder: string): Promise<JsonRecord[]> {
  const names = await readdir(folder).catch(() => []);
  const json = names.filter((name) => name.endsWith(".json")).sort();
  const texts = json.map((name) => readFile(join(folder, name), "utf8"));
  return (await Promise.all(texts)).map((text) => asRecord(parseJson(text)));
}

/**
 * The sessions in the database of a newer OpenCode. A copy of it is read: to open one that another
 * program writes to makes files beside it.
 */
export async function readOpenCodeDatabase(
  path: string,
): Promise<{ readonly name: string; readonly items: Item[] }[]> {
  const Database = await findSqlite();
  const folder = await mkdtemp(join(tmpdir(), "opencode-"));
  const copy = join(folder, "copy.db");
  try {
    await copyFile(path, copy);
    // What was written last is in a log beside it, if it is open.
    await copyFile(`${path}-wal`, `${copy}-wal`).catch(() => undefined);
    const database = new Database(copy);
    try {
      return sessionsOf(database);
    } finally {
      database.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What is used of a SQLite client. */
interface OpenCodeDatabase {
  prepare(sql: string): { all(...values: unknown[]): unknown[] };
  close(): unknown;
}

function sessionsOf(database: OpenCodeDatabase): { name: string; items: Item[] }[] {
  const messages = database
    .prepare("SELECT id, session_id, data FROM message ORDER BY session_id, time_created, id")
    .all() as { id: string; session_id: string; data: string }[];
  const parts = database.prepare("SELECT data FROM part WHERE message_id = ? ORDER BY id");
  const sessions = new Map<string, unknown[]>();
  for (const { id, session_id, data } of messages) {
    const rows = parts.all(id) as { data: string }[];
    const session = sessions.get(session_id) ?? [];
    session.push({ info: parseJson(data), parts: rows.map((row) => parseJson(row.data)) });
    sessions.set(session_id, session);
  }
  return [...sessions].map(([name, found]) => ({
    name,
    items: readMessages(opencodeFormat, found),
  }));
}

type SqliteModule = Readonly<
  Record<"DatabaseSync" | "default", new (path: string) => OpenCodeDatabase>
>;

/** The first client that is installed; Node 22 and later bring one. */
async function findSqlite(): Promise<new (path: string) => OpenCodeDatabase> {
  for (const name of ["node:sqlite", "libsql", "better-sqlite3"]) {
    const loaded = await (import(name) as Promise<Partial<SqliteModule>>).catch(() => undefined);
    const client = loaded?.DatabaseSync ?? loaded?.default;
    if (client) return client;
  }
  throw new UnreadableHereError(
    "OpenCode keeps its sessions in SQLite; to read them, use Node 22 or later, or install libsql",
  );
}
