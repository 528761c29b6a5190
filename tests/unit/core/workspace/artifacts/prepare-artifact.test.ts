import { describe, expect, it } from "vitest";
import { coreOf } from "../../../../../src/core/workspace/workspace-core.js";
import type {
  ArtifactInput,
  StoreOptions,
} from "../../../../../src/core/workspace/workspace-types.js";
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
    const error = await rejectionOf(
      workspace.put(artifact as ArtifactInput, { sessionId: "default", ...options }),
    );
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument });
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
  });
});

describe("a prepared artifact", () => {
  const prepare = (input: ArtifactInput, options: StoreOptions = {}) => {
    const workspace = openMemoryWorkspace();
    return { workspace, prepared: coreOf(workspace).prepare(input, options) };
  };

  it("shows the reference that storing gives, before it is stored", async () => {
    const { workspace, prepared } = prepare({ content: "text" }, { toolCallId: "a" });
    const reference = prepared.reference();
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
    expect(
      (await workspace.put({ content: "text" }, { sessionId: "default", toolCallId: "a" }))
        .reference,
    ).toBe(reference);
    expect(prepared.reference("other")).toBe(reference.replace('id="a"', 'id="other"'));
  });

  it.each<[string, ArtifactInput, StoreOptions, string]>([
    ["its own", { content: "x", artifactId: "own" }, { toolCallId: "call" }, "own"],
    ["the call's", { content: "x" }, { toolCallId: "call" }, "call"],
    ["that of the metadata", { content: "x", metadata: { biz_id: "meta" } }, {}, "meta"],
    ["that of the call", { content: "x", metadata: { biz_id: "no" } }, { toolCallId: "c" }, "c"],
    ["one of its content", { content: "x", artifactId: "" }, { toolCallId: "" }, "unknown-"],
  ])("has the id that it should: %s", async (_, input, options, id) => {
    const { record } = await prepare(input, options).prepared.store();
    expect(record.artifactId.startsWith(id)).toBe(true);
  });

  it("lets the parent session read it, and stops a stream that is aborted", async () => {
    const options = { toolCallId: "a", sessionId: "child", parentSessionId: "parent" };
    const { workspace, prepared } = prepare({ content: "x" }, options);
    await prepared.store();
    expect(await workspace.getOriginal("a", { sessionId: "parent" })).toBe("x");
    const controller = new AbortController();
    const content = (async function* () {
      yield new Uint8Array([65]);
      await Promise.resolve();
      controller.abort(new Error("enough"));
      yield new Uint8Array([66]);
    })();
    const { signal } = controller;
    await expect(prepare({ content }, { signal }).prepared.store()).rejects.toThrow("enough");
  });
});
