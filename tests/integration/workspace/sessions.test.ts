import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorkspace } from "../../../src/index.js";
import { listTree } from "../../support/list-tree.js";
import { READING_VERBS as reads } from "../../support/reading-verbs.js";
import { rejectionOf } from "../../support/rejection.js";
import { makeTempFolder } from "../../support/temp-folder.js";
import { openWorkspace } from "./open-workspace.js";

describe("a session", () => {
  it("is there for a second workspace on the same folder", async () => {
    const root = await makeTempFolder();
    const one = createWorkspace({ root });
    const other = createWorkspace({ root });
    await one.put({ content: "x" }, { toolCallId: "a", sessionId: "c", parentSessionId: "p" });
    expect(await other.getOriginal("a", { sessionId: "p" })).toBe("x");
    await one.put({ content: "y" }, { toolCallId: "b", sessionId: "c" });
    expect(await other.getOriginal("b", { sessionId: "c" })).toBe("y");
  });
});

describe("a namespace", () => {
  it.each(reads)("%s sees nothing of another one", async (_, read) => {
    const root = await makeTempFolder();
    const one = createWorkspace({ root, namespace: "one" });
    const other = createWorkspace({ root, namespace: "other" });
    await one.put({ content: "[1]" }, { toolCallId: "a", sessionId: "s" });
    for (const sessionId of [undefined, "s", "../one/s"]) {
      const error = await rejectionOf(read(other, "a", sessionId));
      expect(error).toMatchObject({ code: "UNKNOWN_ARTIFACT", nearest: [] });
    }
    expect((await other.queryArtifacts()).artifacts).toEqual([]);
    const error = await rejectionOf(other.getToolResultOffloadInfo({ namespace: "one" }));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "namespace" });
  });
});

describe("an id is data, not a path", () => {
  const HOSTILE = {
    "climbing out": "../../x",
    "an absolute path": "/etc/passwd",
    "1,500 characters": "i".repeat(1_500),
    emoji: "🎉🎊",
    manifest: "manifest",
    "the manifest's file": "manifest.jsonl",
    "the cache": ".cache",
    "a key of every object": "__proto__",
    "a NUL and a line break": "a\0\nb",
    "a lone surrogate": "a\ud800",
    dots: "..",
  };

  it.each(Object.entries(HOSTILE))("%s", async (_, id) => {
    const top = await makeTempFolder();
    const root = join(top, "one", "two");
    const workspace = createWorkspace({ root, namespace: id });
    await workspace.put({ content: "plain" }, { toolCallId: "plain", sessionId: "plain" });
    const { record } = await workspace.put(
      { content: "hostile" },
      { toolCallId: id, sessionId: id },
    );
    expect(record).toMatchObject({ artifactId: id, sessionId: id });
    const fresh = createWorkspace({ root, namespace: id });
    for (const sessionId of [undefined, id])
      expect(await fresh.getOriginal(id, { sessionId })).toBe("hostile");
    const page = await fresh.queryArtifacts({ session_id: id, biz_id: id });
    expect(page.artifacts.map(({ artifactId }) => artifactId)).toEqual([id]);
    expect(record.location.startsWith(join(root, "v1"))).toBe(true);
    for (const path of await listTree(top)) expect(path).toMatch(/^one\//);
    expect(await fresh.verify()).toMatchObject({ artifacts: 2, damaged: [], orphaned: [] });
  });

  it("an empty session is nobody's, and is rejected rather than shared", async () => {
    const workspace = await openWorkspace();
    const put = workspace.put({ content: "x" }, { toolCallId: "a", sessionId: "" });
    expect(await rejectionOf(put)).toMatchObject({
      code: "INVALID_ARGUMENT",
      argument: "sessionId",
    });
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
  });

  it("a session's folder that is a link is not followed", async () => {
    const root = await makeTempFolder();
    const workspace = createWorkspace({ root });
    const { record } = await workspace.put({ content: "x" }, { toolCallId: "a", sessionId: "s" });
    await symlink(join(record.location, ".."), join(root, "v1", "default", "link"));
    const error = await rejectionOf(workspace.getOriginal("a", { sessionId: "link" }));
    expect(error.code).toBe("UNSAFE_PATH");
    expect(await workspace.getOriginal("a")).toBe("x");
  });
});
