import { expect, it } from "vitest";
import {
  detailsOf,
  infoOf,
  sizeOf,
} from "../../../../../src/core/workspace/artifacts/describe-record.js";
import { memoryWorkspaceOf } from "../../../../support/memory-workspace.js";

it("a record is listed and logged with its session and the lines that can be read", async () => {
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
    chars: 11,
    lines: 6,
    tokens: 7,
    created_at: record.createdAt,
  });
  expect(detailsOf(record)).toMatchObject({ artifact_id: "a", session_id: "s1", tool_name: null });
  expect(sizeOf(record)).toEqual({ bytes: 11, chars: 11, lines: 1, tokens: 7 });
});
