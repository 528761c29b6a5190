import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { appendFile, copyFile, open, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { Manifest } from "../../../src/infrastructure/files/manifest.js";
import { StoreLayout } from "../../../src/infrastructure/files/store-layout.js";
import { sha256 } from "../../../src/infrastructure/hash.js";
import { runProgram } from "../../support/run-program.js";
import { makeStore, openStore } from "../../support/store-files.js";
import { makeTempFolder } from "../../support/temp-folder.js";

const SCOPE = { sessionId: "s1" };

const OTHER_PROCESS = `
  import { createWorkspace } from "context-offload";
  const workspace = createWorkspace({ root: process.argv[2] });
  process.on("message", async (id) => {
    await workspace.put({ content: "content " + id }, { toolCallId: id, sessionId: "s1" });
    process.send(id);
  });
  process.send("ready");
`;

/** A process that puts an artifact of each id that it is told, one after the other. */
async function startOther(root: string): Promise<(id: string) => Promise<unknown>> {
  // Next to the package, so that it finds it by its name.
  const folder = fileURLToPath(new URL("../../../reports", import.meta.url));
  await fs.promises.mkdir(folder, { recursive: true });
  const program = join(folder, `other-${process.pid}-${Date.now()}.mjs`);
  await writeFile(program, OTHER_PROCESS);
  const child: ChildProcess = fork(program, [root]);
  onTestFinished(async () => {
    child.kill();
    await fs.promises.rm(program);
  });
  await once(child, "message");
  return async (id) => {
    const done = once(child, "message");
    child.send(id);
    await done;
  };
}

const { write } = fs;
afterEach(() => {
  fs.write = write;
});

/** The form of fs.write that the store calls. */
type Write = (
  fd: number,
  bytes: Uint8Array,
  from: number,
  length: number,
  position: null,
  done: (error: unknown, written: number) => void,
) => void;

function replaceWrite(replacement: Write): void {
  fs.write = replacement as unknown as typeof fs.write;
}

/** Runs something each time just before a line is appended to a manifest. */
function beforeEachLine(run: () => Promise<unknown>): void {
  replaceWrite((fd, bytes, ...rest) => {
    const isLine = Buffer.from(bytes).includes('"put"');
    void (isLine ? run() : Promise.resolve()).then(() => {
      write(fd, bytes, ...rest);
    });
  });
}

describe("two processes in one session", () => {
  it("each sees what the other was told is stored, and verify keeps it", async () => {
    const { root, workspace } = await makeStore();
    const putByOther = await startOther(root);
    const put = (id: string) =>
      workspace.put({ content: `content ${id}` }, { toolCallId: id, ...SCOPE });
    const ids: string[] = [];
    for (let round = 100; round < 300; round++) {
      // Ids of one length: a line of the one is as long as a line of the other.
      await Promise.all([
        putByOther(`b${round}`),
        put(`a${round}`),
        workspace.getToolResultOffloadInfo({ ...SCOPE, limit: 1 }),
        put(`d${round}`),
      ]);
      await putByOther(`c${round}`);
      ids.push(...["a", "b", "c", "d"].map((letter) => `${letter}${round}`));
      const { artifactId } = await workspace.getArtifact(`c${round}`, SCOPE);
      expect(artifactId).toBe(`c${round}`);
    }
    const report = await workspace.verify({ deleteOrphans: true, orphanAgeMs: 0 });
    expect(report).toMatchObject({ artifacts: 800, orphaned: [], deleted: [], missing: [] });
    const fresh = openStore(root);
    for (const id of ids) expect(await fresh.getOriginal(id, SCOPE)).toBe(`content ${id}`);
  });

  it("all read the order of the file, whoever was told first", async () => {
    const folder = join(await makeTempFolder(), "s1");
    await fs.promises.mkdir(folder);
    const layout = new StoreLayout(join(folder, ".."), "x", sha256);
    const manifest = new Manifest(folder, layout);
    const entry = (type: "TEXT" | "JSON") => ({
      put: {
        artifactId: "t",
        type,
        size: { bytes: 3, chars: 3, lines: 1, tokens: 1 },
        hash: sha256("[1]"),
        createdAt: "2026-01-01T00:00:00.000Z",
        metadata: {} as never,
      },
    });
    await manifest.load();
    await manifest.append({ child: "begin" });
    // The first line of the file is the last that is reported as written.
    let textIsThere: () => void = () => undefined;
    let jsonIsDone: () => void = () => undefined;
    const onDisk = new Promise<void>((resolve) => (textIsThere = resolve));
    const reported = new Promise<void>((resolve) => (jsonIsDone = resolve));
    replaceWrite((fd, bytes, from, length, position, done) => {
      const isText = Buffer.from(bytes).includes('"TEXT"');
      void (isText ? Promise.resolve() : onDisk).then(() => {
        write(fd, bytes, from, length, position, (error, written) => {
          if (isText) textIsThere();
          void (isText ? reported : Promise.resolve()).then(() => {
            done(error, written);
            if (!isText) jsonIsDone();
          });
        });
      });
    });
    await Promise.all([manifest.append(entry("TEXT")), manifest.append(entry("JSON"))]);
    fs.write = write;
    const fresh = new Manifest(folder, layout);
    const type = (await fresh.load()).artifacts.get("t")?.type;
    expect(type).toBe("TEXT");
    expect(manifest.listing.artifacts.get("t")?.type).toBe(type);
    manifest.close();
  });
});

describe("a line that would go astray", () => {
  it.each<[string, (manifest: string) => Promise<unknown>]>([
    [
      "into a manifest that was replaced by a copy",
      (path) => rename(path, `${path}.old`).then(() => copyFile(`${path}.old`, path)),
    ],
    ["into a manifest that was moved away", (path) => rename(path, `${path}.old`)],
    ["behind half a line of somebody else", (path) => appendFile(path, '{"put":{"artifactId":"x')],
  ])("%s: what was acknowledged is found by others", async (_, spoil) => {
    const { root, workspace, sessionFolder } = await makeStore();
    await workspace.put({ content: "first" }, { toolCallId: "first", ...SCOPE });
    const path = join(sessionFolder("s1"), "manifest.jsonl");
    let isSpoilt = false;
    beforeEachLine(async () => {
      if (isSpoilt) return;
      isSpoilt = true;
      await spoil(path);
    });
    const { record } = await workspace.put({ content: "new" }, { toolCallId: "new", ...SCOPE });
    expect(isSpoilt).toBe(true);
    expect(record.artifactId).toBe("new");
    expect(await openStore(root).getOriginal("new", SCOPE)).toBe("new");
    expect(await workspace.getOriginal("new", SCOPE)).toBe("new");
  });
});

describe("a file that nobody listed", () => {
  it("with the same bytes: its id is to be had, and who wrote it cannot change it", async () => {
    const { root, workspace, sessionFolder } = await makeStore();
    await workspace.put({ content: "first" }, { toolCallId: "first", ...SCOPE });
    const writer = await open(join(sessionFolder("s1"), "a.txt"), "wx");
    await writer.write("content");
    const { record } = await workspace.put({ content: "content" }, { toolCallId: "a", ...SCOPE });
    expect(record.artifactId).toBe("a");
    await writer.write(" and more");
    await writer.close();
    expect(await openStore(root).getOriginal("a", SCOPE)).toBe("content");
    expect((await workspace.verify()).orphaned).toEqual([]);
  });

  it.each([
    ["other bytes", "something else"],
    ["the beginning of it", "cont"],
    ["nothing", ""],
  ])("with %s: neither taken over nor touched", async (_, bytes) => {
    const { root, workspace, sessionFolder } = await makeStore();
    await workspace.put({ content: "first" }, { toolCallId: "first", ...SCOPE });
    const path = join(sessionFolder("s1"), "a.txt");
    await writeFile(path, bytes);
    const before = await stat(path);
    const { record } = await workspace.put({ content: "content" }, { toolCallId: "a", ...SCOPE });
    expect(record.artifactId).toBe(`a-${record.hash.slice(0, 12)}`);
    expect(await openStore(root).getOriginal(record.artifactId)).toBe("content");
    expect(await readFile(path, "utf8")).toBe(bytes);
    expect((await stat(path)).mtimeMs).toBe(before.mtimeMs);
  });

  it("one that verify takes away while it is being listed is written again", async () => {
    const { root, workspace } = await makeStore();
    await workspace.put({ content: "first" }, { toolCallId: "first", ...SCOPE });
    const other = openStore(root);
    const deleted: string[] = [];
    beforeEachLine(async () => {
      deleted.push(...(await other.verify({ deleteOrphans: true, orphanAgeMs: -1 })).deleted);
    });
    await workspace.put({ content: "new" }, { toolCallId: "new", ...SCOPE });
    expect(deleted).toHaveLength(1);
    expect(await openStore(root).getOriginal("new", SCOPE)).toBe("new");
  });
});

describe("what is kept open", () => {
  it("is bounded, and keeps no process alive", async () => {
    const program = `
      import { readdirSync } from "node:fs";
      import { createWorkspace } from "context-offload";
      const workspace = createWorkspace({ root: process.argv[1] });
      const open = () => process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
      const before = open();
      for (let at = 0; at < 100; at++) {
        await workspace.put({ content: "x" + at }, { toolCallId: "a", sessionId: "s" + at });
      }
      console.log(open() - before);
    `;
    const start = Date.now();
    const [more = ""] = await runProgram(program, [(await makeStore()).root]);
    expect(Number(more)).toBeLessThan(50);
    expect(Date.now() - start).toBeLessThan(30_000);
  });
});
