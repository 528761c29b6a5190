/**
 * The processes of bench/stores.mjs, where nothing else has filled the memory:
 *
 *   node bench/stores-process.mjs put <store> <name> <count>
 *   node bench/stores-process.mjs list sqlite:<path> or postgres://…
 *   node bench/stores-process.mjs objects <folder>
 */
import Database from "libsql";
import pg from "pg";
import S3rver from "s3rver";
import { createWorkspace } from "context-offload";
import { postgresStore, sqliteStore } from "context-offload/stores";
import { percentile } from "./harness.mjs";

const SIZES = { small: 10_000, large: Number(process.env["LARGE"] ?? 1_000_000) };
const PER_SESSION = 100;
const PAGE = 50;
const LISTINGS = 500;
const ROUNDS = 9;

/**
 * @typedef {object} Filled
 * @property {import("context-offload").OpenStore} open
 * @property {(namespace: string, count: number) => void | Promise<void>} insert
 * @property {() => unknown} close
 */

const [task, store = "", ...rest] = process.argv.slice(2);
if (task === "objects") await serveObjects(store);
else await (task === "put" ? waitAndPut(...rest) : listAll());

/** An object storage of its own, whose descriptors and time are not those of who uses it. @param {string} directory */
async function serveObjects(directory) {
  const server = new S3rver({
    ...{ address: "127.0.0.1", port: 0, silent: true, directory },
    configureBuckets: [{ name: "bench", configs: [] }],
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (await server.run());
  process.once("disconnect", () => process.exit());
  process.send?.(`http://127.0.0.1:${port}`);
}

/** One of four processes that put 10 kB at a time, when told to. */
async function waitAndPut(name = "", count = "") {
  const workspace = createWorkspace({ store });
  const line = "2026-01-02T03:04:05Z INFO request 8f14e45f served in 12 ms\n";
  const put = (/** @type {number} */ index) =>
    workspace.put(
      { content: `${name} ${index}\n${line.repeat(170)}` },
      { toolCallId: `call_${index}`, sessionId: name },
    );
  // The tables, the connection and the code are not what is measured.
  await put(-1);
  process.send?.("ready");
  process.once("message", async () => {
    for (let index = 0; index < Number(count); index++) await put(index);
    await workspace.close();
    process.exit(0);
  });
}

/** A listing by session in namespaces of 10,000 and 1,000,000 artifacts. */
async function listAll() {
  const filled = store.startsWith("sqlite:")
    ? await fillSqlite(store.slice("sqlite:".length))
    : await fillPostgres(store);
  /** @type {import("./harness.mjs").Listings} */
  const listings = {};
  for (const [namespace, count] of Object.entries(SIZES)) {
    await filled.insert(namespace, count);
    /** @type {number[][]} */
    const rounds = [];
    for (let round = 0; round <= ROUNDS; round++) {
      rounds.push(await measureRound(filled, namespace, round));
    }
    // The first round compiles the code and fills the caches.
    const of = (/** @type {50 | 99} */ share) =>
      percentile(
        rounds.slice(1).map((times) => percentile(times, share)),
        50,
      );
    listings[namespace] = { count, p50: of(50), p99: of(99) };
  }
  await filled.close();
  process.send?.(listings);
}

/** @param {Filled} filled @param {string} namespace @param {number} round */
async function measureRound(filled, namespace, round) {
  const sessions = SIZES[/** @type {keyof typeof SIZES} */ (namespace)] / PER_SESSION;
  const times = [];
  for (let index = 0; index < LISTINGS; index++) {
    const sessionId = `session-${((index + round * LISTINGS) * 7_919) % sessions}`;
    const begin = performance.now();
    const page = await filled.open(namespace).query?.({ sessionId, limit: PAGE });
    times.push(performance.now() - begin);
    if (page?.artifacts.length !== PAGE) throw new Error(`no page of ${sessionId}`);
  }
  return times;
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
    metadata: {
      ...{ context_type: "tool_result", tool_name: "read_log", task_id: null },
      ...{ biz_id: artifact, session_id: session },
    },
    location: "0".repeat(32),
  });
}

/** @param {string} path @returns {Promise<Filled>} */
async function fillSqlite(path) {
  const database = new Database(path);
  const open = sqliteStore(database);
  await open("small").sessions();
  const insert = (/** @type {string} */ namespace, /** @type {number} */ count) => {
    const statement = database.prepare(
      `INSERT INTO context_offload_artifacts
          (namespace, session, artifact, changed, created, context, bytes, location, record)
        VALUES (?, ?, ?, ?, '2026-01-02T03:04:05.678Z', 'tool_result', 10000, '', ?)`,
    );
    database.exec("BEGIN");
    for (let index = 0; index < count; index++) {
      const session = `session-${Math.floor(index / PER_SESSION)}`;
      const seq = (index % PER_SESSION) + 1;
      statement.run(namespace, session, `call_${seq}`, seq, recordOf(session, `call_${seq}`));
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
        (namespace, session, artifact, changed, removed, created, bytes, shown, location, record, metadata)
      SELECT $1, 'session-' || n / ${PER_SESSION}, 'call_' || n % ${PER_SESSION},
        n % ${PER_SESSION} + 1, false, '2026-01-02T03:04:05.678Z', 10000, '00000000', '${"0".repeat(32)}',
        replace(replace($2, 'SESSION', 'session-' || n / ${PER_SESSION}), 'CALL', 'call_' || n % ${PER_SESSION}),
        jsonb_build_object($1::text, jsonb_build_object('context_type', 'tool_result',
          'tool_name', 'read_log', 'task_id', null))
      FROM generate_series(0, $3::integer - 1) AS n`,
      [namespace, recordOf("SESSION", "CALL"), count],
    );
    await pool.query("VACUUM ANALYZE context_offload_artifacts");
    // What is written back later is the work of filling the table, not of the listing.
    await pool.query("CHECKPOINT");
  };
  return { open, insert, close: () => pool.end() };
}
