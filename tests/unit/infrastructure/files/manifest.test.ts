import { appendFile, mkdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { DEFAULTS } from "../../../../src/core/defaults.js";
import { Disk, identityOf } from "../../../../src/infrastructure/files/disk.js";
import { FileStore } from "../../../../src/infrastructure/files/file-store.js";
import { Manifest } from "../../../../src/infrastructure/files/manifest.js";
import { deleteOwn } from "../../../../src/infrastructure/files/session-files.js";
import { StoreLayout } from "../../../../src/infrastructure/files/store-layout.js";
import { sha256 } from "../../../../src/infrastructure/hash.js";
import { artifactOf } from "../../../../src/testing/store-context.js";
import { makeTempFolder } from "../../../support/temp-folder.js";

const childLine = (name: string) => `${JSON.stringify({ child: name.padEnd(100, ".") })}\n`;

it("takes no line for cut short because others wrote many while it looked", async () => {
  const layout = new StoreLayout(await makeTempFolder(), "default", sha256);
  const { disk } = layout;
  const folder = layout.sessionFolder("session");
  await mkdir(folder, { recursive: true });
  const manifest = new Manifest(folder, layout);
  manifest.nameSession("session");
  await manifest.load();
  await manifest.append({ child: "first" });

  // The size is that of before the others wrote; the block that is read ends in one of their lines.
  let looked: () => void = () => undefined;
  const isLooked = new Promise<void>((resolve) => (looked = resolve));
  const lookAt = disk.lookAt.bind(disk);
  vi.spyOn(disk, "lookAt").mockImplementationOnce((path) => lookAt(path).finally(looked));
  const readOnce = disk.readOnce.bind(disk);
  vi.spyOn(disk, "readOnce").mockImplementationOnce(async (...read) => {
    await isLooked;
    for (let other = 0; other < 200; other++)
      await appendFile(manifest.path, childLine(`other ${other}`));
    return readOnce(...read);
  });
  await manifest.append({ child: "own" });
  expect(manifest.brokenLines).toBe(0);
  // Else the next line would be written after a blank one, as after a line that was cut short.
  await manifest.append({ child: "last" });
  manifest.close();
  expect(await readFile(manifest.path, "utf8")).not.toContain("\n\n");
});

const MINUTE = 60_000;

/** Two processes with one session, in which the second one has read that an artifact was put. */
async function openTwice() {
  const root = await makeTempFolder();
  const [writer, idle] = [new FileStore(root, "default"), new FileStore(root, "default")];
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const old = { ...artifactOf("text", { sessionId: "s", id: "a" }), createdAt: at(0) };
  const record = await writer.put(old);
  await idle.listSession("s");
  return { writer, idle, at, record };
}

it("knows of a removal though the lines that renewed the artifact were overwritten unread", async () => {
  const { writer, idle, at, record } = await openTwice();
  const renewed = await writer.renew(record, at(60 * MINUTE));
  await writer.remove(renewed ?? record);
  expect((await idle.listSession("s")).artifacts.has("a")).toBe(false);
  const again = { ...artifactOf("text", { sessionId: "s", id: "a" }), createdAt: at(120 * MINUTE) };
  const kept = await writer.put(again);
  const { artifacts } = await idle.listSession("s");
  expect(artifacts.get("a")?.createdAt).toBe(again.createdAt);
  // What the idle one thinks is old was put again: nothing is removed.
  await idle.remove(record);
  await (await writer.open(kept)).close();
  for (const store of [writer, idle]) store.close();
});

it("reads all of a manifest again once a tombstone may have ended that it has not read", async () => {
  const { writer, idle, record } = await openTwice();
  await writer.remove(record);
  const later = Date.now() + DEFAULTS.tombstoneMs + MINUTE;
  const clock = vi.spyOn(Date, "now").mockReturnValue(later);
  try {
    // Overwrites what has ended.
    await writer.verify({});
    expect((await idle.listSession("s")).artifacts.has("a")).toBe(false);
  } finally {
    clock.mockRestore();
  }
  for (const store of [writer, idle]) store.close();
});

it("deletes a file of its own only, even if another gets its name at this moment", async () => {
  const { writer, record } = await openTwice();
  const folder = join(record.location, "..");
  const layout = new StoreLayout(join(folder, "..", "..", ".."), "default", sha256);
  const manifest = new Manifest(folder, layout);
  manifest.nameSession("s");
  const { disk } = layout;
  const text = await readFile(record.location);
  // The listed file replaces it between the look at the name and the deletion.
  const own = `${record.location}.own`;
  await writeFile(own, "not listed");
  const kept = `${record.location}.kept`;
  await rename(record.location, kept);
  await rename(own, record.location);
  const stats = await disk.lookAt(record.location);
  const lookAt = disk.lookAt.bind(disk);
  vi.spyOn(disk, "lookAt").mockImplementationOnce(async (path) => {
    const seen = await lookAt(path);
    await rename(kept, record.location);
    return seen;
  });
  await deleteOwn(record.location, identityOf(stats as never), manifest);
  expect(await readFile(record.location)).toEqual(text);
  writer.close();
});

it("puts a file back though a reader moves it before it has its name", async () => {
  const { writer, record, at } = await openTwice();
  const reader = new FileStore(join(record.location, "..", "..", "..", ".."), "default");
  await reader.listSession("s");
  await writeFile(record.location, "damaged");
  // At this moment nothing has the name: the reader finds the content under a temporary one, and moves it.
  let isMoved = false;
  const rename = vi.spyOn(Disk.prototype, "rename").mockImplementationOnce(async (...names) => {
    await unlink(record.location);
    await (await reader.open(record)).close();
    isMoved = true;
    rename.mockRestore();
    return Disk.prototype.rename.apply(new Disk(), names);
  });
  const again = { ...artifactOf("text", { sessionId: "s", id: "a" }), createdAt: at(0) };
  await writer.put(again);
  expect(isMoved).toBe(true);
  await (await writer.open(record)).close();
  for (const store of [writer, reader]) store.close();
});
