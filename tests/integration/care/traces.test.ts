import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createOffloader, createWorkspace, DEFAULTS } from "../../../src/index.js";
import { rejectionOf } from "../../support/rejection.js";
import { makeTempFolder } from "../../support/temp-folder.js";

const SESSION = "s1";
/** Of content, metadata and the call: what must not be found any more. */
const MARKS = ["CONTENTMARK", "METAMARK", "TOOLMARK", "CUSTOMERMARK"];

/** Everything that is in the files of a folder, and in their names. */
async function allBytes(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  const texts = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      return `${entry.name}\n${entry.isDirectory() ? await allBytes(path) : await readFile(path, "latin1")}`;
    }),
  );
  return texts.join("\n");
}

/** Which of these texts are to be read in a folder. */
async function found(folder: string, ...texts: readonly string[]): Promise<string[]> {
  const bytes = await allBytes(folder);
  return texts.filter((text) => bytes.includes(text));
}

async function makeFilled(scheme: "file" | "sqlite") {
  const folder = await makeTempFolder();
  const store = `${scheme}:${join(folder, scheme === "file" ? "files" : "x.db")}`;
  const workspace = createWorkspace({ store });
  const offloader = createOffloader({ workspace, sessionId: SESSION, format: "anthropic" });
  const { messages } = await offloader.offload([
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_1", name: "TOOLMARK", input: {} }],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: "CONTENTMARK diagnosis\n".repeat(20_000),
        },
      ],
    },
  ]);
  const scope = { sessionId: SESSION };
  const { record } = await workspace.put(
    { content: "CONTENTMARK x", metadata: { customer: "CUSTOMERMARK", note: "METAMARK 1970" } },
    { ...scope, toolCallId: "call_1" },
  );
  // Makes data that is derived from the content.
  await workspace.getKnowledgeByLines("toolu_1", 19_000, 19_001, scope);
  // Many others, which make pages of an index part, and move what is on them.
  for (let at = 0; at < 150; at++) {
    await workspace.put(
      { content: `CONTENTMARK ${at}`, metadata: { customer: `CUSTOMERMARK ${at}` } },
      { ...scope, toolCallId: `call_${(at * 7_919) % 1_000}` },
    );
    await workspace.put({ content: `kept ${at}` }, { sessionId: "s2", toolCallId: `kept_${at}` });
  }
  return { folder, store, workspace, offloader, messages, record };
}

afterEach(() => {
  vi.useRealTimers();
});

describe.each(["file", "sqlite"] as const)("what is removed from %s:", (scheme) => {
  it("leaves an id, the digits that its reference shows, and nothing else", async () => {
    const { folder, store, workspace, messages, record } = await makeFilled(scheme);
    const marks = [...MARKS, record.hash];
    expect(await found(folder, ...marks)).toEqual(marks);
    await workspace.removeSession(SESSION);
    // At once, while the host goes on.
    expect(await found(folder, ...marks)).toEqual([]);
    const kept = ["toolu_1", record.hash.slice(0, 8)];
    expect(await found(folder, ...kept)).toEqual(kept);
    await workspace.close();
    expect(await found(folder, ...marks)).toEqual([]);

    const fresh = createWorkspace({ store });
    const restoring = createOffloader({
      ...{ workspace: fresh, sessionId: SESSION, format: "anthropic" },
    });
    expect((await rejectionOf(restoring.restore(messages))).code).toBe("ARTIFACT_GONE");
    expect(await fresh.getOriginal("kept_149", { sessionId: "s2" })).toBe("kept 149");
    expect(await fresh.verify()).toMatchObject({ artifacts: 150, damaged: [], brokenLines: 0 });
    await fresh.close();
  });

  it("one by one leaves as little", async () => {
    const { folder, workspace, record } = await makeFilled(scheme);
    await workspace.remove("call_1", { sessionId: SESSION });
    expect(await found(folder, "METAMARK", record.hash, "CONTENTMARK")).toEqual(["CONTENTMARK"]);
    await workspace.close();
  });

  it("ends with its tombstone", async () => {
    const { folder, store, workspace, record } = await makeFilled(scheme);
    await workspace.removeSession(SESSION);
    const later = Date.now() + DEFAULTS.tombstoneMs + 1_000;
    vi.useFakeTimers({ now: later, toFake: ["Date"] });
    const fresh = createWorkspace({ store });
    const reading = fresh.getOriginal("call_1", { sessionId: SESSION });
    expect((await rejectionOf(reading)).code).toBe("UNKNOWN_ARTIFACT");
    await fresh.verify();
    await Promise.all([fresh.close(), workspace.close()]);
    expect(await found(folder, record.hash.slice(0, 8), "toolu_1")).toEqual([]);
  });

  it("with a purge leaves nothing at all", async () => {
    const { folder, store, workspace } = await makeFilled(scheme);
    expect(await workspace.purge({ sessionId: SESSION })).toEqual({ artifacts: 152 });
    expect(await found(folder, ...MARKS, "toolu_1", "call_1")).toEqual([]);
    expect(await workspace.getOriginal("kept_1", { sessionId: "s2" })).toBe("kept 1");
    await workspace.purge({ wholeNamespace: true });
    await workspace.close();
    expect(await found(folder, "kept")).toEqual([]);
    const fresh = createWorkspace({ store });
    expect(await fresh.sessions()).toEqual([]);
    await fresh.close();
  });
});
