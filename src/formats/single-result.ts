import { countContentChars, type Content } from "../core/engine/content.js";
import { InvalidArgumentError } from "../core/errors/invalid-argument-error.js";
import type { MessageFormat } from "../core/engine/message-format.js";
import { requireObject } from "../core/arguments.js";

/** What one tool call returned, in no vendor's shape. */
export interface ToolResultInput {
  /** The id of the call; a missing one is made from the content. */
  readonly toolCallId?: string | undefined;
  readonly toolName?: string | undefined;
  readonly actionName?: string | undefined;
  readonly content: Content;
  /** `offload: true` or `false` decides; the rest is kept with the artifact. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly isError?: boolean | undefined;
}

/** A single tool result as a conversation of one message. */
export const singleResultFormat: MessageFormat<ToolResultInput> = {
  name: "single-result",

  survey: (results) => ({
    otherChars: 0,
    results: results.map((result, messageIndex) => {
      requireObject("toolResult", result, "an object with toolCallId, toolName and content");
      const { toolCallId, toolName, actionName, content, metadata } = result;
      if (typeof content !== "string" && !Array.isArray(content)) {
        const expected = "a string or an array of content blocks";
        throw new InvalidArgumentError("toolResult.content", content, expected);
      }
      const flag = metadata?.["offload"];
      return {
        messageIndex,
        slot: 0,
        id: textOf("toolCallId", toolCallId),
        content,
        chars: countContentChars(content),
        toolName: textOf("toolName", toolName),
        actionName: textOf("actionName", actionName),
        offloadFlag: typeof flag === "boolean" ? flag : undefined,
      };
    }),
  }),

  replace: (result, [replacement]) => ({ ...result, content: replacement?.text ?? result.content }),
};

function textOf(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  throw new InvalidArgumentError(`toolResult.${name}`, value, "a string");
}
