import { describe, expect, it } from "vitest";
import { createOffloader, estimateTokens, type ToolDescription } from "../../../../../src/index.js";
import { openMemoryWorkspace } from "../../../../support/memory-workspace.js";

/** What tools and prompt may add to every request, in tokens. */
const MAX_TOKENS = 450;

const tokensOf = (tools: readonly object[]): number =>
  tools.reduce((sum, tool) => sum + estimateTokens(JSON.stringify(tool)), 0);

const describeTool = ({ name, description, inputSchema }: ToolDescription) => ({
  name,
  description,
  input_schema: inputSchema,
});

describe("what is added to every request", () => {
  it.each([{}, { sessionId: "session-1" }])("is at most 450 tokens, with tools(%j)", (options) => {
    const workspace = openMemoryWorkspace();
    const tools = tokensOf(workspace.tools(options).map(describeTool));
    const prompt = estimateTokens(workspace.systemPrompt());
    expect(tools).toBeGreaterThan(100);
    expect(tools + prompt).toBeLessThanOrEqual(MAX_TOKENS);
  });

  it("is no more through an offloader", () => {
    const workspace = openMemoryWorkspace();
    const offloader = createOffloader({ workspace, sessionId: "s", format: "anthropic" });
    const tools = offloader.tools();
    expect(tools).toHaveLength(5);
    const tokens = tokensOf(tools) + estimateTokens(offloader.systemPrompt());
    expect(tokens).toBeLessThanOrEqual(MAX_TOKENS);
  });
});
