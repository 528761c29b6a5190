import type { Content } from "./content.js";

/** What becomes of pictures, sound and documents in a result whose text offload. */
export type MediaRule = "keep" | "offload";

export interface FormatOptions {
  readonly media: MediaRule;
}

/** A call of a tool, as the model made it. */
export interface FormatCall {
  readonly id: string | undefined;
  readonly name: string;
}

/** A tool result inside one message. */
export interface FormatResult {
  /** Where it sits inside the message, in the dialect's own terms. */
  readonly slot: number;
  /** The id of the call that it answers; `undefined` when it is missing or empty. */
  readonly id: string | undefined;
  /** All of it, media included: what is stored. */
  readonly content: Content;
  /** The text that stands in the message instead, when its content is one text and nothing but media beside. */
  readonly soleText: string | undefined;
  /** How many characters would leave: media that stays does not count. */
  readonly chars: number;
  /** The name of the tool, where the result itself says it. */
  readonly toolName?: string | undefined;
  readonly isError: boolean;
  /** What must be kept beside the content, as JSON, to put it back exactly. */
  readonly wrapping?: unknown;
}

/** What a dialect finds in one message. The same message gives the same reading. */
export interface MessageReading {
  /** Whether the model wrote the message. */
  readonly fromModel: boolean;
  /** Which reply of the model it is a part of, where one reply is recorded in several messages. */
  readonly replyId?: string | undefined;
  readonly calls: readonly FormatCall[];
  readonly results: readonly FormatResult[];
  /** How many characters stand outside of results; a function, since it takes the JSON of inputs. */
  readonly otherChars: () => number;
}

export interface SlotText {
  readonly slot: number;
  /** The reference. */
  readonly text: string;
}

export interface SlotContent {
  readonly slot: number;
  /** What was stored. */
  readonly content: Content;
  readonly wrapping: unknown;
}

/** A reading tool as the workspace gives it. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}

/** A call of one of our tools, out of a dialect's own shape. */
export interface ReadCall {
  readonly name: string;
  readonly input: unknown;
}

/**
 * A message dialect, whole: where tool results are in a message, how to replace and to restore them,
 * and how tools and their answers look. Pure; touches nothing that it is given.
 */
export interface Format {
  readonly name: string;
  /** Why these messages are not of this dialect; `undefined` when they are. */
  mismatch(messages: readonly unknown[]): string | undefined;
  read(message: unknown, options: FormatOptions): MessageReading;
  /** A new message with references in place; shares all that did not change. */
  replace(message: unknown, texts: readonly SlotText[], options: FormatOptions): unknown;
  /** A new message with the stored contents back, exactly as they were. */
  restore(message: unknown, contents: readonly SlotContent[]): unknown;
  /** The tools in the shape in which the vendor's API takes them. */
  describeTools(tools: readonly ToolDescription[]): unknown;
  /** Reads a tool call in the dialect's shape; `undefined` when it is none. */
  readCall(call: unknown): ReadCall | undefined;
  /** The answer to that call, in the shape that goes into the conversation. */
  answerCall(call: unknown, answer: { readonly text: string; readonly isError: boolean }): unknown;
}
