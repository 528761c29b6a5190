import type { ToolResult } from "./tool-result.js";

/** Keeps contents safe. When `put` has resolved, a fresh process can read what was put. */
export interface Sink<Stored> {
  put(result: ToolResult): Promise<Stored>;
}
