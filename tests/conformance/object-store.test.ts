import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenStore } from "../../src/core/workspace/artifacts/artifact-store.js";
import { createWorkspace } from "../../src/index.js";
import { objectStore, type ObjectClient, sqliteMetadata } from "../../src/stores.js";
import { defineStoreTests } from "../../src/testing/index.js";
import { artifactOf } from "../../src/testing/store-context.js";
import { BUCKET, startObjects, type RealObjects } from "../support/real-objects.js";
import { sealedStores } from "../support/sealed-stores.js";

const folder = mkdtempSync(join(tmpdir(), "context-offload-objects-"));
let server: RealObjects | undefined;
beforeAll(async () => {
  server = await startObjects();
});
afterAll(async () => {
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

function openWith(client: ObjectClient) {
  return objectStore({
    client,
    bucket: BUCKET,
    prefix: "team/",
    metadata: sqliteMetadata(new Database(join(folder, "metadata.db"))),
    // Smaller than what a real service accepts, so that the suite uploads in parts.
    partBytes: 1_000_000,
  });
}

function connect(): ObjectClient {
  if (!server) throw new Error("the server was not started");
  return server.client();
}

const open: OpenStore = (namespace) => openWith(connect())(namespace);
defineStoreTests("object storage with SQLite", { open }, { describe, it });
for (const [how, sealed] of Object.entries(sealedStores(open))) {
  defineStoreTests(`object storage with SQLite, ${how}`, { open: sealed }, { describe, it });
}

it("uploads large content in parts, and reads lines by range", async () => {
  const client = connect();
  const calls: string[] = [];
  let bytesRead = 0;
  const recorded = new Proxy(client, {
    get(target, name: keyof ObjectClient) {
      const call: unknown = Reflect.get(target, name);
      if (typeof call !== "function") return call;
      return (input: { readonly Range?: string }, options: unknown) => {
        const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(input.Range ?? "") ?? [];
        if (name === "getObject") bytesRead += Number(end) - Number(start) + 1;
        calls.push(name);
        return call.call(target, input, options) as unknown;
      };
    },
  });
  const workspace = createWorkspace({ store: openWith(recorded) });
  const line = (index: number) => `line ${index.toString().padStart(6, "0")}`;
  const content = Array.from({ length: 300_000 }, (_, index) => line(index + 1)).join("\n");
  await workspace.put({ content: "short" }, { sessionId: "default", toolCallId: "short" });
  expect(calls).toEqual(["putObject"]);
  calls.length = 0;
  await workspace.put({ content }, { sessionId: "default", toolCallId: "long" });
  const parts = Math.ceil(content.length / 1_000_000);
  expect(calls.filter((name) => name === "uploadPart")).toHaveLength(parts);
  expect(calls).toContain("completeMultipartUpload");
  expect(calls).not.toContain("putObject");
  // The first read makes the line index.
  await workspace.getKnowledgeByLines("long", 1, 1);
  bytesRead = 0;
  const { text } = await workspace.getKnowledgeByLines("long", 250_000, 250_002);
  expect(text).toContain(line(250_001));
  expect(bytesRead).toBeLessThan(content.length / 4);
  await workspace.close();
});

it.each(["as it is", "encrypted"])(
  "misses nothing that is removed while it is verified, %s",
  async (how) => {
    const client = connect();
    const openAs = (one: ObjectClient): OpenStore =>
      sealedStores(openWith(one))[how] ?? openWith(one);
    const store = openAs(client)(`emptied ${how}`);
    for (const id of ["a", "b", "c"]) await store.put(artifactOf(id, { id }));
    const getObject: ObjectClient["getObject"] = async (...args) => {
      // All are listed by now.
      await store.removeOldest?.({ sessionId: "s1", limit: 3 });
      return client.getObject(...args);
    };
    const emptied = Object.assign(Object.create(client) as ObjectClient, { getObject });
    const report = await openAs(emptied)(`emptied ${how}`).verify({});
    expect(report).toMatchObject({ missing: [], damaged: [] });
    expect((await store.listSession("s1")).artifacts.size).toBe(0);
  },
);
