import type { FormatResult } from "./format.js";

/** One tool result, where a format found it, with what else is known of it. */
export interface ToolResult extends FormatResult {
  /** The position of its message in the conversation. */
  readonly messageIndex: number;
  readonly actionName?: string | undefined;
  /** What the host wishes for it: `true` to offload it, `false` to keep it. */
  readonly offloadFlag?: boolean | undefined;
  /** Whether an earlier call offloaded it, so that the model has seen its reference already. */
  readonly offloadedBefore?: boolean | undefined;
  /** The tokens of its content, counted when they are first asked for; `undefined` where nobody counts. */
  readonly tokens?: number | undefined;
}
