import {
  appendFile,
  lstat,
  mkdir,
  readFile,
  rename,
  rm,
  truncate,
  unlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listTree } from "../../support/list-tree.js";
import { rejectionOf } from "../../support/rejection.js";
import { makeStore, openStore, readManifest } from "../../support/store-files.js";
import { skipOnWindows } from "../../support/skip-on-windows.js";
import { textOf } from "../../support/tool-messages.js";

const EXACT = "\ufeffone\r\ntwo\n\0three 漢字 😀\tשלום\n\n";

const BLANK = 0x20;

describe("what a person finds in the folder", () => {
  it("a folder per session, a file per artifact with exactly its content, a manifest", async () => {
    const { root, workspace, sessionFolder } = await makeStore();
    await workspace.put({ content: EXACT }, { toolCallId: "a", sessionId: "s1" });
    await workspace.put(
      { content: [{ type: "text", text: "é" }] },
      { toolCallId: "b", sessionId: "s1" },
    );
    await workspace.put({ content: "lone \ud83d" }, { toolCallId: "c", sessionId: "s2" });
    await workspace.put({ content: "" }, { toolCallId: "d", sessionId: "s2" });
    expect(await listTree(root)).toEqual([
      ".gitignore",
      "v1/",
      "v1/default/",
      "v1/default/s1/",
      "v1/default/s1/a.txt",
      "v1/default/s1/b.txt",
      "v1/default/s1/manifest.jsonl",
      "v1/default/s2/",
      "v1/default/s2/c.txt",
      "v1/default/s2/d.txt",
      "v1/default/s2/manifest.jsonl",
    ]);
    const read = (path: string) => readFile(join(root, "v1/default", path));
    expect(await read("s1/a.txt")).toEqual(Buffer.from(EXACT));
    expect(await read("s1/b.txt")).toEqual(Buffer.from('[{"type":"text","text":"é"}]'));
    expect(await read("s2/c.txt")).toEqual(Buffer.from("6c6f6e6520eda0bd", "hex"));
    expect(await read("s2/d.txt")).toHaveLength(0);
    expect((await readManifest(sessionFolder("s1")))[0]).toEqual({ session: "s1", layout: 1 });

    const fresh = openStore(root);
    expect(await fresh.getOriginal("a")).toBe(EXACT);
    expect(await fresh.getOriginal("b")).toEqual([{ type: "text", text: "é" }]);
    expect(await fresh.getOriginal("c")).toBe("lone \ud83d");
    expect(await fresh.getOriginal("d")).toBe("");
  });

  it("a manifest whose lines stay where they are; those of what was removed are overwritten", async () => {
    const { workspace, sessionFolder } = await makeStore();
    const manifest = join(sessionFolder("s1"), "manifest.jsonl");
    const steps = [
      () => workspace.put({ content: "one" }, { toolCallId: "a", sessionId: "s1" }),
      () => workspace.put({ content: "two" }, { toolCallId: "a", sessionId: "s1" }),
      () => workspace.put({ content: "x" }, { sessionId: "child", parentSessionId: "s1" }),
      () => workspace.remove("a", { sessionId: "s1" }),
      () => workspace.put({ content: "one" }, { toolCallId: "a", sessionId: "s1" }),
    ];
    let before = Buffer.alloc(0);
    for (const step of steps) {
      await step();
      const after = await readFile(manifest);
      expect(after.length).toBeGreaterThan(before.length);
      const changed = before.findIndex((byte, at) => after[at] !== byte && after[at] !== BLANK);
      expect(changed).toBe(-1);
      before = after;
    }
    expect((await readManifest(sessionFolder("s1"))).map((entry) => Object.keys(entry)[0])).toEqual(
      ["session", "put", "child", "removed", "put"],
    );
  });

  it("nothing is added to it for content that is there already", async () => {
    const { workspace, sessionFolder } = await makeStore();
    const put = () => workspace.put({ content: "same" }, { toolCallId: "a", sessionId: "s1" });
    const { record } = await put();
    const before = await readFile(join(sessionFolder("s1"), "manifest.jsonl"));
    expect((await put()).record).toEqual(record);
    expect(await readFile(join(sessionFolder("s1"), "manifest.jsonl"))).toEqual(before);
    expect(await listTree(sessionFolder("s1"))).toEqual(["a.txt", "manifest.jsonl"]);
  });

  it("folders 0700 and files 0600, also caches", async (t) => {
    skipOnWindows(t, "files have no modes");
    const { root, workspace } = await makeStore();
    const before = process.umask(0);
    try {
      await workspace.put({ content: textOf(2_000_000) }, { toolCallId: "text", sessionId: "s1" });
      const json = JSON.stringify(Array.from({ length: 100_000 }, (_, at) => ({ at })));
      async function* chunks() {
        yield await Promise.resolve(Buffer.from(json));
      }
      await workspace.put({ content: chunks() }, { toolCallId: "json", sessionId: "s1" });
      await workspace.getKnowledgeByLines("text", 5, 6);
      await workspace.getKnowledgeByLines("json", 5, 6);
    } finally {
      process.umask(before);
    }
    const paths = ["", ...(await listTree(root))];
    expect(paths.filter((path) => path.includes(".cache/") && !path.endsWith("/"))).toHaveLength(3);
    for (const path of paths) {
      const stats = await lstat(join(root, path));
      expect([path, stats.mode & 0o777]).toEqual([path, stats.isDirectory() ? 0o700 : 0o600]);
    }
  });
});

describe("a new workspace folder", () => {
  it("is hidden from git and from searches", async () => {
    const { root, workspace } = await makeStore();
    await workspace.put({ content: "x" }, { toolCallId: "a", sessionId: "s1" });
    expect(await readFile(join(root, ".gitignore"), "utf8")).toBe("*\n");
    await rm(join(root, ".gitignore"));
    await openStore(root).put({ content: "y" }, { toolCallId: "b", sessionId: "s2" });
    expect(await listTree(root)).not.toContain(".gitignore");
  });

  it("that was there already is not changed: it may be a project", async () => {
    const { root, workspace } = await makeStore();
    await mkdir(root, { mode: 0o755 });
    await workspace.put({ content: "x" }, { toolCallId: "a", sessionId: "s1" });
    expect(await listTree(root)).not.toContain(".gitignore");
    expect((await lstat(root)).mode & 0o777).toBe(0o755);
  });
});

describe("names differ by more than case", () => {
  it("one with capital letters has a hash in it", async () => {
    const { root, workspace } = await makeStore();
    const ids = ["call_ab", "call_AB", "Call_ab"];
    for (const id of ids) {
      await workspace.put({ content: `of ${id}` }, { toolCallId: id, sessionId: id });
      await openStore(root, id).put({ content: `in ${id}` }, { toolCallId: id, sessionId: id });
    }
    const paths = await listTree(root);
    expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(paths.length);
    expect(paths).toContain("v1/default/call_ab/call_ab.txt");
    expect(paths.filter((path) => /[A-Z]/.test(path.replace(/[^/]*~[0-9a-f]{12}/g, "")))).toEqual(
      [],
    );
    const fresh = openStore(root);
    for (const id of ids) {
      expect(await fresh.getOriginal(id)).toBe(`of ${id}`);
      expect((await fresh.getArtifact(id)).sessionId).toBe(id);
      expect(await openStore(root, id).getOriginal(id)).toBe(`in ${id}`);
    }
  });

  it("a folder belongs to whom its manifest says", async () => {
    const { root, workspace, sessionFolder } = await makeStore();
    await workspace.put({ content: "of alice" }, { toolCallId: "a", sessionId: "alice" });
    await rename(sessionFolder("alice"), sessionFolder("mallory"));
    for (const one of [workspace, openStore(root)]) {
      const scope = { sessionId: "mallory" };
      const read = await rejectionOf(one.getOriginal("a", scope));
      expect(read.code).toBe("READ_FAILED");
      expect(read.message).toContain('"alice"');
      const put = one.put({ content: "new" }, { toolCallId: "b", ...scope });
      expect((await rejectionOf(put)).code).toBe("WRITE_FAILED");
      expect((await one.queryArtifacts()).artifacts).toEqual([]);
    }
    expect(await listTree(sessionFolder("mallory"))).toEqual(["a.txt", "manifest.jsonl"]);
  });
});

describe("ids are data", () => {
  const HOSTILE = [
    ...["../../x", "/etc/x", "..", ".", "a/b", "a\\b", "CON", ".cache", "manifest.jsonl", "a\nb"],
    ...["x".repeat(1_500), "x\0y", "é", "~", "a..b", " ", "a.txt", "-rf", "😀", "\ud83d"],
  ];

  it("whatever they are, all is where it belongs and is found again", async () => {
    const { root, workspace } = await makeStore();
    for (const id of HOSTILE) {
      await workspace.put({ content: `of ${id}` }, { toolCallId: id, sessionId: id });
      await openStore(root, id).put({ content: `in ${id}` }, { toolCallId: id, sessionId: id });
    }
    expect(await listTree(join(root, ".."))).toContain("root/v1/default/");
    for (const path of await listTree(join(root, ".."))) {
      expect(path).toMatch(
        /^root\/(?:\.gitignore|v1\/(?:[\w.~-]+\/(?:[\w.~-]+\/(?:manifest\.jsonl|[\w.~-]+\.txt)?)?)?)?$/,
      );
    }
    const fresh = openStore(root);
    for (const id of HOSTILE) {
      // With the session and without: what the session is called is in the manifest.
      expect(await fresh.getOriginal(id, { sessionId: id })).toBe(`of ${id}`);
      expect(await fresh.getOriginal(id)).toBe(`of ${id}`);
      expect((await fresh.getKnowledgeById(id)).sessionId).toBe(id);
      expect(await openStore(root, id).getOriginal(id)).toBe(`in ${id}`);
    }
    expect((await fresh.verify()).orphaned).toEqual([]);
  });

  it("the same id with other content gets a suffix of its hash", async () => {
    const { root, workspace } = await makeStore();
    const put = async (content: string) =>
      (await workspace.put({ content }, { toolCallId: "a", sessionId: "s1" })).record;
    const [one, two] = [await put("one"), await put("two")];
    expect(one.artifactId).toBe("a");
    expect(two.artifactId).toBe(`a-${two.hash.slice(0, 12)}`);
    expect([await put("two"), await put("one")]).toEqual([two, one]);
    const fresh = openStore(root);
    expect(await fresh.getOriginal("a")).toBe("one");
    expect(await fresh.getOriginal(two.artifactId)).toBe("two");
  });

  it.each(["one after the other", "at once"])(
    "a text and a value of the same bytes are two artifacts, %s",
    async (how) => {
      const { root, workspace } = await makeStore();
      for (let round = 0; round < 20; round++) {
        const toolCallId = `id${round}`;
        const contents = round % 2 === 0 ? ['["a"]', ["a"]] : [["a"], '["a"]'];
        const put = async (content: string | string[]) =>
          (await workspace.put({ content }, { toolCallId, sessionId: "s1" })).record.artifactId;
        const ids =
          how === "at once"
            ? await Promise.all(contents.map(put))
            : [await put(contents[0] ?? ""), await put(contents[1] ?? "")];
        expect(new Set(ids).size).toBe(2);
        const fresh = openStore(root);
        expect(await Promise.all(ids.map((id) => fresh.getOriginal(id)))).toEqual(contents);
        expect(await Promise.all(contents.map(put))).toEqual(ids);
      }
      expect(await workspace.verify()).toMatchObject({ artifacts: 40, orphaned: [], missing: [] });
    },
  );
});

describe("a file that was lost or spoilt", () => {
  it.each([
    ["deleted", (file: string) => unlink(file)],
    ["written over", (file: string) => writeFile(file, "tampered")],
    ["changed, same size", (file: string) => writeFile(file, "Content")],
  ])("%s: reading says so, and putting the content again brings it back", async (_, spoil) => {
    const { root, workspace } = await makeStore();
    const { record } = await workspace.put(
      { content: "content" },
      { toolCallId: "a", sessionId: "s1" },
    );
    await spoil(record.location);
    expect((await rejectionOf(workspace.getOriginal("a"))).code).toMatch(
      /GONE|DAMAGED|READ_FAILED/,
    );
    const again = await workspace.put({ content: "content" }, { toolCallId: "a", sessionId: "s1" });
    expect(await openStore(root).getOriginal(again.record.artifactId)).toBe("content");
    expect(again.record.artifactId).toBe("a");
    expect(await workspace.verify()).toMatchObject({ damaged: [], missing: [], orphaned: [] });
  });

  it.each<[string, (file: string) => Promise<unknown>]>([
    ["cut short", (file) => truncate(file, 20)],
    ["longer", (file) => appendFile(file, "more")],
  ])("%s: no verb serves it as if it were whole", async (_, spoil) => {
    const { workspace } = await makeStore();
    const content = Array.from({ length: 1_000 }, (_line, at) => `line ${at + 1}`).join("\n");
    const { record } = await workspace.put({ content }, { toolCallId: "a", sessionId: "s1" });
    await spoil(record.location);
    for (const call of [
      () => workspace.getKnowledgeById("a"),
      () => workspace.getKnowledgeByLines("a", 1, 2),
      () => workspace.grepKnowledge("a", "line 1"),
      () => workspace.getOriginal("a"),
    ]) {
      const error = await rejectionOf(call());
      expect(error.code).toBe("ARTIFACT_DAMAGED");
      expect(error.message).toContain(`instead of ${content.length}`);
    }
  });

  it("the whole session deleted beneath a running process", async () => {
    const { root, workspace, sessionFolder } = await makeStore();
    const put = () => workspace.put({ content: "content" }, { toolCallId: "a", sessionId: "s1" });
    await put();
    await rm(sessionFolder("s1"), { recursive: true });
    expect((await rejectionOf(workspace.getOriginal("a"))).code).toBe("UNKNOWN_ARTIFACT");
    await put();
    expect(await openStore(root).getOriginal("a")).toBe("content");
  });
});
