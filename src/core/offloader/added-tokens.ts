import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import type { Workspace } from "../workspace/workspace-types.js";

/** What the reading tools and the system prompt add to every request, in tokens. */
export function countAddedTokens(
  workspace: Workspace,
  sessionId: string,
  countTokens: CountTokens,
): number {
  const tools = workspace
    .tools({ sessionId })
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  // With `readBy: "path"` there is neither.
  const added = [tools.length > 0 ? JSON.stringify(tools) : "", workspace.systemPrompt()];
  return added.reduce((sum, text) => sum + (text === "" ? 0 : countTokens(text)), 0);
}
