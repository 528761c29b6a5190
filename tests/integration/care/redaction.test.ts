import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createOffloader,
  createWorkspace,
  memoryStore,
  redactSecrets,
  type WorkspaceEvent,
} from "../../../src/index.js";
import { TOKENS } from "../../support/planted-secrets.js";
import { parseConversation } from "../../../src/formats/index.js";
import { makeTempFolder } from "../../support/temp-folder.js";

describe("redact", () => {
  const secret = TOKENS["AWS access key"]?.[0] ?? "";
  const log = Array.from({ length: 2_000 }, (_, i) =>
    i % 500 === 0 ? `key ${secret}` : `line ${i}`,
  ).join("\n");

  async function everythingIn(folder: string): Promise<string> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return (
      await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), "utf8")))
    ).join("\n");
  }

  it("keeps secrets out of the store, counts them, and says so on restore", async () => {
    const root = await makeTempFolder();
    const events: WorkspaceEvent[] = [];
    const workspace = createWorkspace({
      root,
      redact: redactSecrets,
      logger: (event) => events.push(event),
    });
    const offloader = createOffloader({ workspace, sessionId: "s" });
    const history = [
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "log", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: log }] },
        ],
      },
    ];
    const { messages } = await offloader.offload(history);
    expect(JSON.stringify(messages)).not.toContain(secret);
    expect(await everythingIn(root)).not.toContain(secret);
    expect(events).toContainEqual(expect.objectContaining({ event: "offload", redactions: 4 }));
    const redacted: unknown[] = [];
    const restored = await offloader.restore(messages, {
      onRedacted: (result) => redacted.push(result),
    });
    expect(JSON.stringify(restored)).toBe(
      JSON.stringify(history).replaceAll(secret, "[redacted AWS access key]"),
    );
    expect(redacted).toEqual([
      { messageIndex: 1, toolCallId: "t1", artifactId: "t1", redactions: 4 },
    ]);
    expect((await workspace.getArtifact("t1", { sessionId: "s" })).metadata["redactions"]).toBe(4);
    expect((await workspace.verify()).damaged).toEqual([]);
  });

  it("knows a result again on later turns, in this process and in another", async () => {
    const root = await makeTempFolder();
    const history = () => [
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "log", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: log }] },
    ];
    let before: unknown;
    for (let process = 0; process < 2; process++) {
      const events: WorkspaceEvent[] = [];
      const workspace = createWorkspace({
        root,
        redact: redactSecrets,
        logger: (event) => events.push(event),
      });
      const offloader = createOffloader({ workspace, sessionId: "s" });
      for (let turn = 0; turn < 3; turn++) {
        const { messages } = await offloader.offload(history());
        expect(messages).toEqual(before ?? messages);
        before = messages;
      }
      expect(events.filter(({ event }) => event === "offload").length).toBeLessThanOrEqual(1);
      const { artifacts } = await workspace.queryArtifacts({}, { sessionId: "s" });
      expect(artifacts).toHaveLength(1);
    }
  });

  it("never stores a plain hash of what was redacted", async () => {
    const root = await makeTempFolder();
    const workspace = createWorkspace({ root, redact: () => "[redacted all]" });
    const { createHash } = await import("node:crypto");
    await workspace.put({ content: "hunter2" }, { toolCallId: "t1", sessionId: "s" });
    const plain = createHash("sha256").update("hunter2").digest("hex");
    expect(await everythingIn(root)).not.toContain(plain.slice(0, 8));
  });

  it("reads a stream to its end first, since a secret may lie across two chunks", async () => {
    const workspace = createWorkspace({ root: await makeTempFolder(), redact: redactSecrets });
    const bytes = Buffer.from(log);
    async function* halves(): AsyncGenerator<Uint8Array> {
      const middle = bytes.indexOf(secret) + 8;
      yield bytes.subarray(0, middle);
      await Promise.resolve();
      yield bytes.subarray(middle);
    }
    await workspace.put({ content: halves() }, { toolCallId: "t1", sessionId: "s" });
    expect(await workspace.getOriginal("t1", { sessionId: "s" })).not.toContain(secret);
  });

  it("covers the raw JSON of recorded files, and every string of blocks and keys", async () => {
    const root = await makeTempFolder();
    const workspace = createWorkspace({ root, redact: redactSecrets });
    const block = { type: "text", text: `${log} \u00e9` };
    const message = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t1", content: [block] }],
    };
    const line = JSON.stringify({ type: "user", sessionId: "s", uuid: "u", message }).replace(
      "é",
      "\\u00e9",
    );
    const file = parseConversation(`${line}\n`);
    const offloader = createOffloader({ workspace, sessionId: "s", format: file.format });
    const { messages } = await offloader.offload(file.messages);
    expect(await everythingIn(root)).not.toContain(secret);
    const restored = file.stringify(await offloader.restore(messages));
    expect(JSON.parse(restored)).toEqual(
      JSON.parse(line.replaceAll(secret, "[redacted AWS access key]")),
    );
  });

  it.each(["files", "memory", "SQLite"])("can be turned off again in %s", async (name) => {
    const folder = await makeTempFolder();
    const stores = { memory: memoryStore(), SQLite: `sqlite:${join(folder, "offload.db")}` };
    const at = name === "files" ? { root: folder } : { store: stores[name as "memory" | "SQLite"] };
    const history = [
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "log", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: log }] },
    ];
    const before = createOffloader({
      workspace: createWorkspace({ ...at, redact: redactSecrets }),
      sessionId: "s",
    });
    const { messages } = await before.offload(history);
    expect(messages).not.toEqual(history);
    const workspace = createWorkspace(at);
    const after = createOffloader({ workspace, sessionId: "s" });
    // Known as a reference, and not stored as content.
    expect((await after.offload(messages)).messages).toEqual(messages);
    expect((await workspace.queryArtifacts({}, { sessionId: "s" })).artifacts).toHaveLength(1);
    const redacted: unknown[] = [];
    const restored = await after.restore(messages, { onRedacted: (one) => redacted.push(one) });
    expect(restored).toEqual(
      JSON.parse(JSON.stringify(history).replaceAll(secret, "[redacted AWS access key]")),
    );
    expect(redacted).toHaveLength(1);
    expect((await workspace.verify()).damaged).toEqual([]);
  });

  it("covers metadata beside clean content, and finds by what was stored", async () => {
    const root = await makeTempFolder();
    const workspace = createWorkspace({ root, redact: redactSecrets });
    const metadata = { url: `https://example.org/?key=${secret}`, tool_name: `tool ${secret}` };
    const owner = { toolCallId: `call ${secret}`, sessionId: `session ${secret}` };
    await workspace.put({ content: "clean text", metadata }, owner);
    const written = await everythingIn(root);
    expect(written).not.toContain(secret);
    expect(written).not.toContain("redactions");
    const { sessionId } = owner;
    expect(await workspace.getOriginal(owner.toolCallId, { sessionId })).toBe("clean text");
    const filter = { tool_name: metadata.tool_name };
    expect((await workspace.queryArtifacts(filter, { sessionId })).artifacts).toHaveLength(1);
  });

  it("stores nothing if the function fails, and says whose fault it is", async () => {
    const workspace = createWorkspace({
      root: await makeTempFolder(),
      redact: () => {
        throw new Error("no rules");
      },
    });
    await expect(workspace.put({ content: "text" }, { sessionId: "s" })).rejects.toMatchObject({
      code: "CALLER_FAILED",
    });
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
  });
});
