import { describe, expect, it } from "vitest";
import { createWorkspace, memoryStore } from "../../../src/index.js";
import { InvalidArgumentError } from "../../../src/errors.js";

function rejectionOf(toolNames: unknown): InvalidArgumentError {
  try {
    createWorkspace({ store: memoryStore(), toolNames: toolNames as never });
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error;
    throw error;
  }
  throw new Error("was accepted");
}

describe("the names of the reading tools", () => {
  it("are refused if two tools have the same one", () => {
    const names = { grep_knowledge: "search", query_knowledge: "search" };
    const { argument, message } = rejectionOf(names);
    expect(argument).toBe("toolNames.grep_knowledge");
    expect(message).toContain("query_knowledge");
  });

  it("are refused if another tool has it by default", () => {
    const error = rejectionOf({ grep_knowledge: "query_knowledge" });
    expect(error.argument).toBe("toolNames.grep_knowledge");
  });

  it("may be the default of a tool that the agent does not have", () => {
    const toolNames = { grep_knowledge: "query_knowledge", query_knowledge: false } as const;
    const tools = createWorkspace({ store: memoryStore(), toolNames }).tools();
    expect(tools.map(({ name }) => name)).toContain("query_knowledge");
  });

  it.each(["", "search results", "suche.grün", "x".repeat(129), true, 5, null])(
    "are refused if vendors refuse them: %j",
    (name) => {
      const error = rejectionOf({ grep_knowledge: name });
      expect(error.argument).toBe("toolNames.grep_knowledge");
      expect(error.message).toContain("1 to 128 letters, digits");
    },
  );

  it("of a tool that does not exist are refused, with the nearest tool first", () => {
    const { message } = rejectionOf({ grep_knowlege: "search" });
    expect(message).toContain(
      "toolNames.grep_knowlege must be omitted: the reading tools are grep_knowledge, ",
    );
  });

  it.each(["search", 5, ["search"], null])("are refused if they are not an object: %j", (names) => {
    expect(rejectionOf(names).argument).toBe("toolNames");
  });
});
