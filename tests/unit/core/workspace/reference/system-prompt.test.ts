import { describe, expect, it } from "vitest";
import { TOOL_NAMES } from "../../../../../src/index.js";
import { openMemoryWorkspace, type MemoryOptions } from "../../../../support/memory-workspace.js";

describe("the system prompt", () => {
  const promptOf = (options: MemoryOptions) => openMemoryWorkspace(options).systemPrompt();

  it("names the tools that there are, by the agent's own names", () => {
    expect(promptOf({})).toContain("grep_knowledge searches");
    const toolNames = { grep_knowledge: "search", query_knowledge: false } as const;
    const prompt = promptOf({ toolNames });
    expect(prompt).toContain("search searches");
    expect(prompt).not.toMatch(/grep_knowledge|query_knowledge/);
  });

  it("is one sentence, which says what can be relied on, and names the compact tool", () => {
    const prompt = openMemoryWorkspace().systemPrompt({ readingTools: "one" });
    expect(prompt).toMatch(/^[^.]*numbered lines are exact quotations[^.]*read_stored[^.]*\.$/);
    expect(prompt).not.toMatch(/do not|_knowledge|offload_info/);
  });

  it("follows readBy, and promises no tools where there are none", () => {
    const none = Object.fromEntries(TOOL_NAMES.map((name) => [name, false]));
    for (const options of [{ readBy: "none" }, { toolNames: none }] as const) {
      const prompt = promptOf(options);
      expect(prompt).toContain("<knowledge_list>");
      expect(prompt).not.toMatch(/tools|get_|grep_|query_/);
    }
  });

  it("and the tools cost nothing for an agent that reads by path", () => {
    const workspace = openMemoryWorkspace({ readBy: "path" });
    expect(workspace.systemPrompt()).toBe("");
    expect(workspace.tools({ sessionId: "s" })).toEqual([]);
  });
});
