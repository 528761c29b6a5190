import { describe, expect, it } from "vitest";
import { parseKnowledgeList } from "../../../../src/index.js";
import { openMemoryWorkspace } from "../../../support/memory-workspace.js";
import { textOf } from "../../../support/tool-messages.js";

describe("offloadByWorkspace", () => {
  it("gives short content back, together long ones as one list", async () => {
    const workspace = openMemoryWorkspace();
    const half = textOf(20_000, "half");
    expect(await workspace.offloadByWorkspace({ content: "short" }, { toolCallId: "one" })).toBe(
      "short",
    );
    const artifacts = [
      { artifactId: "p", content: half },
      { artifactId: "q", content: half },
    ];
    const text = await workspace.offloadByWorkspace(artifacts, { toolCallId: "two" });
    expect(parseKnowledgeList(text)).toEqual(["p", "q"]);
    const { artifacts: stored } = await workspace.queryArtifacts({ biz_id: "two" });
    expect(stored.map(({ artifactId }) => artifactId)).toEqual(["p", "q"]);
  });

  it("none at all is an error", async () => {
    const workspace = openMemoryWorkspace();
    await expect(workspace.offloadByWorkspace([], { toolCallId: "a" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      argument: "artifacts",
    });
  });
});
