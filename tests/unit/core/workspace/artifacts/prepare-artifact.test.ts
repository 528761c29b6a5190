import { describe, expect, it } from "vitest";
import type { ArtifactInput } from "../../../../../src/index.js";
import { openMemoryWorkspace } from "../../../../support/memory-workspace.js";
import { rejectionOf } from "../../../../support/rejection.js";

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
    const workspace = openMemoryWorkspace();
    const error = await rejectionOf(workspace.put(artifact as ArtifactInput, options));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument });
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
  });
});
