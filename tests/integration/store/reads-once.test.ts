import type * as crypto from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { Workspace } from "../../../src/index.js";

const hashed = vi.hoisted(() => ({ bytes: 0 }));

vi.mock("node:crypto", async (original) => {
  const real = await original<typeof crypto>();
  const count = (data: string | Uint8Array) => {
    hashed.bytes += Buffer.byteLength(data);
  };
  const counted = (hash: crypto.Hash): crypto.Hash => {
    const update = hash.update.bind(hash);
    const copy = hash.copy.bind(hash);
    return Object.assign(hash, {
      update: (data: Uint8Array) => {
        count(data);
        return update(data);
      },
      copy: () => counted(copy()),
    });
  };
  return {
    ...real,
    createHash: (algorithm: string) => counted(real.createHash(algorithm)),
    hash: (algorithm: string, data: string | Uint8Array, encoding: "hex") => {
      count(data);
      return real.hash(algorithm, data, encoding);
    },
  };
});

// Files of tests share their modules; here they are loaded with the mock, and afterwards without it.
vi.resetModules();
const { makeStore } = await import("../../support/store-files.js");
afterAll(() => {
  vi.resetModules();
});

/** All bytes that this process has read by calls of the system, its threads included. */
async function bytesRead(): Promise<number> {
  return Number(/^rchar: (\d+)/.exec(await readFile("/proc/self/io", "utf8"))?.[1]);
}

const TEXT = Array.from({ length: 80_000 }, (_, at) => `line ${at}`).join("\n");
const BYTES = Buffer.byteLength(TEXT);

const VERBS: [string, (workspace: Workspace, id: string) => Promise<unknown>][] = [
  ["a search", (workspace, id) => workspace.grepKnowledge(id, "line 17$")],
  ["a restore", (workspace, id) => workspace.getOriginal(id)],
  ["a range of lines", (workspace, id) => workspace.getKnowledgeByLines(id, 7, 8)],
];

describe.runIf(process.platform === "linux")("content that was stored a moment ago", () => {
  it.each(VERBS)("is read once and hashed once for %s", async (_, verb) => {
    const { workspace } = await makeStore();
    // Modules and workers are loaded, and so are not counted below.
    const other = await workspace.put(
      { content: `${TEXT}\nother` },
      { sessionId: "s1", toolCallId: "other" },
    );
    await verb(workspace, other.record.artifactId);
    const { record } = await workspace.put(
      { content: TEXT },
      { sessionId: "s1", toolCallId: "fresh" },
    );
    hashed.bytes = 0;
    const before = await bytesRead();
    await verb(workspace, record.artifactId);
    const read = (await bytesRead()) - before;
    expect(read / BYTES).toBeGreaterThan(0.9);
    expect(read / BYTES).toBeLessThan(1.2);
    expect(hashed.bytes / BYTES).toBeGreaterThan(0.9);
    expect(hashed.bytes / BYTES).toBeLessThan(1.2);
    await workspace.close();
  });
});
