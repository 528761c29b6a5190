import { ContextOffloadError } from "./context-offload-error.js";

/** The message that was passed in has no tool result to offload. */
export class NoToolResultError extends ContextOffloadError {
  readonly code = "NO_TOOL_RESULT";

  constructor(readonly role: string) {
    super(
      `The message has no tool result with content to offload (its role is ${JSON.stringify(role)}). ` +
        `Pass a message with a tool_result block, a message of role "tool", or one whose content is a tool's output as a plain string.`,
    );
  }
}
