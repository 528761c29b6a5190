import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { Disk } from "../../../src/infrastructure/files/disk.js";
import { FileStore } from "../../../src/infrastructure/files/file-store.js";
import { artifactOf } from "../../../src/testing/store-context.js";
import { makeTempFolder } from "../../support/temp-folder.js";

/** How often each call was made, and how many descriptors were open at most. */
function watchDisk() {
  const seen = { open: 0, writeAt: 0, writeOnce: 0, most: 0 };
  let open = 0;
  const watch = (call: "open" | "close" | "writeAt" | "writeOnce", note: () => void) => {
    const really = Reflect.get(Disk.prototype, call) as (...args: unknown[]) => never;
    vi.spyOn(Disk.prototype, call).mockImplementation(function (this: Disk, ...args: unknown[]) {
      note();
      return really.apply(this, args);
    });
  };
  watch("open", () => {
    seen.open++;
    seen.most = Math.max(seen.most, ++open);
  });
  watch("close", () => open--);
  watch("writeAt", () => seen.writeAt++);
  watch("writeOnce", () => seen.writeOnce++);
  return seen;
}

afterEach(() => {
  vi.restoreAllMocks();
});

it("500 sessions that put and read at once share a few descriptors", async () => {
  const seen = watchDisk();
  const store = new FileStore(await makeTempFolder(), "n");
  const sessions = Array.from({ length: 500 }, (_, at) => `s${at}`);
  await Promise.all(
    sessions.map(async (sessionId) => {
      const record = await store.put(artifactOf(sessionId, { id: "a", sessionId }));
      const content = await store.open(record);
      expect(Buffer.from(await content.read(0, content.size)).toString()).toBe(sessionId);
      await content.close();
    }),
  );
  store.close();
  // A file and a manifest of each; more where a manifest was closed in between, for the others.
  expect(seen.open).toBeGreaterThanOrEqual(1_000);
  expect(seen.most).toBeLessThanOrEqual(100);
});

it("a session is emptied with one write of tombstones and one over what they stand for", async () => {
  const seen = watchDisk();
  const store = new FileStore(await makeTempFolder(), "n");
  for (let at = 0; at < 200; at++) await store.put(artifactOf(`${at}`, { id: `call_${at}` }));
  Object.assign(seen, { writeAt: 0, writeOnce: 0 });
  expect(await store.removeOldest({ sessionId: "s1", limit: 500 })).toHaveLength(200);
  expect(seen).toMatchObject({ writeAt: 1, writeOnce: 1 });
  expect((await store.listSession("s1")).removed.size).toBe(200);
  store.close();
});

it("sessions are remembered by the memory that they take, not by their number", async () => {
  const folder = await makeTempFolder();
  const store = new FileStore(folder, "n");
  const sessions = Array.from({ length: 400 }, (_, at) => `s${at}`);
  for (const sessionId of sessions) await store.put(artifactOf("x", { id: "a", sessionId }));
  store.close();
  const seen = watchDisk();
  for (const sessionId of sessions) {
    expect((await store.listSession(sessionId)).artifacts.size).toBe(1);
  }
  expect(seen.open).toBe(0);
});

it("the same put again writes nothing", async () => {
  const seen = watchDisk();
  const store = new FileStore(await makeTempFolder(), "n");
  const put = () => store.put(artifactOf("x", { id: "call_1" }));
  await put();
  Object.assign(seen, { writeAt: 0, writeOnce: 0 });
  await put();
  expect(seen).toMatchObject({ writeAt: 0, writeOnce: 0 });
  store.close();
});

it("a put opens its own file and no other, also after a removal", async () => {
  const seen = watchDisk();
  const store = new FileStore(await makeTempFolder(), "n");
  const put = (id: string) => store.put(artifactOf(id, { id }));
  await put("call_1");
  const removed = await put("call_2");
  await store.remove(removed);
  Object.assign(seen, { open: 0, writeOnce: 0 });
  await put("call_3");
  expect(seen).toMatchObject({ open: 1, writeOnce: 2 });
  store.close();
});

it("verify checks in parts, which are together what it checks at once", async () => {
  const folder = await makeTempFolder();
  const store = new FileStore(folder, "n");
  for (let at = 0; at < 23; at++) {
    await store.put(artifactOf(`${at}`, { id: `call_${at}`, sessionId: `s${at % 3}` }));
  }
  const damaged = join(folder, "v1", "n", "s1", "call_7.txt");
  await writeFile(damaged, randomBytes((await readFile(damaged)).length));
  await writeFile(join(folder, "v1", "n", "s2", "orphan.txt"), "x");
  const whole = await store.verify({});
  expect(whole).toMatchObject({ artifacts: 23, damaged: [{ artifactId: "call_7" }] });
  for (const limit of [1, 4, 8, 100]) {
    const parts = [await store.verify({ limit })];
    for (let next = parts[0]?.next; next !== undefined; next = parts.at(-1)?.next) {
      parts.push(await store.verify({ limit, after: next }));
    }
    for (const { artifacts } of parts) expect(artifacts).toBeLessThanOrEqual(limit);
    expect(parts.reduce((sum, { artifacts }) => sum + artifacts, 0)).toBe(23);
    expect(parts.flatMap((part) => part.damaged)).toEqual(whole.damaged);
    expect(parts.flatMap((part) => part.orphaned)).toEqual(whole.orphaned);
  }
  const lists = await store.verify({ content: false });
  expect(lists).toMatchObject({ artifacts: 23, damaged: [], orphaned: whole.orphaned });
  const reason = new AbortController();
  reason.abort();
  await expect(store.verify({ signal: reason.signal })).rejects.toMatchObject({
    name: "AbortError",
  });
});

it("a line of another process that is appended while lines are overwritten stays", async () => {
  const folder = await makeTempFolder();
  const [one, other] = [new FileStore(folder, "n"), new FileStore(folder, "n")];
  const ids = Array.from({ length: 40 }, (_, at) => `call_${at}`);
  for (const id of ids) await one.put(artifactOf(id, { id }));
  const { artifacts } = await one.listSession("s1");
  const records = [...artifacts.values()];
  await Promise.all([
    ...records.map((record) => one.remove(record)),
    ...ids.map((id) => other.put(artifactOf(`new ${id}`, { id: `new_${id}` }))),
  ]);
  for (const store of [one, other, new FileStore(folder, "n")]) {
    const listing = await store.listSession("s1");
    expect([...listing.artifacts.keys()].sort()).toEqual(ids.map((id) => `new_${id}`).sort());
    expect([...listing.removed.keys()].sort()).toEqual([...ids].sort());
  }
  expect(await other.verify({})).toMatchObject({ artifacts: 40, missing: [], brokenLines: 0 });
  one.close();
  other.close();
});
