import fs from "node:fs";
import { mkdir, readdir, readFile, rename, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fileStore } from "../../../src/index.js";
import { skipOnWindows } from "../../support/skip-on-windows.js";
import { makeStore, openStore } from "../../support/store-files.js";
import { makeTempFolder } from "../../support/temp-folder.js";

// Each holds a call of the system for a moment, so that another process can come in between.

const SCOPE = { sessionId: "s1" };
const ID = "call_12345";

afterEach(() => {
  vi.restoreAllMocks();
});

type Call = "rename" | "write" | "open";

/** Holds the calls that fit; each goes on when it is released. */
function hold(name: Call, fits: (args: readonly unknown[]) => boolean): (() => void)[] {
  const held: (() => void)[] = [];
  const real = fs[name] as (...args: unknown[]) => void;
  vi.spyOn(fs, name as "rename").mockImplementation((...args: unknown[]) => {
    if (fits(args))
      held.push(() => {
        real.apply(fs, args);
      });
    else real.apply(fs, args);
  });
  return held;
}

const isLine = ([, bytes]: readonly unknown[]) =>
  Buffer.from(bytes as Uint8Array).includes('{"put"');

describe("a put that is acknowledged", () => {
  it("has its content, though its file was removed before it was listed and another one of its size came", async () => {
    const { root } = await makeStore();
    const put = (content: string) => openStore(root).put({ artifactId: ID, content }, SCOPE);
    await put("old");
    const removals = hold("rename", ([from]) => String(from).endsWith(`${ID}.txt`));
    const removing = [1, 2].map(() => openStore(root).remove(ID, SCOPE));
    await vi.waitUntil(() => removals.length === 2);
    removals[0]?.();
    // Either of the two may have come first.
    await Promise.race(removing.map((removal) => removal.catch(() => undefined)));
    vi.restoreAllMocks();
    const lines = hold("write", isLine);
    const one = put("A".repeat(64));
    await vi.waitUntil(() => lines.length === 1);
    removals[1]?.();
    await Promise.all(removing);
    const other = put("B".repeat(64));
    await vi.waitUntil(() => lines.length === 2);
    lines[0]?.();
    expect((await one).record.artifactId).toBe(ID);
    vi.restoreAllMocks();
    lines[1]?.();
    const { artifactId } = (await other).record;
    expect(artifactId).not.toBe(ID);
    const fresh = openStore(root);
    expect(await fresh.getOriginal(ID, SCOPE)).toBe("A".repeat(64));
    expect(await fresh.getOriginal(artifactId, SCOPE)).toBe("B".repeat(64));
    expect(await fresh.verify()).toMatchObject({ damaged: [], missing: [], orphaned: [] });
  });

  it("keeps its file, though one process has set it aside and another one takes it for an orphan", async () => {
    const { root, workspace } = await makeStore();
    const { record } = await workspace.put({ artifactId: ID, content: "precious" }, SCOPE);
    const aside = join(record.location, "..", ".put-0123456789.tmp");
    await writeFile(aside, "precious");
    const takes = hold("rename", ([from]) => from === aside);
    const sweeping = openStore(root).verify({ deleteOrphans: true, orphanAgeMs: 0 });
    await vi.waitUntil(() => takes.length === 1);
    // As if it had been set aside after the sweep had found it in its place.
    await unlink(record.location);
    takes[0]?.();
    await sweeping;
    expect(await openStore(root).getOriginal(ID, SCOPE)).toBe("precious");
  });

  it("can still be recovered after another one wanted its id", async () => {
    const { root, workspace } = await makeStore();
    const { record } = await workspace.put({ artifactId: ID, content: "precious" }, SCOPE);
    await rename(record.location, join(record.location, "..", ".put-0123456789.tmp"));
    const other = await openStore(root).put({ artifactId: ID, content: "another" }, SCOPE);
    expect(other.record.artifactId).not.toBe(ID);
    expect(await openStore(root).getOriginal(ID, SCOPE)).toBe("precious");
  });
});

describe("a put that fails while its file is written", () => {
  it("closes the file only after that, since another one may get its number", async () => {
    const { root, workspace } = await makeStore();
    const writes = hold("write", ([, bytes]) => Buffer.from(bytes as Uint8Array).includes("held"));
    const failure = new Error("the disk is gone");
    vi.spyOn(fs, "fstat").mockImplementationOnce(((_: number, done: (error: Error) => void) => {
      done(failure);
    }) as typeof fs.fstat);
    vi.spyOn(fs, "fstatSync").mockImplementationOnce(() => {
      throw failure;
    });
    const closing = [vi.spyOn(fs, "close"), vi.spyOn(fs, "closeSync")];
    const closed = () => closing.some((close) => close.mock.calls.length > 0);
    const putting = workspace.put({ artifactId: ID, content: "held" }, SCOPE);
    putting.catch(() => undefined);
    await vi.waitUntil(() => writes.length === 1);
    await new Promise(setImmediate);
    expect(closed()).toBe(false);
    writes[0]?.();
    await expect(putting).rejects.toMatchObject({ code: "WRITE_FAILED" });
    expect(closed()).toBe(true);
    vi.restoreAllMocks();
    // What it left is not listed, and in nobody's way.
    const reading = openStore(root).getOriginal(ID, SCOPE);
    await expect(reading).rejects.toMatchObject({ code: "UNKNOWN_ARTIFACT" });
    const again = await openStore(root).put({ artifactId: ID, content: "held" }, SCOPE);
    expect(again.record.artifactId).toBe(ID);
  });
});

describe("what is removed", () => {
  it("does not come back with a put of the same content that was under way", async () => {
    const { root, workspace } = await makeStore();
    const put = () => openStore(root).put({ artifactId: ID, content: "to be erased" }, SCOPE);
    const { record } = await put();
    await unlink(record.location);
    const opens = hold("open", ([path, flags]) => path === record.location && flags === "wx");
    const again = put();
    await vi.waitUntil(() => opens.length === 1);
    await openStore(root).remove(ID, SCOPE);
    vi.restoreAllMocks();
    opens[0]?.();
    await again;
    await expect(workspace.getOriginal(ID, SCOPE)).rejects.toMatchObject({ code: "ARTIFACT_GONE" });
    await expect(readFile(record.location)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("is said to be removed, not damaged, to a reader who found it listed", async () => {
    const { workspace } = await makeStore();
    await workspace.put({ artifactId: ID, content: "old" }, SCOPE);
    const found = await workspace.getArtifact(ID, SCOPE);
    await workspace.remove(ID, SCOPE);
    await workspace.put({ artifactId: ID, content: "another text" }, SCOPE);
    const store = fileStore(join(found.location, "../../../.."))("default");
    await expect(store.open(found)).rejects.toMatchObject({
      code: "ARTIFACT_GONE",
      why: "removed",
    });
    // Nor does a removal of the old one reach the new one.
    await store.remove(found);
    expect(await workspace.getOriginal(ID, SCOPE)).toBe("another text");
  });
});

describe("a session's folder that is a link", () => {
  it("gets no file, not even for a moment, and is reported", async (context) => {
    skipOnWindows(context, "making a link needs rights there");
    const root = await makeTempFolder();
    const outside = await makeTempFolder();
    await mkdir(join(root, "v1/default"), { recursive: true });
    await symlink(outside, join(root, "v1/default/s1"));
    const opened = vi.spyOn(fs, "open");
    const putting = openStore(root).put({ artifactId: ID, content: "x" }, SCOPE);
    await expect(putting).rejects.toMatchObject({ code: "UNSAFE_PATH" });
    const creating = (opened.mock.calls as unknown[][]).filter(([, flags]) => flags === "wx");
    expect(creating).toEqual([]);
    expect(await readdir(outside)).toEqual([]);
    const { unreadable } = await openStore(root).verify();
    expect(unreadable).toEqual([
      { folder: join(root, "v1/default/s1"), problem: "it is a symbolic link" },
    ]);
  });
});
