import { describe, expect, it } from "vitest";
import {
  findReferenced,
  isHeld,
  EMPTY_SESSION,
  findStored,
  type SessionIndex,
} from "../../../../src/core/offloader/session-index.js";
import { coreOf } from "../../../../src/core/workspace/workspace-core.js";
import { createMemoryWorkspace } from "../../../../src/testing/index.js";

async function hold(metadata: Record<string, unknown> = {}) {
  const workspace = createMemoryWorkspace();
  const core = coreOf(workspace);
  const put = (content: string, toolCallId?: string) =>
    workspace.put({ content, metadata }, { toolCallId, sessionId: "s1" });
  const { record, reference } = await put("content", "a");
  return { session: await core.listSession("s1"), record, reference, hash: core.hash, put };
}

const referenced = (session: SessionIndex, soleText: string | undefined, id: string) =>
  findReferenced(session, { soleText, id })?.record;
const offloaded = (session: SessionIndex, id: string, hash: string) =>
  findStored(session, { id, hash, place: undefined }, undefined, () => []);

describe("what a session holds", () => {
  it("is held under its id with its hash, and not with another", async () => {
    const { session, record } = await hold();
    expect(isHeld(session, "a", record.hash)).toBe(true);
    expect(isHeld(session, "a", "0".repeat(64))).toBe(false);
    expect(isHeld(session, "b", record.hash)).toBe(false);
    expect(isHeld(EMPTY_SESSION, "a", record.hash)).toBe(false);
  });

  it("is referred to by the reference of the same call alone", async () => {
    const { session, record, reference } = await hold();
    expect(referenced(session, reference, "a")).toBe(record);
    expect(referenced(session, reference, "b")).toBeUndefined();
    expect(referenced(session, `${reference}\n`, "a")).toBeUndefined();
    expect(referenced(session, undefined, "a")).toBeUndefined();
    expect(referenced(EMPTY_SESSION, reference, "a")).toBeUndefined();
    const otherHash = reference.replace(/hash="\w{8}"/, 'hash="00000000"');
    expect(referenced(session, otherHash, "a")).toBeUndefined();
  });

  it.each([
    [{ offloaded_as: "reference" }, true],
    [{}, false],
    [{ offloaded_as: "copy" }, false],
  ])("with metadata %j was offloaded by an offloader: %s", async (metadata, isOffloaded) => {
    const { session, hash } = await hold(metadata);
    expect(offloaded(session, "a", hash("content")) !== undefined).toBe(isOffloaded);
  });

  it("was not offloaded under another id or with other content", async () => {
    const { session, hash, put } = await hold({ offloaded_as: "reference" });
    expect(offloaded(session, "b", hash("content"))).toBeUndefined();
    expect(offloaded(session, "a", hash("other"))).toBeUndefined();
    const { record } = await put("other", "a");
    expect(offloaded(session, "a", hash("other"))).toBe(record);
  });
});
