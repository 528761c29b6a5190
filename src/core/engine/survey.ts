import type { Format, FormatReadOptions, FormatResult, MessageVisitor } from "./format.js";
import type { ToolResult } from "./tool-result.js";

/** What was found in a conversation. */
export interface Survey {
  /** The tool results, in their order. */
  readonly results: readonly ToolResult[];
  /** How many characters there are outside of tool results. */
  readonly otherChars: number;
  /** The first message of each reply of the model, in order, where somebody asks for them. */
  readonly modelMessages?: readonly number[];
  /** The characters of the message at a position, results in full. */
  readonly messageChars?: (messageIndex: number) => number;
}

export interface PlainSurvey extends Survey {
  /** Whether the format met something that it does not know. */
  readonly hasUnknown: boolean;
}

/** One pass over the messages, for policies that look at sizes alone. */
export function surveyMessages<Message>(
  format: Format<Message>,
  messages: readonly Message[],
  options: FormatReadOptions,
): PlainSurvey {
  const survey = new SizeSurvey();
  for (let index = 0; index < messages.length; index++) {
    survey.messageIndex = index;
    format.read(messages[index] as Message, survey, options);
  }
  return survey;
}

/** Does nothing but add up: a pass that is skipped must cost little more than that. */
class SizeSurvey implements MessageVisitor, PlainSurvey {
  messageIndex = 0;
  otherChars = 0;
  hasUnknown = false;
  readonly results: ToolResult[] = [];

  modelMessage(): void {
    // Sizes do not depend on who wrote a message.
  }

  call(): void {
    // Nor on what was called.
  }

  result(found: FormatResult): void {
    // The object is the visitor's to keep: a second one for each result would cost as much as the pass.
    const result = found as FormatResult & { messageIndex: number };
    result.messageIndex = this.messageIndex;
    this.results.push(result);
  }

  other(chars: number, unknownType?: string): void {
    this.otherChars += chars;
    if (unknownType !== undefined) this.hasUnknown = true;
  }
}
