import type { ToolResult } from "./tool-result.js";

/** Writes the text that is left in a message, and knows it again. */
export interface Reference<Stored> {
  render(stored: Stored): string;
  /**
   * What the result's content refers to, when it is a reference as a whole and names the result's
   * own id. A content that merely contains a reference's text is `undefined` here.
   */
  resolve(result: ToolResult): Stored | undefined;
}
