import { describe, expect, it } from "vitest";
import { restoreMessages } from "../../../../src/core/offloader/restore.js";
import { createReadingCalls } from "../../../../src/core/offloader/reads.js";
import { coreOf } from "../../../../src/core/workspace/workspace-core.js";
import { anthropicFormat } from "../../../../src/formats/anthropic.js";
import type { Format } from "../../../../src/formats/index.js";
import { createMemoryWorkspace } from "../../../../src/testing/index.js";
import { conversationOf } from "../../../support/conversation.js";

async function open() {
  const workspace = createMemoryWorkspace();
  const { reference } = await workspace.put(
    { content: "the original" },
    { toolCallId: "a", sessionId: "s1" },
  );
  const restore = (messages: readonly unknown[], sessionId = "s1", signal?: AbortSignal) => {
    const unknown: unknown[] = [];
    const options = { onUnknown: (one: unknown) => unknown.push(one), signal };
    const wiring = {
      ...{ core: coreOf(workspace), sessionId, format: anthropicFormat as Format },
      ...{ readingCalls: createReadingCalls({}), tools: workspace.tools({ sessionId }) },
    };
    return restoreMessages(messages, wiring, options).then((restored) => ({ restored, unknown }));
  };
  return { workspace, reference, restore };
}

describe("restoring messages", () => {
  it("puts back what a reference stands for, and shares every other message", async () => {
    const { reference, restore } = await open();
    const messages = conversationOf({ id: "a", text: reference }, { id: "b", text: "ok" });
    const { restored, unknown } = await restore(messages);
    expect(restored).toEqual(
      conversationOf({ id: "a", text: "the original" }, { id: "b", text: "ok" }),
    );
    for (const index of [0, 1, 3, 4]) expect(restored[index]).toBe(messages[index]);
    expect(unknown).toEqual([]);
  });

  it("reads every message once, whatever was replaced", async () => {
    const workspace = createMemoryWorkspace();
    const { reference } = await workspace.put(
      { content: "the original" },
      { toolCallId: "a", sessionId: "s1" },
    );
    const read: unknown[] = [];
    const format: Format = {
      ...(anthropicFormat as Format),
      read(message, visitor, options) {
        read.push(message);
        (anthropicFormat as Format).read(message, visitor, options);
      },
    };
    const messages = conversationOf({ id: "a", text: reference }, { id: "b", text: "ok" });
    const wiring = {
      ...{ core: coreOf(workspace), sessionId: "s1", format },
      ...{ readingCalls: createReadingCalls({}), tools: workspace.tools({ sessionId: "s1" }) },
    };
    const restored = await restoreMessages(messages, wiring, {});
    expect(restored[2]).toEqual(conversationOf({ id: "a", text: "the original" })[2]);
    expect(read).toEqual(messages);
  });

  it("returns the same array where there is nothing to restore", async () => {
    const { restore } = await open();
    const messages = conversationOf({ id: "a", text: "plain" });
    expect((await restore(messages)).restored).toBe(messages);
  });

  it("keeps a reference to an artifact of another session, and names it", async () => {
    const { reference, restore } = await open();
    const messages = conversationOf({ id: "a", text: reference });
    const { restored, unknown } = await restore(messages, "s2");
    expect(restored).toBe(messages);
    expect(unknown).toEqual([{ messageIndex: 2, toolCallId: "a", artifactId: "a" }]);
  });

  it("throws for a reference to what was removed, and keeps one with another hash", async () => {
    const { workspace, reference, restore } = await open();
    await workspace.remove("a");
    const messages = conversationOf({ id: "a", text: reference });
    await expect(restore(messages)).rejects.toMatchObject({ code: "ARTIFACT_GONE" });
    const other = reference.replace(/hash="\w{8}"/, 'hash="00000000"');
    const { unknown } = await restore(conversationOf({ id: "a", text: other }));
    expect(unknown).toHaveLength(1);
  });

  it("stops when it is aborted", async () => {
    const { reference, restore } = await open();
    const reason = new Error("enough");
    const messages = conversationOf({ id: "a", text: reference });
    await expect(restore(messages, "s1", AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
