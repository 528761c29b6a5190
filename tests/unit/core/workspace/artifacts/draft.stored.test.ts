import { describe, expect, it } from "vitest";
import { createDraft } from "../../../../../src/core/workspace/artifacts/draft.js";
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

describe("a draft", () => {
  const drafted = (input: ArtifactInput, options: StoreOptions = {}) => {
    const workspace = openMemoryWorkspace();
    const core = coreOf(workspace);
    const draft = createDraft(core.drafting, input, options);
    return { workspace, draft, store: () => core.store(draft) };
  };

  it("shows the reference that storing gives, before it is stored", async () => {
    const { workspace, draft } = drafted({ content: "text" }, { toolCallId: "a" });
    const { reference } = draft;
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
    expect(
      (await workspace.put({ content: "text" }, { sessionId: "default", toolCallId: "a" }))
        .reference,
    ).toBe(reference);
  });

  it("shows the id that it got, once it was stored", async () => {
    const workspace = openMemoryWorkspace();
    await workspace.put({ content: "other" }, { toolCallId: "a", sessionId: "s" });
    const core = coreOf(workspace);
    const draft = createDraft(
      core.drafting,
      { content: "text" },
      { toolCallId: "a", sessionId: "s" },
    );
    const before = draft.reference;
    const { record, reference } = await core.store(draft);
    expect(record.artifactId).toMatch(/^a-[0-9a-f]{12}$/);
    expect(reference).toBe(before.replace('id="a"', `id="${record.artifactId}"`));
  });

  it.each<[string, ArtifactInput, StoreOptions, string]>([
    ["its own", { content: "x", artifactId: "own" }, { toolCallId: "call" }, "own"],
    ["the call's", { content: "x" }, { toolCallId: "call" }, "call"],
    ["that of the metadata", { content: "x", metadata: { biz_id: "meta" } }, {}, "meta"],
    ["that of the call", { content: "x", metadata: { biz_id: "no" } }, { toolCallId: "c" }, "c"],
    ["one of its content", { content: "x", artifactId: "" }, { toolCallId: "" }, "unknown-"],
  ])("has the id that it should: %s", async (_, input, options, id) => {
    const { record } = await drafted(input, options).store();
    expect(record.artifactId.startsWith(id)).toBe(true);
  });

  it("lets the parent session read it, and stops a stream that is aborted", async () => {
    const options = { toolCallId: "a", sessionId: "child", parentSessionId: "parent" };
    const { workspace, store } = drafted({ content: "x" }, options);
    await store();
    expect(await workspace.getOriginal("a", { sessionId: "parent" })).toBe("x");
    const controller = new AbortController();
    const content = (async function* () {
      yield new Uint8Array([65]);
      await Promise.resolve();
      controller.abort(new Error("enough"));
      yield new Uint8Array([66]);
    })();
    const { signal } = controller;
    await expect(drafted({ content }, { signal }).store()).rejects.toThrow("enough");
  });
});
