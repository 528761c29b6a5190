import type { ToolResult } from "../../src/policies.js";

/** A located result with this content, for tests of what comes after locating. */
export function toolResult(content: string, changes: Partial<ToolResult> = {}): ToolResult {
  return {
    messageIndex: 0,
    slot: 0,
    id: "toolu_1",
    content,
    soleText: content,
    chars: content.length,
    isError: false,
    ...changes,
  };
}
