import type { ToolResult } from "./tool-result.js";

/**
 * Keeps contents safe. When `put` has resolved, a fresh process can read what was put. With
 * `undefined` the sink says that the result had better stay where it is.
 */
export interface Sink<Stored> {
  put(result: ToolResult): Promise<Stored | undefined>;
}
