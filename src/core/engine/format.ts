import { InvalidArgumentError } from "../errors/argument-errors.js";
import { ContentNotSerializableError } from "../errors/storage-errors.js";

/** A 256-bit hash of a text's stored bytes, in lower-case hexadecimal. Injected, since core is pure. */
export type Hash = (data: string | Uint8Array) => string;

/** What one tool call returned: a string, an array of blocks, or in some formats a JSON object. */
export type Content = string | readonly unknown[] | Readonly<Record<string, unknown>>;

/** The content as one string: a string unchanged, anything else as JSON. */
export function serializeContent(content: Content, indent?: number): string {
  if (typeof content === "string") return content;
  try {
    return JSON.stringify(content, null, indent);
  } catch (cause) {
    throw new ContentNotSerializableError(cause);
  }
}

/** The number of characters that the content takes in a message; blocks count as their compact JSON. */
export function countContentChars(content: Content): number {
  return typeof content === "string" ? content.length : serializeContent(content).length;
}

/** What happens to images, audio and documents in a result whose text is offloaded. */
export type MediaRule = "keep" | "offload";

/** How a format treats media. */
export interface FormatOptions {
  /** Whether media is kept in the message or offloaded with the text. */
  readonly media: MediaRule;
}

/** What `Format.read` should report. */
export interface FormatReadOptions extends FormatOptions {
  /** Whether to count characters outside of results, which requires serializing tool inputs. */
  readonly countOther: boolean;
}

/** A tool result inside one message. */
export interface FormatResult {
  /** Its position inside the message, in the format's own terms. */
  readonly slot: number;
  /** The id of the call that it answers; `undefined` when it is missing or empty. */
  readonly id: string | undefined;
  /** The whole content, media included: what is stored. */
  readonly content: Content;
  /** The only text of the content, when everything else in it is media: where a reference would be. */
  readonly soleText: string | undefined;
  /** How many characters would be offloaded: a string's length, blocks as compact JSON, without kept media. */
  readonly chars: number;
  /** The name of the tool, where the result itself gives it. */
  readonly toolName?: string | undefined;
  readonly isError: boolean;
  /** A JSON value to be stored along with the content, so that the result can be restored exactly. */
  readonly wrapping?: unknown;
}

/** Receives what a message holds, in order. */
export interface MessageVisitor {
  /** The model wrote this message. Messages that record parts of one reply share its id. */
  modelMessage(replyId?: string): void;
  /**
   * A call that the host has to answer with a result; calls that the provider runs itself are not
   * reported. The input is passed as the message holds it, an object or its JSON: it is parsed only
   * where somebody needs it.
   */
  call(id: string | undefined, name: string, input: unknown): void;
  /** A tool result. The object belongs to the visitor, which may add to it. */
  result(result: FormatResult): void;
  /** A call was answered with nothing to offload: no content, a denial, a value that JSON cannot hold. */
  answer?(id: string | undefined): void;
  /** Characters outside of results; `unknownType` is the type of a part or block that the format does not know. */
  other(chars: number, unknownType?: string): void;
}

/** The reference to put into a slot. */
export interface SlotText {
  readonly slot: number;
  readonly text: string;
}

/** The stored content to put back into a slot. */
export interface SlotContent {
  readonly slot: number;
  readonly content: Content;
  readonly wrapping: unknown;
}

/** A JSON value; mutable, as the vendors' types are. */
export type JsonValue =
  string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** A JSON schema of a tool's input. */
export type ToolInputSchema = {
  type: "object";
  properties: Record<string, { [key: string]: JsonValue }>;
  required?: string[];
  additionalProperties?: false;
};

/** A tool's answer to the model. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** What the text was made from, if `withData` was passed and it is not an error. */
  readonly data?: unknown;
}

/** A reading tool, as the workspace provides it. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolInputSchema;
  /** Runs a call, for formats whose tools run themselves. `withData` is for hosts with structured answers. */
  execute(
    input: unknown,
    options?: { readonly signal?: AbortSignal; readonly withData?: boolean },
  ): Promise<ToolAnswer>;
}

/** A tool call, read from a format's own shape. */
export interface ReadCall {
  readonly name: string;
  readonly input: unknown;
}

/** Where something is inside a message: keys and indices, from the outside in. */
export type PartPath = readonly (string | number)[];

/** A user's text or the input of a call, which a host may want to offload, too. */
export interface MessagePart {
  readonly kind: "userMessage" | "toolInput";
  readonly path: PartPath;
  /** The text, or the input as the message holds it: an object, or JSON. */
  readonly value: unknown;
  /** The id of the call, for an input. */
  readonly id?: string | undefined;
}

/** The side of a format for what is large besides results. */
export interface FormatParts {
  find(message: unknown): readonly MessagePart[];
  /** Whether the message holds signed or encrypted reasoning, or a call with a signature, which must not change. */
  isSigned(message: unknown): boolean;
  /** A copy with another value in one place; `raw` is its JSON, where the message is a text. */
  put(message: unknown, path: PartPath, value: unknown, raw?: string): unknown;
  /** The JSON of a place, where the message is a text and writes it in its own way. */
  raw?(message: unknown, part: MessagePart): string | undefined;
}

/**
 * A message format: where tool results are in a message, how to replace and restore them, and what
 * tools and their answers look like. Pure: it decides nothing and never changes its input.
 */
export interface Format<Message = unknown, Tools = unknown, Answer = unknown> {
  readonly name: string;
  /** Why these messages are not in this format; `undefined` when they are. */
  mismatch(messages: readonly unknown[]): string | undefined;
  /** Reports to the visitor what the message holds. Deterministic: the same message always reads the same. */
  read(message: Message, visitor: MessageVisitor, options: FormatReadOptions): void;
  /** A new message with references in place; it shares everything that did not change. */
  replace(message: Message, texts: readonly SlotText[], options: FormatOptions): Message;
  /** A new message with the stored content back, exactly as it was. */
  restore(message: Message, originals: readonly SlotContent[]): Message;
  /** The tools in the shape that the vendor's API takes. */
  describeTools(tools: readonly ToolDescription[]): Tools;
  /** Reads a tool call in the format's shape; `undefined` for anything else. */
  readCall(call: unknown): ReadCall | undefined;
  /** The answer to that call, in the shape that goes into the conversation. */
  answerCall(call: unknown, answer: ToolAnswer): Answer;
  /** Texts of users and inputs of calls; absent in a format that cannot replace them. */
  readonly parts?: FormatParts;
}

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
  /** Whether it is a reference already. */
  readonly isReference?: boolean | undefined;
  /** Of a reference, or of what was one before: the tokens of what it stands for. */
  readonly weight?: number | undefined;
  /** The same: after how many replies of this history it became one; 0 if it has been one since it arrived. */
  readonly offloadedAfter?: number | undefined;
  /** The same: in which state it went. */
  readonly offloadedAs?: ResultState | undefined;
  /** What was decided of it before, but could not be done: its step could not be stored. */
  readonly due?: Verdict | undefined;
  /** What it is, if it is not a result but a large part of another message. */
  readonly part?: MessagePart["kind"] | undefined;
}

/** What a result is at some point of its conversation. */
export type ResultState = "giant" | "stale" | "fresh" | "small" | "not worth a rewrite";

/** A policy's decision about one tool result, and its reason. */
export interface Verdict {
  /** Whether to offload it; otherwise it is kept. */
  readonly offload: boolean;
  readonly reason: string;
  /** What the result is at this point, if the policy lets results grow old. */
  readonly state?: ResultState | undefined;
  /** The step in which it is offloaded, the same object for all of them. */
  readonly step?: Step | undefined;
  /** Whether this never changes as the history grows. */
  readonly isFinal?: boolean | undefined;
}

/** A moment at which results that were sent whole are offloaded together. */
export interface Step {
  /** After which reply of the model, counted from 1; 0 is before the first one. */
  readonly turn: number;
  /** What comes from this message on had no part in it. */
  readonly before: number;
  readonly results: number;
  /** The tokens that every later request saves. */
  readonly freedTokens: number;
  /** The tokens that had been sent before and change their place, so that a prompt cache has to write them again. */
  readonly rewrittenTokens: number;
  /** Whether it was made because the request would have been too long. */
  readonly isOverflow?: boolean | undefined;
}

export function isFormat(value: unknown): value is Format {
  const { mismatch, read } = (value ?? {}) as Partial<Record<keyof Format, unknown>>;
  return typeof value === "object" && typeof mismatch === "function" && typeof read === "function";
}

export function requireFormat<F extends Format>(argument: string, value: F): F {
  if (isFormat(value)) return value;
  throw new InvalidArgumentError(argument, value, "a format, such as openaiChatFormat");
}
