import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { copyWorkspace, createWorkspace, memoryStore, type Workspace } from "../../../src/index.js";
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
  return artifacts.map(({ location: _, ...record }) => record);
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

  it("does not carry damage over", async () => {
    const from = await filled(2);
    const { location } = await from.getArtifact("t1", { sessionId: "s1" });
    await writeFile(location, "x".repeat(700));
    const to = createWorkspace({ store: memoryStore() });
    await expect(copyWorkspace(from, to)).rejects.toMatchObject({ code: "ARTIFACT_DAMAGED" });
    expect((await listed(to)).map(({ artifactId }) => artifactId)).toEqual(["t0"]);
  });
});
