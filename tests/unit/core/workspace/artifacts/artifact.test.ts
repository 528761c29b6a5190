import { describe, expect, it } from "vitest";
import { candidateIds } from "../../../../../src/stores.js";
import {
  idOfContent,
  isIdFor,
  completeMetadata,
} from "../../../../../src/core/workspace/artifacts/artifact.js";
import {
  detailsOf,
  infoOf,
  sizeOf,
} from "../../../../../src/core/workspace/artifacts/describe-record.js";
import { memoryWorkspaceOf } from "../../../../support/memory-workspace.js";

const HASH = "0123456789abcdef".repeat(4);
describe("the ids that content may take", () => {
  it("the wanted one, then with a short hash, then with the whole hash", () => {
    expect(candidateIds("toolu_1", HASH)).toEqual([
      "toolu_1",
      "toolu_1-0123456789ab",
      `toolu_1-${HASH}`,
    ]);
  });

  it("without a wanted one, an id of the content", () => {
    expect(idOfContent(HASH)).toBe("unknown-0123456789abcdef");
    expect(candidateIds(undefined, HASH)[0]).toBe(idOfContent(HASH));
  });

  it.each(["toolu_1", "a-b", "a.b*c", "", undefined])(
    "all are known again as those of %j",
    (id) => {
      for (const candidate of candidateIds(id, HASH)) expect(isIdFor(candidate, id)).toBe(true);
    },
  );

  it.each([
    ["toolu_1", "toolu_2"],
    ["toolu_1-0123456789ab", "toolu_2"],
    ["toolu_1-0123456789a", "toolu_1"],
    ["toolu_1-0123456789abc", "toolu_1"],
    ["toolu_1-0123456789aX", "toolu_1"],
    ["toolu_10123456789ab", "toolu_1"],
    ["toolu_1-0123456789ab-0123456789ab", "toolu_1"],
    ["x-toolu_1", "toolu_1"],
    ["aXb", "a.b"],
    ["", "toolu_1"],
    ["toolu_1", undefined],
    ["unknown-0123", undefined],
    ["unknown-0123456789abcdef-0", undefined],
    ["unknown-0123456789abcdef-0123456789ab-0", undefined],
    ["x-unknown-0123456789abcdef", undefined],
  ])("%j is not one of %j", (artifactId, toolCallId) => {
    expect(isIdFor(artifactId, toolCallId)).toBe(false);
  });
});

const NOTHING = {
  context_type: "tool_result",
  biz_id: null,
  agent_id: null,
  task_id: null,
  session_id: null,
  tool_name: null,
  action_name: null,
};
describe("metadata", () => {
  it("always has the named ones; what is not known is null", () => {
    expect(completeMetadata({}, undefined, undefined)).toEqual(NOTHING);
  });

  it("keeps what was given, and whatever else", () => {
    const given = {
      context_type: "document",
      agent_id: "agent",
      task_id: "task",
      tool_name: "browser",
      action_name: "snapshot",
      offload: true,
      nested: { deep: [1] },
    };
    const metadata = completeMetadata(given, "call", "session");
    expect(metadata).toEqual({ ...given, biz_id: "call", session_id: "session" });
    expect(given).not.toHaveProperty("biz_id");
  });

  it("takes the ids of the call before those of the metadata, and these before none", () => {
    const given = { biz_id: "given", session_id: "given" };
    expect(completeMetadata(given, "call", undefined)).toMatchObject({
      biz_id: "call",
      session_id: "given",
    });
    expect(completeMetadata(given, undefined, "call")).toMatchObject({
      biz_id: "given",
      session_id: "call",
    });
  });

  it.each([1, null, undefined, {}, ["x"], true])(
    "a named one that is %j counts as not known",
    (value) => {
      const given = Object.fromEntries(Object.keys(NOTHING).map((name) => [name, value]));
      expect(completeMetadata(given, undefined, undefined)).toEqual(NOTHING);
    },
  );
});

it("a record is listed and logged with its session and the size that can be read", async () => {
  const content = '{"a":[1,2]}';
  const workspace = await memoryWorkspaceOf(content, { sessionId: "s1", countTokens: () => 7 });
  const record = await workspace.getArtifact("a");
  expect(infoOf(record)).toEqual({
    artifact_id: "a",
    biz_id: "a",
    tool_name: null,
    action_name: null,
    session_id: "s1",
    task_id: null,
    chars: 29,
    lines: 6,
    tokens: 7,
    created_at: record.createdAt,
  });
  expect(detailsOf(record)).toMatchObject({ artifact_id: "a", session_id: "s1", tool_name: null });
  expect(sizeOf(record)).toEqual({ bytes: 11, chars: 11, lines: 1, tokens: 7 });
});
