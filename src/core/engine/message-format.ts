import type { ToolResult } from "./tool-result.js";

/** A text that takes the place of a tool result's content. */
export interface Replacement {
  readonly result: ToolResult;
  readonly text: string;
}

/** What a format found in a conversation. */
export interface Survey {
  /** The tool results, in their order. */
  readonly results: ToolResult[];
  /** How many characters stand outside of tool results; 0 when nobody asked. */
  readonly otherChars: number;
  /** The positions of the model's messages, in order, where the format tells them. */
  readonly modelMessages?: readonly number[];
  /** The characters of the message at a position, results in full. */
  readonly messageChars?: (messageIndex: number) => number;
}

export interface SurveyOptions {
  /** Whether to count what stands outside of tool results, which takes the JSON of tool inputs. */
  readonly countOther: boolean;
}

/** A message dialect: knows where tool results are and how to replace their content. Never decides. */
export interface MessageFormat<Message> {
  readonly name: string;
  /** One pass over the messages. */
  survey(messages: readonly Message[], options: SurveyOptions): Survey;
  /** A new message with these contents replaced; it shares with the old one all that did not change. */
  replace(message: Message, replacements: readonly Replacement[]): Message;
}
