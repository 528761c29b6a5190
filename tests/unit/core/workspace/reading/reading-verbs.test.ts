import { describe, expect, it } from "vitest";
import type { Workspace } from "../../../../../src/index.js";
import type { SearchFilter } from "../../../../../src/stores.js";
import { rejectionOf } from "../../../../support/rejection.js";
import { memoryWorkspaceOf, openMemoryWorkspace } from "../../../../support/memory-workspace.js";

describe("what cannot be read", () => {
  const verbs: [string, (workspace: Workspace, id: string) => Promise<unknown>][] = [
    ["getKnowledgeById", (workspace, id) => workspace.getKnowledgeById(id)],
    ["getKnowledgeByLines", (workspace, id) => workspace.getKnowledgeByLines(id, 1, 2)],
    ["grepKnowledge", (workspace, id) => workspace.grepKnowledge(id, "x")],
    ["queryKnowledge", (workspace, id) => workspace.queryKnowledge(id)],
    ["getOriginal", (workspace, id) => workspace.getOriginal(id)],
    ["remove", (workspace, id) => workspace.remove(id)],
  ];

  it.each(verbs)("%s of an unknown id names the nearest ones, at most five", async (_, verb) => {
    const workspace = openMemoryWorkspace();
    for (const id of ["call_11", "call_12", "call_13", "call_14", "call_15", "call_16", "other"])
      await workspace.put({ content: id }, { sessionId: "default", toolCallId: id });
    const error = await rejectionOf(verb(workspace, "call_17"));
    expect(error.code).toBe("UNKNOWN_ARTIFACT");
    expect(error).toHaveProperty("nearest.length", 5);
    expect(error.message).toContain('"call_11"');
    expect(error.message).not.toContain("other");
  });

  it.each(verbs)("%s in an empty workspace says that nothing is stored", async (_, verb) => {
    const error = await rejectionOf(verb(openMemoryWorkspace(), "a"));
    expect(error).toMatchObject({ code: "UNKNOWN_ARTIFACT", nearest: [] });
    expect(error.message).toContain("Nothing is stored here yet.");
  });

  it.each(verbs)("%s without an id is refused", async (_, verb) => {
    const error = await rejectionOf(verb(openMemoryWorkspace(), undefined as unknown as string));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "artifactId" });
  });

  it.each(verbs)("%s of a removed artifact says that it is gone for good", async (_, verb) => {
    const workspace = await memoryWorkspaceOf("[1]");
    await workspace.remove("a");
    const error = await rejectionOf(verb(workspace, "a"));
    expect(error).toMatchObject({ code: "ARTIFACT_GONE", why: "removed" });
    expect(error.message).toMatch(/Retrying will not help: run the tool again/);
  });

  it("a session that is not a string is refused by every verb", async () => {
    const workspace = await memoryWorkspaceOf("x");
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

  it("what was removed can be put again and read", async () => {
    const workspace = await memoryWorkspaceOf("one");
    await workspace.remove("a");
    await workspace.put({ content: "two" }, { sessionId: "default", toolCallId: "a" });
    expect(await workspace.getOriginal("a")).toBe("two");
  });
});
