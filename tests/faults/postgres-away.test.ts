import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createWorkspace, type Workspace } from "../../src/index.js";
import { postgresStore } from "../../src/stores.js";
import { startPostgres, type RealPostgres } from "../support/real-postgres.js";
import { rejectionOf } from "../support/rejection.js";
import { startCuttingProxy } from "../support/unreliable-proxy.js";

const PROGRAM = fileURLToPath(new URL("../support/put-in-child.mjs", import.meta.url));
const PROCESSES = 4;
const EACH = 250;

let server: RealPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.end());

interface Given {
  readonly id: string;
  readonly sessionId: string;
  readonly content: string;
}

/** Every reference that was given out reads exactly, and nothing exists twice. */
async function expectExact(workspace: Workspace, given: readonly Given[]): Promise<void> {
  for (let at = 0; at < given.length; at += 50) {
    const some = given.slice(at, at + 50);
    const read = some.map(({ id, sessionId }) => workspace.getOriginal(id, { sessionId }));
    expect(await Promise.all(read)).toEqual(some.map(({ content }) => content));
  }
  const { artifacts } = await workspace.queryArtifacts({}, { limit: 10_000 });
  const listed = artifacts.map(({ sessionId, artifactId }) => `${sessionId}/${artifactId}`);
  expect(listed.sort()).toEqual(given.map(({ sessionId, id }) => `${sessionId}/${id}`).sort());
  expect(await workspace.verify()).toMatchObject({ damaged: [], missing: [] });
}

describe("PostgreSQL", () => {
  it("is stopped in the middle of 1,000 offloads from four processes, and started again", async () => {
    const given: Given[] = [];
    const failures: unknown[] = [];
    let isHalfway: () => void = () => undefined;
    const halfway = new Promise<void>((resolve) => (isHalfway = resolve));
    const children = Array.from({ length: PROCESSES }, (_, index) => {
      const args = [PROGRAM, server.url, "stopped", `p${index.toString()}`, EACH.toString()];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      createInterface({ input: child.stdout }).on("line", (line) => {
        const outcome = JSON.parse(line) as Given | { error: string };
        if ("error" in outcome) failures.push(outcome);
        else given.push(outcome);
        if (given.length === 300) isHalfway();
      });
      return once(child, "close");
    });
    await halfway;
    await server.stop();
    expect(given.length).toBeLessThan(PROCESSES * EACH);
    await server.start();
    await Promise.all(children);
    expect(failures).toEqual([]);
    expect(given).toHaveLength(PROCESSES * EACH);
    const workspace = createWorkspace({ store: server.url, namespace: "stopped" });
    await expectExact(workspace, given);
    await workspace.close();
  });

  it("loses answers and connections: what was put exists once and reads exactly", async () => {
    let answers = 0;
    const { port } = await startCuttingProxy(
      Number(new URL(server.url).port),
      () => ++answers % 9 === 0,
    );
    const url = new URL(server.url);
    url.port = port.toString();
    const pool = new pg.Pool({ connectionString: url.href, max: 3 });
    onTestFinished(() => pool.end());
    const workspace = createWorkspace({ store: postgresStore(pool), namespace: "cut" });
    const given = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const content = `content ${index.toString()} `.repeat(20_000);
        const [toolCallId, sessionId] = [`call_${index.toString()}`, `s${(index % 3).toString()}`];
        const { record } = await workspace.put({ content }, { toolCallId, sessionId });
        return { id: record.artifactId, sessionId, content };
      }),
    );
    expect(given.map(({ id }) => id)).toEqual(given.map((_, index) => `call_${index.toString()}`));
    await expectExact(createWorkspace({ store: server.url, namespace: "cut" }), given);
  });

  it("that never answers is given up at the deadline, by name and without its password", async () => {
    const { port } = await startCuttingProxy(Number(new URL(server.url).port), () => true);
    const url = new URL(server.url);
    url.port = port.toString();
    const pool = new pg.Pool({ connectionString: url.href, max: 2 });
    onTestFinished(() => pool.end());
    const limits = { deadlineMs: 1_000, attemptMs: 200 };
    const workspace = createWorkspace({
      store: postgresStore(pool, { ...limits, name: "the agents' database" }),
    });
    const error = await rejectionOf(
      workspace.put({ content: "x" }, { sessionId: "default", toolCallId: "c" }),
    );
    expect(error.code).toBe("STORE_UNREACHABLE");
    expect(error.message).toMatch(/the agents' database in \d+ attempts/);
    expect(`${error.message}${JSON.stringify(error)}`).not.toContain(url.password);
  });

  it("is set up once by hosts that start at once", async () => {
    const admin = new pg.Pool({ connectionString: server.url });
    // The server is stopped while this connection is still being closed.
    admin.on("error", () => undefined);
    await admin.query("CREATE DATABASE fresh");
    const url = new URL(server.url);
    url.pathname = "/fresh";
    const workspaces = Array.from({ length: 8 }, () => createWorkspace({ store: url.href }));
    await Promise.all(
      workspaces.map((workspace, index) =>
        workspace.put(
          { content: `host ${index.toString()}` },
          { sessionId: "default", toolCallId: `c${index.toString()}` },
        ),
      ),
    );
    expect((await workspaces[0]?.queryArtifacts())?.artifacts).toHaveLength(8);
    for (const workspace of workspaces) await workspace.close();
    await admin.end();
  });
});
