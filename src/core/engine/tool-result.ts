import type { Content } from "./content.js";

/** One tool result, where a format found it. */
export interface ToolResult {
  /** The position of its message in the conversation. */
  readonly messageIndex: number;
  /** Where it sits inside that message, in the format's own terms. */
  readonly slot: number;
  /** The id of the call that it answers; `undefined` when it is missing or empty. */
  readonly id: string | undefined;
  /** What is stored when it offload. */
  readonly content: Content;
  /** How many characters would leave: a string's length, or the length of the compact JSON. */
  readonly chars: number;
  readonly toolName?: string | undefined;
  readonly actionName?: string | undefined;
  /** What whoever made the result wishes: `true` to offload it, `false` to keep it. */
  readonly offloadFlag?: boolean | undefined;
  readonly isError?: boolean | undefined;
  /** Whether it left in an earlier call, so that the model has seen its reference already. */
  readonly offloadedBefore?: boolean | undefined;
}
