import type { ToolResult } from "./tool-result.js";

/**
 * Keeps content safe. When `put` has resolved, a fresh process can read what was put. Resolves to
 * `undefined` to keep the result in the message.
 */
export interface Sink<Stored> {
  put(result: ToolResult): Promise<Stored | undefined>;
}
