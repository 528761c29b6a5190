import { describe, expect, it } from "vitest";
import {
  findReferenced,
  isHeld,
  NOTHING_HELD,
  wasOffloaded,
} from "../../../../src/core/offloader/held-session.js";
import { LocatedResult, ContentMemory } from "../../../../src/core/offloader/located-result.js";
import { coreOf } from "../../../../src/core/workspace/workspace-core.js";
import { createMemoryWorkspace } from "../../../../src/testing/index.js";
import { toolResult } from "../../../support/tool-results.js";

async function hold(metadata: Record<string, unknown> = {}) {
  const workspace = createMemoryWorkspace();
  const core = coreOf(workspace);
  const put = (content: string, toolCallId?: string) =>
    workspace.put({ content, metadata }, { toolCallId, sessionId: "s1" });
  const { record, reference } = await put("content", "a");
  const memory = new ContentMemory(core.hash, (text) => text.length);
  const located = (content: string, id?: string) =>
    new LocatedResult({ ...toolResult(content), id }, 0, undefined, memory);
  return { session: await core.listSession("s1"), record, reference, located, put };
}

describe("what a session holds", () => {
  it("is held under its id with its hash, and not with another", async () => {
    const { session, record } = await hold();
    expect(isHeld(session, "a", record.hash)).toBe(true);
    expect(isHeld(session, "a", "0".repeat(64))).toBe(false);
    expect(isHeld(session, "b", record.hash)).toBe(false);
    expect(isHeld(NOTHING_HELD, "a", record.hash)).toBe(false);
  });

  it("is referred to by the reference of the same call alone", async () => {
    const { session, record, reference } = await hold();
    expect(findReferenced(session, reference, "a")).toBe(record);
    expect(findReferenced(session, reference, "b")).toBeUndefined();
    expect(findReferenced(session, `${reference}\n`, "a")).toBeUndefined();
    expect(findReferenced(session, undefined, "a")).toBeUndefined();
    expect(findReferenced(NOTHING_HELD, reference, "a")).toBeUndefined();
    const otherHash = reference.replace(/hash="\w{8}"/, 'hash="00000000"');
    expect(findReferenced(session, otherHash, "a")).toBeUndefined();
  });

  it.each([
    [{ offloaded_as: "reference" }, true],
    [{}, false],
    [{ offloaded_as: "copy" }, false],
  ])("with metadata %j was offloaded by an offloader: %s", async (metadata, offloaded) => {
    const { session, located } = await hold(metadata);
    expect(wasOffloaded(session, located("content", "a"))).toBe(offloaded);
  });

  it("was not offloaded under another id or with other content", async () => {
    const { session, located, put } = await hold({ offloaded_as: "reference" });
    expect(wasOffloaded(session, located("content", "b"))).toBe(false);
    expect(wasOffloaded(session, located("other", "a"))).toBe(false);
    await put("other", "a");
    expect(wasOffloaded(session, located("other", "a"))).toBe(true);
  });
});
