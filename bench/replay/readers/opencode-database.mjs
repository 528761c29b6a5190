import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { itemsOfOpenCode } from "./opencode.mjs";
import { UnreadableHereError } from "./unreadable-here-error.mjs";

/**
 * The sessions in the database of OpenCode. A copy of it is read: to open one that another program writes to makes
 * files beside it.
 *
 * @param {string} path
 * @returns {Promise<{ name: string, items: import("../conversation.mjs").Item[] }[]>}
 */
export async function readOpenCodeDatabase(path) {
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

/** @param {any} database */
function sessionsOf(database) {
  /** @type {{ id: string, session_id: string, data: string }[]} */
  const messages = database
    .prepare("SELECT id, session_id, data FROM message ORDER BY session_id, time_created, id")
    .all();
  const parts = database.prepare("SELECT data FROM part WHERE message_id = ? ORDER BY id");
  /** @type {Map<string, any[]>} */
  const sessions = new Map();
  for (const { id, session_id, data } of messages) {
    const own = parts.all(id).map((/** @type {{ data: string }} */ row) => JSON.parse(row.data));
    const session = sessions.get(session_id) ?? [];
    session.push({ ...JSON.parse(data), parts: own });
    sessions.set(session_id, session);
  }
  return [...sessions].map(([name, found]) => ({ name, items: itemsOfOpenCode(found) }));
}

/** The first client that is installed; Node 22 and later bring one. @returns {Promise<any>} */
async function findSqlite() {
  for (const name of ["node:sqlite", "libsql", "better-sqlite3"]) {
    const loaded = await import(name).catch(() => undefined);
    if (loaded) return loaded.DatabaseSync ?? loaded.default;
  }
  throw new UnreadableHereError(
    "OpenCode keeps its sessions in SQLite; to read them, use Node 22 or later, or install libsql",
  );
}
