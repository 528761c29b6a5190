import { describe, expect, it } from "vitest";
import { TOOL_NAMES } from "../../../../../src/index.js";
import {
  inputSchemaOf,
  parametersOf,
  READING_TOOLS,
} from "../../../../../src/core/workspace/tools/reading-tools.js";

describe("the table of the reading tools", () => {
  it("has the five of them", () => {
    expect(Object.keys(READING_TOOLS).sort()).toEqual([...TOOL_NAMES].sort());
  });

  it.each(TOOL_NAMES)("%s advertises what it needs, and accepts what it repeats", (name) => {
    const tool = READING_TOOLS[name];
    const schema = inputSchemaOf(tool, true);
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining([...tool.required]));
    expect(schema.properties).not.toHaveProperty("session_id");
    const accepted = parametersOf(tool);
    expect(accepted).toEqual(expect.arrayContaining(["session_id", ...(tool.repeats ?? [])]));
    expect(new Set(accepted).size).toBe(accepted.length);
  });

  it("gives a schema of its own to each caller, with sessions where there are several", () => {
    const tool = READING_TOOLS.get_tool_result_offload_info;
    const schema = inputSchemaOf(tool, false);
    expect(schema.properties).toHaveProperty("session_id");
    schema.properties["mine"] = { type: "string" };
    expect(inputSchemaOf(tool, false).properties).not.toHaveProperty("mine");
  });
});
