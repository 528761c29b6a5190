import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createOffloader, createWorkspace } from "../../src/index.js";
import { objectStore, postgresMetadata, postgresStore } from "../../src/stores.js";
import { BUCKET, startObjects } from "../support/real-objects.js";
import { startPostgres, type RealPostgres } from "../support/real-postgres.js";

let server: RealPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.end());

const JANE = "user-jane.doe@example.com";
const MARKS = ["CONTENTMARK", "METAMARK", "INPUTMARK", "lookup_patient", "jane.doe", "call_jane"];

function openPool(): pg.Pool {
  const pool = new pg.Pool({ connectionString: server.url, max: 4 });
  pool.on("error", () => undefined);
  onTestFinished(() => pool.end());
  return pool;
}

/** Everything in the tables, as a dump has it. */
async function dump(pool: pg.Pool): Promise<string> {
  const tables = await pool.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE tablename LIKE 'context_offload_%'",
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await pool.query<Record<string, unknown>>(`SELECT * FROM ${name}`);
    for (const row of rows) {
      const values = Object.values(row).map((value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString() : JSON.stringify(value),
      );
      texts.push(values.join("\t"));
    }
  }
  return texts.join("\n");
}

async function findMarks(pool: pg.Pool): Promise<string[]> {
  const text = await dump(pool);
  return MARKS.filter((mark) => text.includes(mark));
}

const MESSAGES = [
  {
    role: "assistant",
    content: [
      { type: "tool_use", id: "toolu_1", name: "lookup_patient", input: { name: "INPUTMARK" } },
    ],
  },
  {
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "toolu_1",
        content: "CONTENTMARK diagnosis\n".repeat(2_000),
      },
    ],
  },
];

async function fill(namespace: string, encryption?: { key: Uint8Array }) {
  const pool = openPool();
  const store = postgresStore(pool);
  const workspace = createWorkspace({ store, namespace, encryption });
  const offloader = createOffloader({ workspace, sessionId: JANE, format: "anthropic" });
  const { messages } = await offloader.offload(MESSAGES);
  const metadata = { customer: "METAMARK jane.doe@example.com" };
  const put = { content: "CONTENTMARK x", metadata };
  const { record } = await workspace.put(put, { toolCallId: "call_jane", sessionId: JANE });
  await workspace.put({ content: "of the parent" }, { toolCallId: "p", sessionId: "parent" });
  await workspace.put(
    { content: "of a child" },
    { toolCallId: "c", sessionId: JANE, parentSessionId: "parent" },
  );
  return { pool, workspace, offloader, messages, record };
}

describe("what is removed from PostgreSQL", () => {
  it("leaves nothing but its id and the digits that a reference shows", async () => {
    const { pool, workspace, offloader, messages, record } = await fill("removed");
    expect(await workspace.removeSession(JANE)).toEqual({ artifacts: 3 });
    expect(await findMarks(pool)).toEqual(["jane.doe", "call_jane"]);
    expect(await dump(pool)).not.toContain(record.hash);
    await expect(offloader.restore(messages)).rejects.toMatchObject({ code: "ARTIFACT_GONE" });
    for (const scope of [{}, { sessionId: JANE }]) {
      const read = workspace.getOriginal("call_jane", scope);
      await expect(read).rejects.toMatchObject({ code: "ARTIFACT_GONE" });
    }
    await workspace.purge({ wholeNamespace: true });
  });

  it("is known by a process without the key, too", async () => {
    const { pool, workspace, messages } = await fill("sealed", { key: new Uint8Array(32) });
    await workspace.removeSession(JANE);
    const keyless = createWorkspace({
      ...{ store: postgresStore(pool), namespace: "sealed" },
      encryption: { key: new Uint8Array(32).fill(1) },
    });
    const offloader = createOffloader({
      ...{ workspace: keyless, sessionId: JANE, format: "anthropic" as const },
    });
    await expect(offloader.restore(messages)).rejects.toMatchObject({ code: "ARTIFACT_GONE" });
    await workspace.purge({ wholeNamespace: true });
  });

  it("is forgotten when its tombstone ends, and the session with it", async () => {
    const { pool, workspace, offloader, messages } = await fill("ended");
    await workspace.removeSession(JANE);
    const long = "2020-01-01T00:00:00.000Z";
    await pool.query(
      `UPDATE context_offload_artifacts SET created = $1,
        record = regexp_replace(record, '"until" ?: ?"[^"]*"', '"until":"' || $1 || '"')
      WHERE namespace = 'ended' AND removed`,
      [long],
    );
    await pool.query("UPDATE context_offload_sessions SET last_seq = 1");
    const fresh = createWorkspace({ store: postgresStore(pool), namespace: "ended" });
    const other = createOffloader({ workspace: fresh, sessionId: JANE, format: "anthropic" });
    expect(await other.restore(messages)).toEqual(messages);
    await fresh.verify();
    expect(await findMarks(pool)).toEqual(["jane.doe"]);
    const { rows } = await pool.query(
      "SELECT session FROM context_offload_sessions WHERE namespace = 'ended'",
    );
    expect(rows).toEqual([{ session: "parent" }]);
    expect(await offloader.restore(messages)).toEqual(messages);
    await workspace.purge({ wholeNamespace: true });
  });

  it("leaves nothing at all if it is purged", async () => {
    const { pool, workspace, offloader, messages } = await fill("purged");
    expect(await workspace.purge({ sessionId: JANE })).toEqual({ artifacts: 3 });
    expect(await findMarks(pool)).toEqual([]);
    expect(await offloader.restore(messages)).toEqual(messages);
    expect(await workspace.getOriginal("p", { sessionId: "parent" })).toBe("of the parent");
    // The session can be used again, also by whoever knew it.
    await workspace.put({ content: "again" }, { toolCallId: "a", sessionId: JANE });
    const { artifacts } = await workspace.queryArtifacts({}, { sessionId: JANE });
    expect(artifacts.map(({ artifactId }) => artifactId)).toEqual(["a"]);
    expect((await offloader.offload(MESSAGES)).messages).toEqual(messages);
    expect(await workspace.purge({ wholeNamespace: true })).toEqual({ artifacts: 3 });
    expect(await dump(pool)).not.toContain("purged");
  });

  it("is gone from object storage, in a handful of requests and statements", async () => {
    const objects = await startObjects();
    onTestFinished(() => objects.end());
    const pool = openPool();
    let statements = 0;
    const counted = {
      connect: (callback: Parameters<typeof pool.connect>[0]) => {
        statements++;
        pool.connect(callback);
      },
    };
    const client = objects.client();
    const sent: string[] = [];
    client.middlewareStack.add((next, { commandName }) => {
      return (args) => {
        sent.push(String(commandName));
        return next(args);
      };
    });
    const store = objectStore({ client, bucket: BUCKET, metadata: postgresMetadata(counted) });
    const workspace = createWorkspace({ store, namespace: "batch" });
    const ids = Array.from({ length: 200 }, (_, index) => `call_${index.toString()}`);
    const put = (id: string) =>
      workspace.put({ content: `content of ${id}` }, { toolCallId: id, sessionId: "s" });
    for (const id of ids) await put(id);
    sent.length = 0;
    // What is stored already is not uploaded again.
    await put("call_7");
    expect(sent.filter((name) => /^(?:Put|Upload|Create)/.test(name))).toEqual([]);
    sent.length = 0;
    statements = 0;
    expect(await workspace.removeSession("s")).toEqual({ artifacts: 200 });
    // One of them removes; the others forget what the ledger holds of the session.
    expect(statements).toBeLessThan(10);
    // The server of the tests may fail at several objects of one folder, and is asked again.
    expect(new Set(sent)).toEqual(new Set(["DeleteObjectsCommand"]));
    expect(sent.length).toBeLessThan(6);
    const { Contents = [] } = await client.listObjectsV2({ Bucket: BUCKET });
    expect(Contents).toEqual([]);
  });
});
