import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import {
  copyWorkspace,
  createOffloader,
  createWorkspace,
  memoryStore,
  type Workspace,
} from "../../../src/index.js";
import { minTokens } from "../../../src/policies.js";
import type { NewArtifact } from "../../../src/stores.js";
import { artifactOf } from "../../../src/testing/store-context.js";
import { makeTempFolder } from "../../support/temp-folder.js";

async function filled(count = 12): Promise<Workspace> {
  const workspace = createWorkspace({ root: await makeTempFolder() });
  for (let i = 0; i < count; i++) {
    const content = i % 3 === 0 ? { rows: [i], text: "\ud800 é" } : `line ${i}\n`.repeat(i * 100);
    await workspace.put(
      { content, metadata: { tool_name: `tool${i}`, extra: i } },
      {
        toolCallId: `t${i}`,
        sessionId: `s${i % 2}`,
        ...(i === 1 ? { parentSessionId: "parent" } : {}),
      },
    );
  }
  return workspace;
}

const listed = async (workspace: Workspace) => {
  const { artifacts } = await workspace.queryArtifacts({}, { limit: 100 });
  return artifacts.map((record) => ({ ...record, location: "" }));
};

describe("copyWorkspace", () => {
  it("moves everything to another store, exactly", async () => {
    const from = await filled();
    const to = createWorkspace({ store: `sqlite:${await makeTempFolder()}/copy.db` });
    const report = await copyWorkspace(from, to);
    expect(report).toMatchObject({ copied: 12, skipped: 0 });
    expect(await listed(to)).toEqual(await listed(from));
    for (const { artifactId, sessionId } of await listed(from)) {
      expect(await to.getOriginal(artifactId, { sessionId })).toEqual(
        await from.getOriginal(artifactId, { sessionId }),
      );
    }
    expect(await to.getArtifact("t1", { sessionId: "parent" })).toMatchObject({ artifactId: "t1" });
    await to.close();
  });

  it("goes on where it was interrupted", async () => {
    const from = await filled();
    const to = createWorkspace({ store: memoryStore() });
    const controller = new AbortController();
    const interrupted = copyWorkspace(from, to, {
      signal: controller.signal,
      onProgress: ({ copied }) => {
        if (copied === 5) controller.abort();
      },
    });
    await expect(interrupted).rejects.toThrow();
    expect(await copyWorkspace(from, to)).toMatchObject({ copied: 7, skipped: 5 });
    expect(await copyWorkspace(from, to)).toMatchObject({ copied: 0, skipped: 12 });
    expect(await listed(to)).toHaveLength(12);
  });

  const encrypted = () => ({ encryption: { key: randomBytes(32) } });
  const redacting = { redact: (text: string) => text.replaceAll("hunter2", "[redacted]") };
  it.each([
    ["plain → encrypted", {}, encrypted()],
    ["plain → redacting", {}, redacting],
    ["encrypted → plain", encrypted(), {}],
    ["redacting → plain", redacting, {}],
    ["encrypted → another key", encrypted(), encrypted()],
    ["redacting → encrypted", redacting, encrypted()],
  ])("keeps the references of conversations valid: %s", async (_, here, there) => {
    const options = { sessionId: "s", format: "anthropic", policy: minTokens(100) } as const;
    const text = Array.from({ length: 400 }, (_, i) => `line ${i} of ${i * 7919}`).join("\n");
    const block = { type: "tool_result", tool_use_id: "t1", content: text };
    const history = [
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "log", input: {} }] },
      { role: "user", content: [block] },
    ];
    const from = createWorkspace({ root: await makeTempFolder(), ...here });
    const { messages } = await createOffloader({ workspace: from, ...options }).offload(history);
    expect(messages).not.toEqual(history);
    for (const store of [memoryStore(), `sqlite:${await makeTempFolder()}/copy.db`]) {
      const to = createWorkspace({ store, ...there });
      expect(await copyWorkspace(from, to)).toMatchObject({ copied: 1, notCopied: [] });
      expect(await copyWorkspace(from, to)).toMatchObject({ copied: 0, skipped: 1 });
      const offloader = createOffloader({ workspace: to, ...options });
      expect(await offloader.restore(messages)).toEqual(history);
      // A reference is known as one, and not stored as content.
      expect((await offloader.offload(messages)).messages).toEqual(messages);
      expect(await listed(to)).toHaveLength(1);
      expect((await to.verify()).damaged).toEqual([]);
      // And back again.
      const back = createWorkspace({ store: memoryStore(), ...here });
      await copyWorkspace(to, back);
      const returned = createOffloader({ workspace: back, ...options });
      expect(await returned.restore(messages)).toEqual(history);
      await to.close();
    }
  });

  it("a root that was redacted once gives everything back without redaction", async () => {
    const root = await makeTempFolder();
    const options = { sessionId: "s", format: "anthropic", policy: minTokens(100) } as const;
    const content = Array.from({ length: 400 }, (_, i) => `line ${i} of ${i * 7919}`).join("\n");
    const history = [
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "log", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content }] },
    ];
    const before = createWorkspace({ root, ...redacting });
    const { messages } = await createOffloader({ workspace: before, ...options }).offload(history);
    const workspace = createWorkspace({ root });
    const offloader = createOffloader({ workspace, ...options });
    expect(await offloader.restore(messages)).toEqual(history);
  });

  it.each([
    ["memory", () => Promise.resolve({ store: memoryStore() })],
    ["files", async () => ({ root: await makeTempFolder() })],
    ["files, encrypted", async () => ({ root: await makeTempFolder(), ...encrypted() })],
  ])("tells of an id that holds other content in %s, and copies the rest", async (_, place) => {
    const from = await filled(6);
    const to = createWorkspace(await place());
    await to.put({ content: "another host" }, { toolCallId: "t2", sessionId: "s0" });
    for (const copied of [5, 0]) {
      const report = await copyWorkspace(from, to);
      expect(report).toMatchObject({ copied, skipped: 5 - copied });
      expect(report.notCopied).toEqual([
        { sessionId: "s0", artifactId: "t2", problem: expect.any(String) as string },
      ]);
    }
    const ids = (await listed(to)).map(({ artifactId }) => artifactId);
    expect(ids.sort()).toEqual(["t0", "t1", "t2", "t3", "t4", "t5"]);
    expect(await to.getOriginal("t2", { sessionId: "s0" })).toBe("another host");
    expect((await to.verify()).orphaned).toEqual([]);
  });

  it("leaves no copy behind under another id when a put takes the id meanwhile", async () => {
    const from = await filled(1);
    const storage = memoryStore();
    const other = storage("default");
    let isTaken = false;
    const to = createWorkspace({
      store: (namespace) => {
        const store = storage(namespace);
        return new Proxy(store, {
          get(target, name) {
            if (name === "put") {
              return async (artifact: NewArtifact) => {
                if (!isTaken) {
                  isTaken = true;
                  await other.put(artifactOf("of another host", { sessionId: "s0", id: "t0" }));
                }
                return target.put(artifact);
              };
            }
            const value = Reflect.get(target, name) as unknown;
            return typeof value === "function" ? (value.bind(target) as unknown) : value;
          },
        });
      },
    });
    const { copied, notCopied } = await copyWorkspace(from, to);
    expect({ copied, notCopied: notCopied.length }).toEqual({ copied: 0, notCopied: 1 });
    expect((await listed(to)).map(({ artifactId }) => artifactId)).toEqual(["t0"]);
  });

  it("does not carry damage over", async () => {
    const from = await filled(2);
    const { location } = await from.getArtifact("t1", { sessionId: "s1" });
    await writeFile(location, "x".repeat(700));
    const to = createWorkspace({ store: memoryStore() });
    expect(await copyWorkspace(from, to)).toMatchObject({
      copied: 1,
      notCopied: [
        {
          sessionId: "s1",
          artifactId: "t1",
          problem: expect.stringContaining("damaged") as string,
        },
      ],
    });
    expect((await listed(to)).map(({ artifactId }) => artifactId)).toEqual(["t0"]);
  });
});
