import type { ToolResult } from "./tool-result.js";

/**
 * Stores content durably. Once `put` has resolved, a fresh process can read what was put. Resolves
 * to `undefined` to keep the result in the message.
 */
export interface Sink<Stored> {
  put(result: ToolResult): Promise<Stored | undefined>;
  /** What it holds of this result already, as far as it can tell at once. */
  recall?(result: ToolResult): Stored | undefined;
}

/** Writes the text that replaces a result's content, and recognizes it. */
export interface Reference<Stored> {
  render(stored: Stored): string;
  /**
   * What the result's content refers to, when the whole content is a reference that names the
   * result's own id; `undefined` for content that merely contains the text of a reference.
   */
  resolve(result: ToolResult): Stored | undefined;
}
