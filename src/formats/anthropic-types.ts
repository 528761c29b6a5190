import type { ToolInputSchema } from "../core/engine/format.js";

/** A piece of text. */
export interface AnthropicTextBlock {
  type: "text";
  text: string;
}

/** An image, inline or by URL. */
export interface AnthropicImageBlock {
  type: "image";
  source: { type: "base64"; media_type: string; data: string } | { type: "url"; url: string };
}

/** A tool call by the model. */
export interface AnthropicToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
}

/** The result of a tool call. */
export interface AnthropicToolResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content?: string | AnthropicContentBlock[];
  is_error?: boolean;
}

/** A block of a message; blocks of other types are kept as they are. */
export type AnthropicContentBlock =
  AnthropicTextBlock | AnthropicImageBlock | AnthropicToolUseBlock | AnthropicToolResultBlock;

/** A message of Anthropic's API; the role `tool` is for hosts that store a result as a message of its own. */
export interface AnthropicMessage {
  role: "user" | "assistant" | "tool";
  content: string | AnthropicContentBlock[];
}

/**
 * What the functions accept: anything shaped like a message, so that messages of the vendor's SDK,
 * with blocks and fields that are not listed here, keep their own type.
 */
export interface AnthropicMessageLike {
  readonly role: string;
  readonly content: string | readonly { readonly type: string }[];
}

/** A tool as Anthropic's API takes it. */
export type AnthropicTool = { name: string; description: string; input_schema: ToolInputSchema };

/** The answer to a call: a block for a user message. */
export type AnthropicToolAnswer = {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error?: true;
};
