import { join } from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
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

let runs = 0;

async function openThrough(
  fault: (count: number) => Fault,
  limits = { deadlineMs: 20_000, attemptMs: 200 },
): Promise<{ faulty: Workspace; sound: Workspace }> {
  let count = 0;
  const { port } = await startFaultyHttp(Number(new URL(server.endpoint).port), () =>
    fault(++count),
  );
  const path = join(await makeTempFolder(), "metadata.db");
  const prefix = `faults-${(runs++).toString()}/`;
  const open = (endpoint: string) =>
    createWorkspace({
      store: objectStore({
        ...limits,
        client: clientOf(endpoint),
        bucket: BUCKET,
        prefix,
        metadata: sqliteMetadata(new Database(path)),
        partBytes: 200_000,
      }),
    });
  return { faulty: open(`http://127.0.0.1:${port.toString()}`), sound: open(server.endpoint) };
}

const contents = [
  ...Array.from({ length: 6 }, (_, index) => `content ${index.toString()} `.repeat(1_000)),
  "in parts ".repeat(100_000),
];

describe("object storage", () => {
  it.each<[string, (count: number) => Fault]>([
    ["answers 500", (count) => (count % 3 === 0 ? 500 : undefined)],
    ["answers 503", (count) => (count % 6 < 3 ? 503 : undefined)],
    ["times out", (count) => (count % 4 === 0 ? "hang" : undefined)],
    ["stores, but its answer is lost", (count) => (count % 2 === 0 ? "lose answer" : undefined)],
  ])("that %s: what was put exists once and reads exactly", async (_what, fault) => {
    const { faulty, sound } = await openThrough(fault);
    for (const [index, content] of contents.entries()) {
      const { record } = await faulty.put(
        { content },
        { sessionId: "default", toolCallId: `c${index.toString()}` },
      );
      expect(record.artifactId).toBe(`c${index.toString()}`);
      expect(await faulty.getOriginal(record.artifactId)).toBe(content);
    }
    for (const [index, content] of contents.entries()) {
      expect(await sound.getOriginal(`c${index.toString()}`)).toBe(content);
    }
    const report = await sound.verify();
    expect(report).toMatchObject({ artifacts: contents.length, damaged: [], missing: [] });
  });

  it.each<[string, Fault]>([
    ["is down", 503],
    ["never answers", "hang"],
  ])("that %s is given up, by name, and nothing is listed", async (_what, fault) => {
    const { faulty, sound } = await openThrough(() => fault, {
      deadlineMs: 1_000,
      attemptMs: 200,
    });
    const error = await rejectionOf(
      faulty.put({ content: "x" }, { sessionId: "default", toolCallId: "c" }),
    );
    expect(error.code).toBe("STORE_UNREACHABLE");
    expect(error.message).toContain(`s3://${BUCKET}`);
    expect(error.message).not.toContain("S3RVER");
    expect((await sound.queryArtifacts()).artifacts).toEqual([]);
  });

  it("is given up at the deadline that its connection string says", async () => {
    const { port } = await startFaultyHttp(Number(new URL(server.endpoint).port), () => "hang");
    vi.stubEnv("AWS_ACCESS_KEY_ID", "S3RVER");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "S3RVER");
    onTestFinished(() => void vi.unstubAllEnvs());
    const search = new URLSearchParams({
      ...{ metadata: `sqlite:${join(await makeTempFolder(), "metadata.db")}` },
      ...{ endpoint: `http://127.0.0.1:${port.toString()}`, region: "us-east-1" },
      ...{ deadlineMs: "300", attemptMs: "100" },
    });
    const workspace = createWorkspace({ store: `s3://${BUCKET}?${search.toString()}` });
    const put = workspace.put({ content: "x" }, { sessionId: "s", toolCallId: "c" });
    const error = await rejectionOf(put);
    expect(error.code).toBe("STORE_UNREACHABLE");
    // Not the thousands of milliseconds of an attempt without these limits.
    expect(String(error.cause)).toMatch(/no answer within \d{1,3} ms/);
    await workspace.close();
  });
});
