import type { Format, FormatReadOptions, FormatResult, MessageVisitor } from "./format.js";
import type { ToolResult } from "./tool-result.js";

/** What was found in a conversation. */
export interface Survey {
  /** The tool results, in order. */
  readonly results: readonly ToolResult[];
  /** How many characters there are outside of tool results. */
  readonly otherChars: number;
  /** The index of the first message of each reply of the model, in order. */
  readonly modelMessages?: readonly number[];
  /** The characters of the message at an index, with results in full. */
  readonly messageChars?: (messageIndex: number) => number;
}

export interface PlainSurvey extends Survey {
  /** Whether the format came across a part or block of an unknown type. */
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

/** Only adds up sizes: a pass that is skipped must cost little more than that. */
class SizeSurvey implements MessageVisitor, PlainSurvey {
  messageIndex = 0;
  otherChars = 0;
  hasUnknown = false;
  readonly results: ToolResult[] = [];

  modelMessage(): void {
    // Sizes do not depend on who wrote a message,
  }

  call(): void {
    // nor on what was called.
  }

  result(found: FormatResult): void {
    // The object belongs to the visitor: a second one for each result would cost as much as the pass.
    const result = found as FormatResult & { messageIndex: number };
    result.messageIndex = this.messageIndex;
    this.results.push(result);
  }

  other(chars: number, unknownType?: string): void {
    this.otherChars += chars;
    if (unknownType !== undefined) this.hasUnknown = true;
  }
}
