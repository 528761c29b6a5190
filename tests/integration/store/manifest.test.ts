import fs from "node:fs";
import { appendFile, mkdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { FileStore } from "../../../src/infrastructure/files/file-store.js";
import { listTree } from "../../support/list-tree.js";
import { runProgram } from "../../support/run-program.js";
import { makeStore, openStore, readManifest } from "../../support/store-files.js";

/** A session with one artifact, and its manifest. */
async function makeSession() {
  const store = await makeStore();
  const put = (content: string, toolCallId: string) =>
    store.workspace.put({ content }, { toolCallId, sessionId: "s1" });
  const { record } = await put("first 漢字", "first");
  const manifest = join(store.sessionFolder("s1"), "manifest.jsonl");
  return { ...store, put, record, manifest };
}

/** What a fresh workspace lists. */
async function listed(root: string): Promise<string[]> {
  const { artifacts } = await openStore(root).queryArtifacts();
  return artifacts.map(({ artifactId }) => artifactId);
}

describe("lines that are broken", () => {
  const WHOLE = JSON.stringify({ put: { artifactId: "é漢😀", rest: "漢".repeat(50) } });

  it.each([
    ["a line cut short", Buffer.from('\n{"put":{"artifactId":"x"')],
    ["a line cut inside a character of two bytes", Buffer.from('\n{"put":"é').subarray(0, -1)],
    ["a line cut inside a character of three bytes", Buffer.from('\n{"put":"漢').subarray(0, -2)],
    ["a line cut inside a character of four bytes", Buffer.from('\n{"put":"😀').subarray(0, -1)],
    ["many lines cut inside characters", Buffer.from(`\n${WHOLE.slice(0, 60)}`).subarray(0, -1)],
    ["bytes that are not text", Buffer.from([10, 0xff, 0xfe, 0xc3, 0x28, 0x00])],
    ["no JSON", Buffer.from("\nhello")],
    ["no object", Buffer.from("\n[1]")],
    ["a put without anything", Buffer.from('\n{"put":{}}')],
    ["a put of null", Buffer.from('\n{"put":null}')],
    ["a put without a size", Buffer.from('\n{"put":{"artifactId":"x","type":"TEXT","hash":"0"}}')],
    ["a removal of a number", Buffer.from('\n{"removed":1}')],
    ["a child that is an object", Buffer.from('\n{"child":{}}')],
  ])("%s: what came before and what comes after is there", async (_, bytes) => {
    const { root, workspace, manifest, put } = await makeSession();
    await appendFile(manifest, bytes);
    expect(await workspace.verify()).toMatchObject({ artifacts: 1, brokenLines: 1 });
    expect(await listed(root)).toEqual(["first"]);
    // The one has read the broken line already, the other reads all at once.
    await put("second", "second");
    await appendFile(manifest, bytes);
    await put("third", "third");
    for (const id of ["first", "second", "third"]) {
      expect((await workspace.queryArtifacts({ biz_id: id })).artifacts).toHaveLength(1);
    }
    expect(await listed(root)).toEqual(["first", "second", "third"]);
    expect(await workspace.verify()).toMatchObject({ artifacts: 3, brokenLines: 2 });
    expect(await openStore(root).verify()).toMatchObject({ artifacts: 3, brokenLines: 2 });
    expect(await openStore(root).getOriginal("third")).toBe("third");
  });

  it("a reader who meets half a line reads it when it is whole", async () => {
    const { root, manifest, put } = await makeSession();
    await put("second 漢字", "second");
    const whole = await readFile(manifest);
    // From the last character of the entry on; a line that lacks only its line break is whole.
    for (let cut = 2; cut < 400; cut += 7) {
      await truncate(manifest, whole.length - cut);
      const reader = openStore(root);
      expect((await reader.queryArtifacts()).artifacts.length).toBeLessThan(2);
      await appendFile(manifest, whole.subarray(-cut));
      expect((await reader.queryArtifacts()).artifacts).toHaveLength(2);
      expect((await reader.verify()).brokenLines).toBe(0);
    }
  });

  it("a line of a kind that is not known yet is passed over", async () => {
    const { root, manifest, put } = await makeSession();
    await appendFile(manifest, '\n{"pinned":"first","until":2030}');
    await put("second", "second");
    expect(await listed(root)).toEqual(["first", "second"]);
    expect((await openStore(root).verify()).brokenLines).toBe(0);
  });

  it("line ends of another system and blank lines do no harm", async () => {
    const { root, manifest, put } = await makeSession();
    await writeFile(
      manifest,
      (await readFile(manifest, "utf8")).replaceAll("\n", "\r\n") + "\r\n\r\n",
    );
    await put("second", "second");
    expect(await listed(root)).toEqual(["first", "second"]);
    expect((await openStore(root).verify()).brokenLines).toBe(0);
  });

  it("a line cannot send anybody elsewhere", async () => {
    const { root, manifest, record } = await makeSession();
    const put = { ...record, artifactId: "../../x", sessionId: "s9", location: "/etc/passwd" };
    await appendFile(manifest, `\n${JSON.stringify({ put })}`);
    const { artifacts } = await openStore(root).queryArtifacts();
    expect(artifacts.map(({ sessionId }) => sessionId)).toEqual(["s1", "s1"]);
    for (const { location } of artifacts) expect(location.startsWith(join(root, "v1"))).toBe(true);
  });
});

describe("a manifest without its first line", () => {
  it.each([
    ["empty", ""],
    ["cut inside its first line", '{"session":"s'],
  ])("%s: the session goes on, under its name", async (_, text) => {
    for (const sessionId of ["s1", "a hashed / name"]) {
      const { root, workspace } = await makeStore();
      await workspace.put({ content: "lost" }, { toolCallId: "lost", sessionId });
      const [path = ""] = (await listTree(root)).filter((name) => name.endsWith("manifest.jsonl"));
      await writeFile(join(root, path), text);
      const fresh = openStore(root);
      // Looked at before anybody said what the session is called.
      expect((await fresh.queryArtifacts()).artifacts).toEqual([]);
      await fresh.put({ content: "new" }, { toolCallId: "new", sessionId });
      for (const reader of [workspace, fresh, openStore(root)]) {
        const { artifacts } = await reader.queryArtifacts();
        expect(artifacts).toMatchObject([{ artifactId: "new", sessionId }]);
        expect(await reader.getOriginal("new")).toBe("new");
      }
    }
  });

  it("a folder of a process that ended before it had a manifest", async () => {
    const { root, workspace, sessionFolder } = await makeStore();
    await mkdir(sessionFolder("s1"), { recursive: true });
    expect(await workspace.verify()).toMatchObject({ artifacts: 0, brokenLines: 0 });
    await workspace.put({ content: "new" }, { toolCallId: "new", sessionId: "s1" });
    expect((await readManifest(sessionFolder("s1")))[0]).toEqual({ session: "s1", layout: 1 });
    expect(await openStore(root).getOriginal("new")).toBe("new");
  });

  it("one that was deleted and begun anew is read anew", async () => {
    const { root, workspace, manifest } = await makeSession();
    await rm(manifest);
    const other = openStore(root);
    for (const id of ["a", "b", "c"]) {
      await other.put({ content: `of ${id}` }, { toolCallId: id, sessionId: "s1" });
    }
    const { artifacts } = await workspace.queryArtifacts();
    expect(artifacts.map(({ artifactId }) => artifactId)).toEqual(["a", "b", "c"]);
  });
});

it("one that was deleted is begun anew with its header, also by who had read it", async () => {
  const { root, workspace } = await makeStore();
  const put = (id: string) =>
    workspace.put({ content: id }, { toolCallId: id, sessionId: "a hashed / name" });
  const { record } = await put("first");
  for (const isKeptOpen of [true, false]) {
    if (!isKeptOpen) await workspace.close();
    await rm(join(dirname(record.location), "manifest.jsonl"));
    await put(isKeptOpen ? "second" : "third");
    const [first] = await readManifest(dirname(record.location));
    expect(first).toEqual({ session: "a hashed / name", layout: 1 });
  }
  expect(await listed(root)).toEqual(["third"]);
});

describe("several processes", () => {
  const WRITER = `
    import { createWorkspace } from "context-offload";
    const [root, label, startAt] = process.argv.slice(1);
    const workspace = createWorkspace({ root });
    while (Date.now() < Number(startAt));
    for (let at = 0; at < 200; at++) {
      // Every third content is the same in both; ids collide all the time.
      const text = (at % 3 === 0 ? "both " : label + " ") + at + " 漢字 ".repeat(at);
      const content = at % 5 === 0 ? [text] : text;
      const toolCallId = "id" + (at % 20);
      const { record } = await workspace.put({ content }, { toolCallId, sessionId: "s1" });
      console.log(JSON.stringify({ id: record.artifactId, content }));
    }
  `;

  it("write into one session at once, from its first moment on", async () => {
    const { root, workspace, sessionFolder } = await makeStore();
    const startAt = String(Date.now() + 1_000);
    const printed = await Promise.all(
      ["one", "two", "three"].map((label) => runProgram(WRITER, [root, label, startAt])),
    );
    const puts = printed.flat().map((line) => JSON.parse(line) as { id: string; content: unknown });
    expect(puts).toHaveLength(600);
    const contents = new Map<string, unknown>();
    for (const { id, content } of puts) {
      expect(contents.get(id) ?? content).toEqual(content);
      contents.set(id, content);
      expect(await workspace.getOriginal(id)).toEqual(content);
    }
    // As many ids as there are different contents under one wanted id: all, less what is common.
    expect(contents.size).toBe(600 - 2 * 67);
    const report = await openStore(root).verify();
    expect(report).toMatchObject({ artifacts: 466, brokenLines: 0, damaged: [], missing: [] });
    expect(report.orphaned).toEqual([]);
    const [first, ...rest] = await readManifest(sessionFolder("s1"));
    expect(first).toEqual({ session: "s1", layout: 1 });
    // Those who begin it at the same moment each write the same header.
    const others = rest.filter((entry) => !("put" in entry));
    expect(others).toEqual(others.map(() => first));
    expect(others.length).toBeLessThan(3);
  });

  it("begin the same sessions at once", async () => {
    const { root, workspace } = await makeStore();
    const writer = `
      import { createWorkspace } from "context-offload";
      const [root, label, startAt] = process.argv.slice(1);
      const workspace = createWorkspace({ root });
      while (Date.now() < Number(startAt));
      for (let at = 0; at < 200; at++) {
        await workspace.put({ content: label }, { toolCallId: label, sessionId: "s" + at });
      }
    `;
    const labels = ["one", "two", "three"];
    const startAt = String(Date.now() + 1_000);
    await Promise.all(labels.map((label) => runProgram(writer, [root, label, startAt])));
    for (let at = 0; at < 200; at++) {
      for (const label of labels) {
        expect(await workspace.getOriginal(label, { sessionId: `s${at}` })).toBe(label);
      }
    }
    expect(await workspace.verify()).toMatchObject({
      sessions: 200,
      artifacts: 600,
      brokenLines: 0,
      orphaned: [],
    });
  });

  it("a reader sees what another process adds and removes", async () => {
    const { root, workspace } = await makeSession();
    const add = `
      import { createWorkspace } from "context-offload";
      const [root, id] = process.argv.slice(1);
      const workspace = createWorkspace({ root });
      await workspace.put({ content: "of " + id }, { toolCallId: id, sessionId: "s1" });
      await workspace.put({ content: "of " + id }, { toolCallId: id, sessionId: "new " + id });
    `;
    const ids = async () =>
      (await workspace.queryArtifacts()).artifacts.map(({ artifactId }) => artifactId).sort();
    expect(await ids()).toEqual(["first"]);
    await runProgram(add, [root, "second"]);
    expect(await ids()).toEqual(["first", "second", "second"]);
    expect(await workspace.getOriginal("second", { sessionId: "s1" })).toBe("of second");
    expect(await workspace.getOriginal("second", { sessionId: "new second" })).toBe("of second");
    const remove = `
      import { createWorkspace } from "context-offload";
      await createWorkspace({ root: process.argv[1] }).remove("first");
    `;
    await runProgram(remove, [root]);
    expect(await ids()).toEqual(["second", "second"]);
    await expect(workspace.getOriginal("first")).rejects.toMatchObject({ code: "ARTIFACT_GONE" });
  });
});

describe("a long manifest", () => {
  it("is read in slices, between which the event loop has its turn", async () => {
    const { root, manifest, record } = await makeSession();
    const lines = Array.from({ length: 20_000 }, (_, at) =>
      JSON.stringify({ put: { ...record, artifactId: `id${at}` } }),
    );
    // One line is longer than a slice.
    const note = "x".repeat(3_000_000);
    const long = { put: { ...record, artifactId: "long", metadata: { note } } };
    await appendFile(manifest, `${lines.join("\n")}\n${JSON.stringify(long)}\n`);
    const { parse } = JSON;
    let inThisTurn = 0;
    let most = 0;
    JSON.parse = (...args) => {
      inThisTurn++;
      most = Math.max(most, inThisTurn);
      setImmediate(() => (inThisTurn = 0));
      return parse(...args) as unknown;
    };
    onTestFinished(() => {
      JSON.parse = parse;
    });
    const reader = openStore(root);
    const { artifacts } = await reader.queryArtifacts({}, { limit: 100_000 });
    expect(artifacts).toHaveLength(20_002);
    expect(most).toBeGreaterThan(100);
    expect(most).toBeLessThan(5_000);
    expect((await reader.getArtifact("long")).metadata["note"]).toBe(note);
  });
});

describe("what a listing says of removals", () => {
  it("is the same as long as nothing was removed, by whomever", async () => {
    const { root, workspace, put, manifest } = await makeSession();
    const store = new FileStore(root, "default");
    const last = async () => (await store.listSession("s1")).lastRemoval;
    const first = await last();
    expect(first).toBeDefined();
    await put("second", "second");
    expect(await last()).toBe(first);
    await workspace.remove("first", { sessionId: "s1" });
    const second = await last();
    expect(second).not.toBe(first);
    // The same id with other content again: the listing looks as before the removal.
    await workspace.remove("second", { sessionId: "s1" });
    await put("other content", "second");
    expect(await last()).not.toBe(second);
    const third = await last();
    const lines = await readFile(manifest, "utf8");
    await rm(manifest);
    await writeFile(manifest, lines.replaceAll("second", "instead"));
    expect(await last()).not.toBe(third);
  });
});

describe("the sessions of a store", () => {
  const SESSIONS = Array.from({ length: 300 }, (_, at) => `s-${(at + 100).toString()}`);

  it("are known from the first lines, and a page reads no other session", async () => {
    const { root, sessionFolder, workspace } = await makeStore();
    const { record } = await workspace.put({ content: "x" }, { toolCallId: "a", sessionId: "s-0" });
    const { artifactId, type, size, hash, createdAt, metadata } = record;
    const line = JSON.stringify({ put: { artifactId, type, size, hash, createdAt, metadata } });
    for (const sessionId of SESSIONS) {
      await mkdir(sessionFolder(sessionId));
      const header = JSON.stringify({ session: sessionId, layout: 1 });
      const text = `${header}\n${`${line}\n`.repeat(100)}`;
      await writeFile(join(sessionFolder(sessionId), "manifest.jsonl"), text);
    }
    // More sessions than are remembered: none may be read again for its name.
    const open = vi.spyOn(fs, "open");
    const read = vi.spyOn(fs, "read");
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const fresh = openStore(root);
    const page = await fresh.queryArtifacts({}, { limit: 1 });
    expect(page.artifacts).toHaveLength(1);
    expect(open.mock.calls.length).toBeLessThan(SESSIONS.length + 10);
    const asked = read.mock.calls.map((call: readonly unknown[]) => Number(call[3]));
    expect(asked.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(SESSIONS.length * 10_000);
    open.mockClear();
    const { artifacts } = await fresh.queryArtifacts({}, { limit: 1, cursor: page.nextCursor });
    expect(artifacts.map(({ sessionId }) => sessionId)).toEqual(["s-100"]);
    expect(open.mock.calls.length).toBeLessThan(5);
  });
});
