/** A piece of text. */
export interface AnthropicTextBlock {
  type: "text";
  text: string;
}

/** An image, inline or by address. */
export interface AnthropicImageBlock {
  type: "image";
  source: { type: "base64"; media_type: string; data: string } | { type: "url"; url: string };
}

/** A call of a tool, as the model made it. */
export interface AnthropicToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
}

/** What the call returned. */
export interface AnthropicToolResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content?: string | AnthropicContentBlock[];
  is_error?: boolean;
}

export type AnthropicContentBlock =
  AnthropicTextBlock | AnthropicImageBlock | AnthropicToolUseBlock | AnthropicToolResultBlock;

/** A message as Anthropic's API has it; role `tool` for hosts that keep a result as a message. */
export interface AnthropicMessage {
  role: "user" | "assistant" | "tool";
  content: string | AnthropicContentBlock[];
}

/**
 * What the functions take: anything shaped like a message, so that messages of the vendor's SDK,
 * with blocks and fields that are not listed here, go in and come out with their own type.
 */
export interface AnthropicMessageLike {
  readonly role: string;
  readonly content: string | readonly { readonly type: string }[];
}
