import { describe, expect, it } from "vitest";
import { TOOL_NAMES } from "../../../../../src/index.js";
import { openMemoryWorkspace, type MemoryOptions } from "../../../../support/memory-workspace.js";

describe("the system prompt", () => {
  const promptOf = (options: MemoryOptions) => openMemoryWorkspace(options).systemPrompt();

  it("names the tools that there are, by the agent's own names [DESIGN-R-004-prompt] [DESIGN-W-tools-naming]", () => {
    for (const name of TOOL_NAMES) expect(promptOf({})).toContain(`- ${name}: `);
    const toolNames = { grep_knowledge: "search", query_knowledge: false } as const;
    const prompt = promptOf({ toolNames });
    expect(prompt).toContain("- search: ");
    expect(prompt).not.toMatch(/grep_knowledge|query_knowledge/);
  });

  it("follows readBy, and promises no tools where there are none [DESIGN-10]", () => {
    const none = Object.fromEntries(TOOL_NAMES.map((name) => [name, false]));
    for (const options of [{ readBy: "path" }, { readBy: "none" }, { toolNames: none }] as const) {
      const prompt = promptOf(options);
      expect(prompt).toContain("<knowledge_list>");
      expect(prompt).not.toMatch(/tools|get_|grep_|query_/);
      expect(prompt.includes("path")).toBe("readBy" in options && options.readBy === "path");
    }
  });
});
