import { unlink } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { ArtifactInput, SearchFilter, Workspace } from "../../../src/index.js";
import { rejectionOf } from "../../support/rejection.js";
import { openWorkspace, workspaceOf } from "./open-workspace.js";

describe("what cannot be read", () => {
  const verbs: [string, (workspace: Workspace, id: string) => Promise<unknown>][] = [
    ["getKnowledgeById", (workspace, id) => workspace.getKnowledgeById(id)],
    ["getKnowledgeByLines", (workspace, id) => workspace.getKnowledgeByLines(id, 1, 2)],
    ["grepKnowledge", (workspace, id) => workspace.grepKnowledge(id, "x")],
    ["queryKnowledge", (workspace, id) => workspace.queryKnowledge(id)],
    ["getOriginal", (workspace, id) => workspace.getOriginal(id)],
    ["remove", (workspace, id) => workspace.remove(id)],
  ];

  it.each(verbs)(
    "%s of an unknown id names the nearest ones, at most five [DESIGN-W-read-unknown] [DESIGN-9-ids]",
    async (_, verb) => {
      const workspace = await openWorkspace();
      for (const id of ["call_11", "call_12", "call_13", "call_14", "call_15", "call_16", "other"])
        await workspace.put({ content: id }, { toolCallId: id });
      const error = await rejectionOf(verb(workspace, "call_17"));
      expect(error.code).toBe("UNKNOWN_ARTIFACT");
      expect(error).toHaveProperty("nearest.length", 5);
      expect(error.message).toContain('"call_11"');
      expect(error.message).not.toContain("other");
    },
  );

  it.each(verbs)("%s in an empty workspace says that nothing is stored", async (_, verb) => {
    const error = await rejectionOf(verb(await openWorkspace(), "a"));
    expect(error).toMatchObject({ code: "UNKNOWN_ARTIFACT", nearest: [] });
    expect(error.message).toContain("Nothing is stored here yet.");
  });

  it.each(verbs)("%s without an id is refused", async (_, verb) => {
    const error = await rejectionOf(verb(await openWorkspace(), undefined as unknown as string));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "artifactId" });
  });

  it.each(verbs)(
    "%s of a removed artifact says that it is gone for good [DESIGN-W-read-gone]",
    async (_, verb) => {
      const workspace = await workspaceOf("[1]");
      await workspace.remove("a");
      const error = await rejectionOf(verb(workspace, "a"));
      expect(error).toMatchObject({ code: "ARTIFACT_GONE", why: "removed" });
      expect(error.message).toMatch(/Do not ask for it a second time: run the tool again/);
    },
  );

  it.each(verbs.slice(0, 5))(
    "%s says so of a file deleted by hand [DESIGN-W-read-gone]",
    async (_, verb) => {
      const workspace = await openWorkspace();
      const { record } = await workspace.put({ content: "[1]" }, { toolCallId: "a" });
      await unlink(record.location);
      const error = await rejectionOf(verb(workspace, "a"));
      expect(error).toMatchObject({ code: "ARTIFACT_GONE", why: "missing" });
      expect(error.message).toContain("run the tool again");
    },
  );

  it("a session that is no text is refused by every verb", async () => {
    const workspace = await workspaceOf("x");
    const options = { sessionId: 7 as unknown as string };
    for (const call of [
      () => workspace.getOriginal("a", options),
      () => workspace.grepKnowledge("a", "x", options),
      () => workspace.queryArtifacts({}, options),
      () => workspace.getToolResultOffloadInfo(options),
    ]) {
      const error = await rejectionOf(call());
      expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "sessionId" });
    }
    const filter = null as unknown as SearchFilter;
    const error = await rejectionOf(workspace.queryArtifacts(filter));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "searchFilter" });
  });

  it("what was removed can be put again and read [DESIGN-W-remove]", async () => {
    const workspace = await workspaceOf("one");
    await workspace.remove("a");
    await workspace.put({ content: "two" }, { toolCallId: "a" });
    expect(await workspace.getOriginal("a")).toBe("two");
  });
});

describe("a bad artifact is refused", () => {
  it.each<[string, unknown, object]>([
    ["artifact", undefined, {}],
    ["content", {}, {}],
    ["content", { content: 7 }, {}],
    ["artifactId", { content: "x", artifactId: 7 }, {}],
    ["toolCallId", { content: "x" }, { toolCallId: 7 }],
    ["sessionId", { content: "x" }, { sessionId: {} }],
    ["metadata", { content: "x", metadata: "tool_name" }, {}],
    ["metadata", { content: "x", metadata: { big: 10n } }, {}],
  ])("%s", async (argument, artifact, options) => {
    const workspace = await openWorkspace();
    const error = await rejectionOf(workspace.put(artifact as ArtifactInput, options));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument });
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
  });
});
