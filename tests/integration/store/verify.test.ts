import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { discardUnlisted, recoverFile } from "../../../src/infrastructure/files/session-files.js";
import { StoreLayout } from "../../../src/infrastructure/files/store-layout.js";
import { sha256 } from "../../../src/infrastructure/hash.js";
import { listTree, readTree } from "../../support/list-tree.js";
import { runProgram } from "../../support/run-program.js";
import { makeStore, openStore } from "../../support/store-files.js";
import { textOf } from "../../support/tool-messages.js";

const SCOPE = { sessionId: "s1" };
const TWO_HOURS_AGO = new Date(Date.now() - 7_200_000);

async function makeSessions() {
  const store = await makeStore();
  for (const sessionId of ["s1", "s2"]) {
    for (const id of ["a", "b", "c"]) {
      await store.workspace.put(
        { content: `${id} of ${sessionId}` },
        { toolCallId: id, sessionId },
      );
    }
  }
  const file = (name: string) => join(store.sessionFolder("s1"), name);
  return { ...store, file };
}

/** A file that no artifact claims, written some time ago. */
async function makeOrphan(path: string, time = TWO_HOURS_AGO): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "orphan");
  await utimes(path, time, time);
  return path;
}

describe("verify", () => {
  it("of what is sound: nothing to tell but figures", async () => {
    const { workspace } = await makeSessions();
    expect(await workspace.verify()).toEqual({
      sessions: 2,
      artifacts: 6,
      bytes: 6 * "a of s1".length,
      damaged: [],
      missing: [],
      orphaned: [],
      brokenLines: 0,
      deleted: [],
      unreadable: [],
    });
  });

  it("of nothing at all", async () => {
    const { root, workspace } = await makeStore();
    expect(await workspace.verify()).toMatchObject({ sessions: 0, artifacts: 0 });
    await expect(listTree(root)).rejects.toThrow();
  });

  it.each<[string, (path: string) => Promise<unknown>, RegExp]>([
    ["other bytes of the same size", (path) => writeFile(path, "A of s1"), /hash/],
    ["fewer bytes", (path) => writeFile(path, "a of"), /4 bytes instead of 7/],
    ["more bytes", (path) => appendFile(path, "more"), /11 bytes instead of 7/],
    ["a folder in its place", (path) => rm(path).then(() => mkdir(path)), /not a plain file/],
    [
      "a link to the same bytes in its place",
      async (path) => {
        await writeFile(`${path}.copy`, await readFile(path));
        await rm(path);
        await symlink(`${path}.copy`, path);
      },
      /not a plain file/,
    ],
  ])("finds what is damaged: %s", async (_, damage, problem) => {
    const { root, workspace, file } = await makeSessions();
    await damage(file("a.txt"));
    const before = await listTree(root);
    for (const one of [workspace, openStore(root)]) {
      const report = await one.verify({ deleteOrphans: true });
      expect(report).toMatchObject({ artifacts: 6, missing: [], deleted: [] });
      expect(report.damaged).toHaveLength(1);
      expect(report.damaged[0]).toMatchObject({ sessionId: "s1", artifactId: "a" });
      expect(report.damaged[0]?.problem).toMatch(problem);
    }
    expect(await listTree(root)).toEqual(before);
  });

  it("finds what is missing, orphaned and broken", async () => {
    const { workspace, file } = await makeSessions();
    await rm(file("b.txt"));
    const orphans = [file(".put-0123.tmp"), file("gone.txt"), file("notes/mine.md")];
    for (const path of orphans) await makeOrphan(path);
    await appendFile(file("manifest.jsonl"), '\n{"put":\nhello\n{"put":{"art');
    const before = await readTree(file("."));
    const report = await workspace.verify();
    expect(report).toMatchObject({ artifacts: 6, brokenLines: 3, damaged: [], deleted: [] });
    expect(report.missing).toEqual([{ sessionId: "s1", artifactId: "b" }]);
    expect(report.orphaned).toEqual([file(".put-0123.tmp"), file("gone.txt"), file("notes")]);
    expect(await readTree(file("."))).toEqual(before);
  });

  it("deletes old orphans when told, and says which", async () => {
    const { root, workspace, file } = await makeSessions();
    const old = [await makeOrphan(file(".put-0123.tmp")), await makeOrphan(file("gone.txt"))];
    const young = await makeOrphan(file("young.txt"), new Date());
    const folder = dirname(await makeOrphan(file("notes/mine.md")));
    await utimes(folder, TWO_HOURS_AGO, TWO_HOURS_AGO);
    // As old as the orphans, and live.
    for (const name of ["a.txt", "b.txt", "manifest.jsonl"]) {
      await utimes(file(name), TWO_HOURS_AGO, TWO_HOURS_AGO);
    }
    const report = await workspace.verify({ deleteOrphans: true });
    expect(report.deleted).toEqual(old);
    expect(report.orphaned).toEqual([old[0], old[1], folder, young]);
    expect(await listTree(file("."))).toEqual([
      "a.txt",
      "b.txt",
      "c.txt",
      "manifest.jsonl",
      "notes/",
      "notes/mine.md",
      "young.txt",
    ]);
    const younger = await workspace.verify({ deleteOrphans: true, orphanAgeMs: 0 });
    expect(younger.deleted).toEqual([young]);
    expect(await openStore(root).getOriginal("a", { sessionId: "s1" })).toBe("a of s1");
  });

  it("counts what was made from artifacts that are gone among the orphans", async () => {
    const { root, workspace, sessionFolder } = await makeStore();
    await workspace.put({ content: textOf(2_000_000) }, { toolCallId: "a", sessionId: "s1" });
    await workspace.getKnowledgeByLines("a", 2, 3);
    const cache = join(sessionFolder("s1"), ".cache");
    const kept = await listTree(cache);
    const left = [
      await makeOrphan(join(cache, ".put-0123.tmp")),
      await makeOrphan(join(cache, "gone.txt.0123456789ab.index")),
    ];
    expect((await workspace.verify()).orphaned).toEqual(left);
    expect((await openStore(root).verify({ deleteOrphans: true })).deleted).toEqual(left);
    expect(await listTree(cache)).toEqual(kept);
  });

  it("stops when it is told to", async () => {
    const { workspace } = await makeSessions();
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(workspace.verify({ signal })).rejects.toThrow("enough");
  });
});

describe("verify while another process puts and removes", () => {
  const WRITER = `
    import { createWorkspace } from "context-offload";
    import { utimesSync } from "node:fs";
    const workspace = createWorkspace({ root: process.argv[1] });
    for (let at = 0; at < 300; at++) {
      const content = "content " + at + " ".repeat(at * 50);
      const { record } = await workspace.put({ content }, { toolCallId: "id" + (at % 40), sessionId: "s1" });
      // Time has passed, as far as anybody can tell.
      if (at % 2 === 0) utimesSync(record.location, 1, 1);
      if (at % 3 === 0) await workspace.remove(record.artifactId, { sessionId: "s1" });
      else console.log(JSON.stringify({ id: record.artifactId, content }));
    }
  `;

  it.each([
    ["of the default age", undefined],
    ["of any age but a second", 1_000],
  ])("deletes no live artifact, orphans %s", async (_, orphanAgeMs) => {
    const { root, workspace } = await makeStore();
    const written = new AbortController();
    const writing = runProgram(WRITER, [root]).finally(() => {
      written.abort();
    });
    const age = orphanAgeMs === undefined ? {} : { orphanAgeMs };
    let rounds = 0;
    while (!written.signal.aborted) {
      const report = await workspace.verify({ deleteOrphans: true, ...age });
      expect(report).toMatchObject({ damaged: [], missing: [] });
      rounds++;
    }
    expect(rounds).toBeGreaterThan(1);
    const puts = (await writing).map((line) => JSON.parse(line) as { id: string; content: string });
    expect(puts).toHaveLength(200);
    const fresh = openStore(root);
    for (const { id, content } of puts) expect(await fresh.getOriginal(id)).toBe(content);
    expect(await fresh.verify()).toMatchObject({
      artifacts: 200,
      damaged: [],
      missing: [],
      orphaned: [],
      brokenLines: 0,
    });
  });

  it("an old orphan that becomes an artifact again is kept", async () => {
    const { root, workspace, sessionFolder } = await makeStore();
    for (let round = 0; round < 100; round++) {
      await makeOrphan(join(sessionFolder("s1"), `id${round}.txt`));
      const [{ record }] = await Promise.all([
        openStore(root).put({ content: "orphan" }, { toolCallId: `id${round}`, sessionId: "s1" }),
        workspace.verify({ deleteOrphans: true }),
      ]);
      expect(await workspace.getOriginal(record.artifactId)).toBe("orphan");
    }
  });
});

describe("a verify that is killed after it moved a file aside", () => {
  /** An acknowledged artifact whose file has another name, as such a verify leaves it. */
  async function makeSetAside() {
    const store = await makeStore();
    await store.workspace.put({ content: "precious" }, { toolCallId: "a", ...SCOPE });
    await store.workspace.put({ content: "another" }, { toolCallId: "b", ...SCOPE });
    const folder = store.sessionFolder("s1");
    await rename(join(folder, "a.txt"), join(folder, ".put-0123456789.tmp"));
    await writeFile(join(folder, ".put-other.tmp"), "precious, but not quite");
    return { ...store, folder };
  }

  it("costs a reader nothing", async () => {
    const { root, folder } = await makeSetAside();
    expect(await openStore(root).getOriginal("a", SCOPE)).toBe("precious");
    expect(await readdir(folder)).toContain("a.txt");
  });

  it("costs nothing after the next one, either", async () => {
    const { root, folder } = await makeSetAside();
    const report = await openStore(root).verify({ deleteOrphans: true, orphanAgeMs: -1 });
    expect(report).toMatchObject({ missing: [], damaged: [] });
    expect(report.deleted).toEqual([join(folder, ".put-other.tmp")]);
    expect(await openStore(root).getOriginal("a", SCOPE)).toBe("precious");
  });
});

it("a removal deletes its file even if a reader of before moves it back meanwhile", async () => {
  const { root, workspace, sessionFolder } = await makeStore();
  const layout = new StoreLayout(root, "default", sha256);
  const { record } = await workspace.put({ content: "secret" }, { toolCallId: "a", ...SCOPE });
  let recoveries = 0;
  const now = { artifacts: new Map(), removed: new Map(), children: new Set<string>() };
  const before = { ...now, artifacts: new Map([[record.artifactId, record]]) };
  const load = async () => {
    const isMovedBack =
      recoveries++ >= 3 ||
      (await recoverFile(record, { layout, load: () => Promise.resolve(before) }));
    expect(isMovedBack).toBe(true);
    return now;
  };
  const deleted = await discardUnlisted([record.location], { layout, load });
  expect(deleted).toEqual([record.location]);
  expect(await readdir(sessionFolder("s1"))).toEqual(["manifest.jsonl"]);
});
