import { chmod, lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Workspace } from "../../../src/index.js";
import { skipOnWindows } from "../../support/skip-on-windows.js";
import { listTree, readTree } from "../../support/list-tree.js";
import { runProgram } from "../../support/run-program.js";
import { makeStore, openStore } from "../../support/store-files.js";

const LINES = Array.from({ length: 60_000 }, (_, at) => `line ${at + 1} of the text`);
const TEXT = LINES.join("\n");
const VALUES = Array.from({ length: 40_000 }, (_, at) => ({ number: at, name: `n${at}` }));
const JSON_LINE = JSON.stringify(VALUES);
const JSON_LINES = JSON.stringify(VALUES, null, 2).split("\n");

async function makeCached() {
  const store = await makeStore();
  await store.workspace.put({ content: TEXT }, { toolCallId: "text", sessionId: "s1" });
  await store.workspace.put({ content: JSON_LINE }, { toolCallId: "json", sessionId: "s1" });
  await expectRight(store.workspace);
  return { ...store, cache: join(store.sessionFolder("s1"), ".cache") };
}

/** The same lines and matches, whatever the caches hold. */
async function expectRight(workspace: Workspace): Promise<void> {
  await expectRightLines(workspace);
  const found = await workspace.grepKnowledge("json", '"number": 39321,', { literal: true });
  expect(found.text).toMatch(/\bnumber"?: 39321\b/);
  expect(found.range).toMatchObject({ of: 1 });
}

async function expectRightLines(workspace: Workspace): Promise<void> {
  const text = await workspace.getKnowledgeByLines("text", 59_000, 59_001);
  expect(text.text.trimEnd()).toBe(LINES.slice(58_999, 59_001).join("\n"));
  expect(text.range.of).toBe(LINES.length);
  const json = await workspace.getKnowledgeByLines("json", 150_000, 150_003);
  expect(json.text.trimEnd()).toBe(JSON_LINES.slice(149_999, 150_003).join("\n"));
  expect(json.range.of).toBe(JSON_LINES.length);
}

describe("caches", () => {
  it("are kept for what is large", async () => {
    const { cache } = await makeCached();
    const names = (await readdir(cache)).map((name) => name.replace(/\.[0-9a-f]{12}\./, ".#."));
    expect(names.sort()).toEqual(["json.txt.#.view", "json.txt.#.view-index", "text.txt.#.index"]);
  });

  it.each<[string, (path: string, bytes: Buffer) => Promise<unknown>]>([
    ["deleted", (path) => rm(path)],
    ["emptied", (path) => writeFile(path, "")],
    ["replaced by garbage", (path) => writeFile(path, "garbage ".repeat(100))],
    ["replaced by garbage of the same size", (path, bytes) => writeFile(path, bytes.fill(120))],
    ["cut short", (path, bytes) => writeFile(path, bytes.subarray(0, bytes.length / 2))],
    ["made longer", (path, bytes) => writeFile(path, Buffer.concat([bytes, bytes]))],
    [
      "changed in one byte",
      (path, bytes) => {
        bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
        return writeFile(path, bytes);
      },
    ],
    [
      "replaced by a folder",
      (path) => rm(path).then(() => mkdir(join(path, "x"), { recursive: true })),
    ],
    ["replaced by a link to nowhere", (path) => rm(path).then(() => symlink("nowhere", path))],
  ])("%s: readings are still right, and it is made as it was", async (_, spoil) => {
    const { root, workspace, cache } = await makeCached();
    const before = await readTree(cache);
    expect(before.size).toBeGreaterThan(0);
    const expectAsBefore = async (): Promise<void> => {
      const after = await readTree(cache);
      expect([...after.keys()]).toEqual([...before.keys()]);
      expect([...after].filter(([path, bytes]) => before.get(path) !== bytes)).toEqual([]);
    };
    const spoilOne = async (path: string): Promise<void> => {
      await spoil(join(cache, path), await readFile(join(cache, path)));
    };
    for (const path of before.keys()) {
      await spoilOne(path);
      await expectRight(openStore(root));
      await expectAsBefore();
    }
    // Also who has used them before.
    for (const path of before.keys()) await spoilOne(path);
    await expectRight(workspace);
    await expectAsBefore();
  });

  it("are not made anew while they are right", async () => {
    const { root, workspace, cache } = await makeCached();
    const inodes = async () =>
      Promise.all(
        (await readdir(cache)).sort().map(async (name) => (await lstat(join(cache, name))).ino),
      );
    const before = await inodes();
    await expectRight(workspace);
    await expectRight(openStore(root));
    expect(await inodes()).toEqual(before);
  });

  it.each<[string, (cache: string) => Promise<unknown>]>([
    ["deleted as a whole", (cache) => rm(cache, { recursive: true })],
    [
      "a file in place of their folder",
      (cache) => rm(cache, { recursive: true }).then(() => writeFile(cache, "x")),
    ],
  ])("%s: readings are still right", async (_, spoil) => {
    const { root, workspace, cache } = await makeCached();
    await spoil(cache);
    await expectRight(workspace);
    await expectRight(openStore(root));
  });

  it("deleted again and again while others read", async () => {
    const { root, cache } = await makeCached();
    const readers = [openStore(root), openStore(root), openStore(root)];
    const done = new AbortController();
    const deleting = (async () => {
      while (!done.signal.aborted)
        await rm(cache, { recursive: true, force: true }).catch(() => undefined);
    })();
    try {
      for (let round = 0; round < 4; round++) await Promise.all(readers.map(expectRightLines));
    } finally {
      done.abort();
      await deleting;
    }
  });

  it("go with their artifact", async () => {
    const { workspace, cache } = await makeCached();
    await workspace.remove("json");
    expect((await listTree(cache)).map((name) => name.slice(0, 8))).toEqual(["text.txt"]);
    await workspace.remove("text");
    expect(await listTree(cache)).toEqual([]);
  });
});

const READER = `
  import { createWorkspace } from "context-offload";
  const [root] = process.argv.slice(1);
  // Loads all that it takes before it gives up root's rights, which permissions do not bind.
  const workspace = createWorkspace({ root });
  await workspace.grepKnowledge("small", "small");
  if (process.getuid() === 0) {
    process.setgroups([]);
    process.setgid(65534);
    process.setuid(65534);
  }
  const put = await workspace.put({ content: "new" }, { toolCallId: "b", sessionId: "s1" }).catch((error) => error.code);
  const answers = [
    put,
    (await workspace.getKnowledgeByLines("text", 59_000, 59_000)).text,
    (await workspace.getKnowledgeByLines("json", 150_000, 150_000)).text,
    (await workspace.grepKnowledge("json", '"number": 39321,', { literal: true })).range.of,
    (await workspace.getOriginal("text")).length,
    (await workspace.queryArtifacts()).artifacts.length,
    (await workspace.verify()).damaged.length,
  ];
  console.log(JSON.stringify(answers));
`;

describe("a tree that cannot be written to", () => {
  beforeEach((t) => {
    skipOnWindows(t, "a folder's mode does not keep anybody from writing");
  });

  it.each(["with caches", "without caches"])("can be read, %s", async (which) => {
    const { root, workspace, cache } = await makeCached();
    await workspace.put({ content: "small" }, { toolCallId: "small", sessionId: "s1" });
    if (which === "without caches") await rm(cache, { recursive: true });
    await chmod(dirname(root), 0o755);
    for (const path of ["", ...(await listTree(root))]) {
      const isFolder = path === "" || path.endsWith("/");
      await chmod(join(root, path), isFolder ? 0o555 : 0o444);
    }
    const before = await listTree(root);
    const [line = ""] = await runProgram(READER, [root]);
    const [put, text, json, ...rest] = JSON.parse(line) as [string, string, string];
    expect(put).toBe("WRITE_FAILED");
    expect(text.trimEnd()).toBe(LINES[58_999]);
    expect(json.trimEnd()).toBe(JSON_LINES[149_999]);
    expect(rest).toEqual([1, TEXT.length, 3, 0]);
    expect(await listTree(root)).toEqual(before);
  });
});
