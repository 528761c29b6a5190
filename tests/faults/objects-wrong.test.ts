import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorkspace, type Workspace } from "../../src/index.js";
import { objectStore, sqliteMetadata } from "../../src/stores.js";
import { BUCKET, clientOf, startObjects, type RealObjects } from "../support/real-objects.js";
import { rejectionOf } from "../support/rejection.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { startFaultyHttp, type Fault } from "../support/unreliable-proxy.js";

let server: RealObjects;
beforeAll(async () => {
  server = await startObjects();
});
afterAll(() => server.end());

const SESSION = { sessionId: "s" };
const CONTENTS = { short: "a short text", long: "a long text ".repeat(50_000), empty: "" };
let runs = 0;

async function fill(): Promise<(changes?: { endpoint?: string; bucket?: string }) => Workspace> {
  const path = join(await makeTempFolder(), "metadata.db");
  const prefix = `wrong-${(runs++).toString()}/`;
  const open = ({ endpoint = server.endpoint, bucket = BUCKET } = {}) =>
    createWorkspace({
      store: objectStore({
        ...{ client: clientOf(endpoint), bucket, prefix, deadlineMs: 1_500 },
        metadata: sqliteMetadata(new Database(path)),
      }),
    });
  for (const [toolCallId, content] of Object.entries(CONTENTS)) {
    await open().put({ content }, { toolCallId, ...SESSION });
  }
  return open;
}

async function throughProxy(fault: (incoming: IncomingMessage) => Fault): Promise<string> {
  const { port } = await startFaultyHttp(Number(new URL(server.endpoint).port), fault);
  return `http://127.0.0.1:${port.toString()}`;
}

describe("object storage", () => {
  it("with a bucket that does not exist says so, and of no artifact that it is gone", async () => {
    const open = await fill();
    const workspace = open({ bucket: "another" });
    for (const id of Object.keys(CONTENTS)) {
      const error = await rejectionOf(workspace.getOriginal(id, SESSION));
      expect(error.code).toBe("READ_FAILED");
      expect(error.message).toContain("s3://another");
    }
    const verifying = await rejectionOf(workspace.verify({ deleteOrphans: true }));
    expect(verifying.code).toBe("READ_FAILED");
    const put = workspace.put({ content: "x" }, { toolCallId: "new", ...SESSION });
    expect((await rejectionOf(put)).code).toBe("WRITE_FAILED");
    expect(await open().verify()).toMatchObject({ artifacts: 3, damaged: [], missing: [] });
  });

  it("that has lost an object says that it is gone", async () => {
    const open = await fill();
    const { artifacts } = await open().queryArtifacts({}, SESSION);
    const client = server.client();
    for (const { location } of artifacts) {
      const Key = `wrong-${(runs - 1).toString()}/default/${location}/content`;
      await client.deleteObject({ Bucket: BUCKET, Key });
    }
    for (const id of Object.keys(CONTENTS)) {
      const error = await rejectionOf(open().getOriginal(id, SESSION));
      expect(error.code).toBe("ARTIFACT_GONE");
    }
    expect((await open().verify()).missing).toHaveLength(3);
    expect((await open().verify({ content: false })).missing).toHaveLength(3);
  });

  it("behind a proxy that answers 404 itself has lost nothing", async () => {
    const open = await fill();
    const workspace = open({ endpoint: await throughProxy(() => 404) });
    for (const id of Object.keys(CONTENTS)) {
      expect((await rejectionOf(workspace.getOriginal(id, SESSION))).code).toBe("READ_FAILED");
    }
  });

  it("behind a proxy that cuts bodies is read again, and damages nothing", async () => {
    const open = await fill();
    let requests = 0;
    const often = await throughProxy(() => (++requests % 2 === 1 ? "cut body" : undefined));
    for (const [id, content] of Object.entries(CONTENTS)) {
      expect(await open({ endpoint: often }).getOriginal(id, SESSION)).toBe(content);
    }
    const always = open({ endpoint: await throughProxy(() => "cut body") });
    for (const id of ["short", "long"]) {
      const error = await rejectionOf(always.getOriginal(id, SESSION));
      expect(error.code).toBe("STORE_UNREACHABLE");
    }
  });

  it("finds what puts that never ended have left, without reading what is there", async () => {
    const open = await fill();
    const client = server.client();
    const Key = `wrong-${(runs - 1).toString()}/default/${"0".repeat(32)}/content`;
    await client.putObject({ Bucket: BUCKET, Key, Body: "left" });
    let reads = 0;
    const endpoint = await throughProxy(({ method, url = "" }) => {
      if (method === "GET" && !url.includes("list-type")) reads++;
      return undefined;
    });
    const options = { content: false, deleteOrphans: true, orphanAgeMs: 0 };
    const report = await open({ endpoint }).verify(options);
    expect(report).toMatchObject({ artifacts: 3, missing: [], deleted: ["0".repeat(32)] });
    expect(reads).toBe(0);
  });

  it("is verified in parts, which together are all of it", async () => {
    const open = await fill();
    const Key = `wrong-${(runs - 1).toString()}/default/${"0".repeat(32)}/content`;
    await server.client().putObject({ Bucket: BUCKET, Key, Body: "left" });
    let artifacts = 0;
    let after: string | undefined;
    const deleted: string[][] = [];
    do {
      const options = { limit: 2, after, deleteOrphans: true, orphanAgeMs: 0 };
      const report = await open().verify(options);
      artifacts += report.artifacts;
      deleted.push([...report.deleted]);
      after = report.next;
    } while (after !== undefined);
    expect(artifacts).toBe(3);
    // What has no record can be told at the end alone.
    expect(deleted).toEqual([[], ["0".repeat(32)]]);
  });
});
