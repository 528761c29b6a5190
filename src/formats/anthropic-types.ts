/** A piece of text. */
export interface TextBlock {
  type: "text";
  text: string;
}

/** A picture, inline or by address. */
export interface ImageBlock {
  type: "image";
  source: { type: "base64"; media_type: string; data: string } | { type: "url"; url: string };
}

/** A call of a tool, as the model made it. */
export interface ToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
}

/** What the call returned. */
export interface ToolResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content?: string | ContentBlock[];
  is_error?: boolean;
}

export type ContentBlock = TextBlock | ImageBlock | ToolUseBlock | ToolResultBlock;

/** A message as Anthropic's API has it. */
export interface Message {
  role: "user" | "assistant" | "tool";
  content: string | ContentBlock[];
}

/**
 * What the functions take: anything of a message's shape, so that the messages of a vendor's SDK,
 * with blocks and fields that are not known here, go in and come out with their own type.
 */
export interface MessageLike {
  readonly role: string;
  readonly content: string | readonly { readonly type: string }[];
}
