import { randomBytes } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createOffloader, createWorkspace, memoryStore } from "../../../src/index.js";
import { fileStore } from "../../../src/presets/stores.js";
import { makeTempFolder } from "../../support/temp-folder.js";

const SECRET = "the launch code is 0451";
const TEXT = Array.from({ length: 20_000 }, (_, i) => `line ${i} says ${SECRET}`).join("\n");

async function everythingIn(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  const texts = files.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return `${path}\n${await readFile(path, "latin1")}`;
  });
  return (await Promise.all(texts)).join("\n");
}

describe("encryption", () => {
  const key = randomBytes(32);

  it("leaves nothing of the content in files, names, metadata, indexes or views", async () => {
    const root = await makeTempFolder();
    const workspace = createWorkspace({ root, encryption: { key } });
    const json = { records: [{ note: SECRET }], filler: "x".repeat(2_000) };
    const { record, reference } = await workspace.put(
      { content: TEXT, metadata: { note: SECRET } },
      { toolCallId: "t1", sessionId: "s" },
    );
    await workspace.put({ content: json }, { toolCallId: "t2", sessionId: "s" });
    // Reading makes a line index and a readable view.
    const scope = { sessionId: "s" };
    const lines = await workspace.getKnowledgeByLines("t1", 19_999, 20_000, scope);
    expect(lines.text).toContain("line 19998 says");
    expect((await workspace.grepKnowledge("t1", "line 12345 ", scope)).text).toContain(SECRET);
    expect(
      (await workspace.queryKnowledge("t2", { ...scope, pointer: "/records/0/note" })).text,
    ).toContain(SECRET);
    expect(reference).toContain("launch");
    const all = await everythingIn(root);
    expect(all).not.toContain("launch");
    expect(all).not.toContain("19998");
    expect(all).not.toContain(record.hash);
    expect(await workspace.getOriginal("t1", scope)).toBe(TEXT);
    const fresh = createWorkspace({ root, encryption: { key } });
    expect(await fresh.getOriginal("t2", scope)).toEqual(json);
    expect((await fresh.getArtifact("t1", scope)).metadata["note"]).toBe(SECRET);
    expect(await fresh.verify()).toMatchObject({ artifacts: 2, damaged: [] });
  });

  it.each(["files", "SQLite"])("shows in %s exactly what the docs list", async (kind) => {
    const folder = await makeTempFolder();
    const store = kind === "files" ? fileStore(folder) : `sqlite:${folder}/sealed.db`;
    const workspace = createWorkspace({ store, encryption: { key, keyId: "mark-key-end" } });
    const named = ["biz_id", "session_id", "agent_id", "task_id", "action_name", "context_type"];
    const marked = [...named, "tool_name", "custom"].map((name) => [name, `mark-${name}-end`]);
    const { record } = await workspace.put(
      {
        content: "mark-content-end\n".repeat(7_919),
        artifactId: "mark-artifact-end",
        metadata: Object.fromEntries(marked) as Record<string, string>,
      },
      {
        toolCallId: "mark-call-end",
        sessionId: "mark-session-end",
        parentSessionId: "mark-parent-end",
      },
    );
    await workspace.getKnowledgeByLines("mark-artifact-end", 1, 5, {
      sessionId: "mark-session-end",
    });
    expect(await workspace.queryArtifacts({ task_id: "mark-task_id-end" })).toMatchObject({
      artifacts: [{ artifactId: "mark-artifact-end", metadata: { custom: "mark-custom-end" } }],
    });
    // JSON is stored as if it were text.
    await workspace.put({ content: { rows: [1] } }, { toolCallId: "json", sessionId: "s" });
    expect(await workspace.getOriginal("json", { sessionId: "s" })).toEqual({ rows: [1] });
    await workspace.close();
    const all = await everythingIn(folder);
    expect(all).not.toMatch(/"type":"JSON"|\.json\b/);
    const shown = new Set(all.match(/mark-[a-z_]+-end/g));
    const listedInDocs = ["artifact", "key", "parent", "session", "tool_name"];
    expect([...shown].sort()).toEqual(listedInDocs.map((name) => `mark-${name}-end`));
    // The lines, characters and tokens of the content, and its type and hash.
    const { lines, chars, tokens } = record.size;
    for (const [name, value] of Object.entries({ lines, chars, tokens })) {
      expect(all).not.toContain(`"${name}":${value}`);
    }
    // But for the digits that references show.
    expect(all).not.toContain(record.hash.slice(0, 9));
    expect(all).toContain(record.hash.slice(0, 8));
    expect(all).toContain(record.createdAt);
  });

  it("gives what was put again its content back, if that was lost", async () => {
    const root = await makeTempFolder();
    const workspace = createWorkspace({ root, encryption: { key } });
    const put = () => workspace.put({ content: TEXT }, { toolCallId: "t1", sessionId: "s" });
    const { record } = await put();
    await rm(record.location);
    expect((await put()).record.artifactId).toBe("t1");
    expect(await workspace.getOriginal("t1", { sessionId: "s" })).toBe(TEXT);
  });

  it("stores the same content once, and a conversation comes back exactly", async () => {
    const root = await makeTempFolder();
    const history = [
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "log", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: TEXT }] },
    ];
    let before: unknown;
    for (let turn = 0; turn < 3; turn++) {
      const workspace = createWorkspace({ root, encryption: { key } });
      const offloader = createOffloader({ workspace, sessionId: "s" });
      const { messages } = await offloader.offload(structuredClone(history));
      expect(messages).toEqual(before ?? messages);
      before = messages;
      expect(await offloader.restore(messages)).toEqual(history);
      expect((await workspace.queryArtifacts({}, { sessionId: "s" })).artifacts).toHaveLength(1);
    }
  });

  it("reads with old keys after a rotation, and refuses without them", async () => {
    const root = await makeTempFolder();
    const keys: Record<string, Buffer> = { a: randomBytes(32), b: randomBytes(32) };
    const keyFor = (id: string) => keys[id];
    const first = createWorkspace({ root, encryption: { keyFor, keyId: "a" } });
    await first.put({ content: TEXT }, { toolCallId: "t1", sessionId: "s" });
    const second = createWorkspace({ root, encryption: { keyFor, keyId: "b" } });
    await second.put({ content: `${TEXT}!` }, { toolCallId: "t2", sessionId: "s" });
    expect(await second.getOriginal("t1", { sessionId: "s" })).toBe(TEXT);
    expect((await second.verify()).damaged).toEqual([]);
    const without = createWorkspace({ root, encryption: { key: keys["b"], keyId: "b" } });
    expect(await without.getOriginal("t2", { sessionId: "s" })).toBe(`${TEXT}!`);
    await expect(without.getOriginal("t1", { sessionId: "s" })).rejects.toMatchObject({
      code: "KEY_MISSING",
    });
  });

  it("finds what was tampered with", async () => {
    const root = await makeTempFolder();
    const workspace = createWorkspace({ root, encryption: { key } });
    const { record } = await workspace.put({ content: TEXT }, { toolCallId: "t1", sessionId: "s" });
    const other = createWorkspace({ root, encryption: { key: randomBytes(32) } });
    await expect(other.getOriginal("t1", { sessionId: "s" })).rejects.toMatchObject({
      code: "KEY_MISSING",
    });
    const bytes = await readFile(record.location);
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
    await writeFile(record.location, bytes);
    const fresh = createWorkspace({ root, encryption: { key } });
    const scope = { sessionId: "s" };
    await expect(fresh.getKnowledgeByLines("t1", 20_000, 20_000, scope)).rejects.toMatchObject({
      code: "ARTIFACT_DAMAGED",
    });
    await expect(fresh.getOriginal("t1", scope)).rejects.toMatchObject({
      code: "ARTIFACT_DAMAGED",
    });
    expect((await fresh.verify()).damaged).toHaveLength(1);
  });

  it.each([
    [{}, "encryption"],
    [{ key: randomBytes(16) }, "32 bytes"],
    [{ key: "secret" as never }, "32 bytes"],
  ])("refuses keys that are none, and never prints them", (encryption, why) => {
    expect(() => createWorkspace({ store: memoryStore(), encryption })).toThrow(why);
  });

  it("refuses references by path, since the files cannot be read", async () => {
    const root = await makeTempFolder();
    expect(() => createWorkspace({ root, encryption: { key }, readBy: "path" })).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", argument: "readBy" }),
    );
  });
});
