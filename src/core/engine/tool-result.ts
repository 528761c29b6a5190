import type { FormatResult } from "./format.js";

/** A tool result that a format found in a conversation, with what else is known of it. */
export interface ToolResult extends FormatResult {
  /** The index of its message in the conversation. */
  readonly messageIndex: number;
  /** The action of the tool, for tools that have several. */
  readonly actionName?: string | undefined;
  /** What the host's `shouldOffload` returned for it: `true` to offload it, `false` to keep it. */
  readonly offloadFlag?: boolean | undefined;
  /** Whether an earlier call offloaded it, so that the model has already seen its reference. */
  readonly offloadedBefore?: boolean | undefined;
  /** Whether it is the answer of a reading tool, which must not be offloaded again. */
  readonly isReadingAnswer?: boolean | undefined;
  /** Whether JSON would give its content back exactly; `undefined` where that was not asked. */
  readonly isPlain?: boolean | undefined;
  /** The tokens of its content, counted on first use; `undefined` when no counter is available. */
  readonly tokens?: number | undefined;
}
