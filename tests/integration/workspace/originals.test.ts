import { appendFile, unlink } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../../src/index.js";
import { rejectionOf } from "../../support/rejection.js";
import { openWorkspace } from "./open-workspace.js";

describe("an original on the disk", () => {
  const reads: [string, (workspace: Workspace, id: string) => Promise<unknown>][] = [
    ["getKnowledgeById", (workspace, id) => workspace.getKnowledgeById(id)],
    ["getKnowledgeByLines", (workspace, id) => workspace.getKnowledgeByLines(id, 1, 2)],
    ["grepKnowledge", (workspace, id) => workspace.grepKnowledge(id, "x")],
    ["queryKnowledge", (workspace, id) => workspace.queryKnowledge(id)],
    ["getOriginal", (workspace, id) => workspace.getOriginal(id)],
  ];

  it.each(reads)("%s says so of a file deleted by hand", async (_, verb) => {
    const workspace = await openWorkspace();
    const { record } = await workspace.put(
      { content: "[1]" },
      { sessionId: "default", toolCallId: "a" },
    );
    await unlink(record.location);
    const error = await rejectionOf(verb(workspace, "a"));
    expect(error).toMatchObject({ code: "ARTIFACT_GONE", why: "missing" });
    expect(error.message).toContain("run the tool again");
  });

  it("of a file that was changed is refused", async () => {
    const workspace = await openWorkspace();
    const { record } = await workspace.put(
      { content: "as it was" },
      { sessionId: "default", toolCallId: "a" },
    );
    await appendFile(record.location, "!");
    const error = await rejectionOf(workspace.getOriginal("a"));
    expect(error.code).toBe("ARTIFACT_DAMAGED");
    expect(error.message).toContain("run the tool again");
  });

  it("a stream that fails is refused with its reason, and nothing is stored", async () => {
    const workspace = await openWorkspace();
    const content = (async function* () {
      yield Buffer.from("half");
      await Promise.resolve();
      throw new Error("the source broke");
    })();
    const error = await rejectionOf(
      workspace.put({ content }, { sessionId: "default", toolCallId: "a" }),
    );
    expect(error.code).toBe("CALLER_FAILED");
    expect(error.message).toContain("the source broke");
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
    expect((await workspace.verify()).orphaned).toEqual([]);
  });
});
