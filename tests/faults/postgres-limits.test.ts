import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createWorkspace } from "../../src/index.js";
import { postgresStore } from "../../src/stores.js";
import { startPostgres, type RealPostgres } from "../support/real-postgres.js";
import { rejectionOf } from "../support/rejection.js";
import { startCuttingProxy } from "../support/unreliable-proxy.js";

const PROGRAM = fileURLToPath(new URL("../support/put-in-child.mjs", import.meta.url));
const SESSION = { sessionId: "s" };

let server: RealPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.end());

function openPool(options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: server.url, ...options });
  pool.on("error", () => undefined);
  onTestFinished(() => pool.end());
  return pool;
}

function urlAt(port: number): string {
  const url = new URL(server.url);
  url.port = port.toString();
  return url.href;
}

/** What a server sends that ends a connection: 57P01. */
function farewell(): Buffer {
  const fields = Buffer.from("SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0");
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Ends the first connections in the packet that says that they are ready. */
async function startFarewellProxy(serverPort: number, count: number): Promise<number> {
  let left = count;
  const proxy = createServer((client) => {
    const upstream = connect(serverPort, "127.0.0.1");
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", cut).on("close", cut);
    client.pipe(upstream);
    upstream.on("data", (data) => {
      if (left > 0 && data.includes(READY)) {
        left--;
        client.end(Buffer.concat([data, farewell()]));
        upstream.destroy();
      } else client.write(data);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  return (proxy.address() as AddressInfo).port;
}

describe("PostgreSQL", () => {
  it("that ends connections as they become ready ends no process", async () => {
    const url = urlAt(await startFarewellProxy(server.port, 3));
    const child = spawn(process.execPath, [PROGRAM, url, "farewell", "p", "5"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const lines: unknown[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
    const [code] = (await once(child, "close")) as [number];
    expect({ code, lines }).toMatchObject({
      code: 0,
      lines: Array.from({ length: 5 }, (_, index) => ({ id: `call_${index.toString()}` })),
    });
  });

  it("whose pool was busy for longer than an attempt keeps its healthy connections", async () => {
    const pool = openPool({ max: 4 });
    const attemptMs = 1_000;
    const workspace = createWorkspace({ store: postgresStore(pool, { attemptMs }) });
    await workspace.put({ content: "first" }, { toolCallId: "first", ...SESSION });
    const busy = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
    let made = 0;
    pool.on("connect", () => made++);
    const puts = Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const toolCallId = `p${index.toString()}`;
        return workspace.put({ content: toolCallId }, { toolCallId, sessionId: toolCallId });
      }),
    );
    // Nearly at the end of an attempt: a statement must not get only what is left of it.
    await new Promise((resolve) => setTimeout(resolve, 2.95 * attemptMs));
    const { waitingCount } = pool;
    for (const client of busy) client.release();
    expect(await puts).toHaveLength(50);
    expect(made).toBe(0);
    // Each had kept its place: one that was left would have stood in the queue still.
    expect(waitingCount).toBe(50);
    expect(pool.waitingCount).toBe(0);
  });

  it("is waited for as long as the deadline says, however many attempts that takes", async () => {
    let cut = 0;
    const { port } = await startCuttingProxy(server.port, () => ++cut <= 14);
    const pool = openPool({ connectionString: urlAt(port) });
    const workspace = createWorkspace({ store: postgresStore(pool), namespace: "patient" });
    await workspace.put({ content: "x" }, { toolCallId: "t", ...SESSION });
    expect(cut).toBeGreaterThan(14);
    expect(await workspace.getOriginal("t")).toBe("x");
  });

  it("takes the deadline from a connection string, too", async () => {
    const { port } = await startCuttingProxy(server.port, () => true);
    const url = new URL(urlAt(port));
    url.search = new URLSearchParams({ deadlineMs: "300", attemptMs: "100" }).toString();
    const workspace = createWorkspace({ store: url.href });
    const begin = performance.now();
    const put = workspace.put({ content: "x" }, { toolCallId: "t", ...SESSION });
    expect((await rejectionOf(put)).code).toBe("STORE_UNREACHABLE");
    expect(performance.now() - begin).toBeLessThan(10_000);
    await workspace.close();
    for (const search of ["deadlineMs=soon", "deadlineMs=0", "attemptMs=-1"]) {
      url.search = search;
      expect(() => createWorkspace({ store: url.href })).toThrow(/deadlineMs|attemptMs/);
    }
  });

  it.each(["statement_timeout=200", "lock_timeout=200"])(
    "that gives up a statement by its %s is asked again",
    async (limit) => {
      const store = postgresStore(openPool({ options: `-c ${limit}` }));
      const workspace = createWorkspace({ store, namespace: limit });
      await workspace.put({ content: "first" }, { toolCallId: "first", ...SESSION });
      const other = await openPool().connect();
      await other.query("BEGIN");
      await other.query("SELECT FROM context_offload_sessions WHERE namespace = $1 FOR UPDATE", [
        limit,
      ]);
      const put = workspace.put({ content: "second" }, { toolCallId: "second", ...SESSION });
      await new Promise((resolve) => setTimeout(resolve, 700));
      await other.query("COMMIT");
      other.release();
      await put;
      expect(await workspace.getOriginal("second", SESSION)).toBe("second");
    },
  );

  it("with a certificate that is not there is given up at once", async () => {
    const url = new URL(server.url);
    url.searchParams.set("sslrootcert", "/nowhere/root.pem");
    const workspace = createWorkspace({ store: url.href });
    const error = await rejectionOf(
      workspace.put({ content: "x" }, { toolCallId: "t", ...SESSION }),
    );
    expect(error.code).toBe("WRITE_FAILED");
    expect(error.message).toContain("ENOENT");
    await workspace.close();
  });

  it("finds the chunks of a put that never ended", async () => {
    const pool = openPool();
    const workspace = createWorkspace({ store: postgresStore(pool), namespace: "chunks" });
    await workspace.put({ content: "kept" }, { toolCallId: "kept", ...SESSION });
    const chunks = async () => {
      const sql =
        "SELECT count(*)::integer AS count FROM context_offload_chunks WHERE namespace = 'chunks'";
      return (await pool.query<{ count: number }>(sql)).rows[0]?.count;
    };
    const args = [STREAM, server.url, "chunks"];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "close");
    expect(await chunks()).toBeGreaterThan(10);
    // Its last statement may be running still.
    await expect
      .poll(async () => {
        await workspace.verify({ deleteOrphans: true, orphanAgeMs: 0 });
        return chunks();
      })
      .toBe(1);
    expect(await workspace.getOriginal("kept", SESSION)).toBe("kept");
  });

  it("stops a verification that is aborted", async () => {
    const workspace = createWorkspace({ store: postgresStore(openPool()), namespace: "aborted" });
    await workspace.put({ content: "x" }, { toolCallId: "t", ...SESSION });
    const controller = new AbortController();
    const verifying = workspace.verify({ signal: controller.signal });
    controller.abort();
    await expect(verifying).rejects.toMatchObject({ name: "AbortError" });
  });
});

const STREAM = fileURLToPath(new URL("../support/stream-in-child.mjs", import.meta.url));
