import { describe, expect, it } from "vitest";
import { completeMetadata } from "../../../../../src/core/workspace/artifacts/artifact.js";

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
