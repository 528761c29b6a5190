import { ContextOffloadError } from "./context-offload-error.js";

/** The message that was handed in to be offloaded holds no tool result. */
export class NoToolResultError extends ContextOffloadError {
  readonly code = "NO_TOOL_RESULT";

  constructor(readonly role: string) {
    super(
      `The message holds no tool result with a content to offload (its role is ${JSON.stringify(role)}). ` +
        `Pass a message with a tool_result block, a message of role "tool", or a tool's output as a plain string content.`,
    );
  }
}
