import type {
  Format,
  FormatReadOptions,
  FormatResult,
  MessageVisitor,
  ToolResult,
} from "./format.js";

/** What was found in a conversation. */
export interface Survey {
  /** The tool results, in order. */
  readonly results: readonly ToolResult[];
  /** How many characters there are outside of tool results. */
  readonly otherChars: number;
  /** The index of the first message of each reply of the model, in order. */
  readonly modelMessages?: readonly number[];
  /** The same, without the replies that do nothing but read what was stored; by default, all of them. */
  readonly workingReplies?: readonly number[];
  /** The characters of the message at an index, with results in full. */
  readonly messageChars?: (messageIndex: number) => number;
  /** The characters of the message at an index without its results. */
  readonly messageOtherChars?: (messageIndex: number) => number;
  /** The first message that was surveyed: all is decided about those before it. Default 0. */
  readonly from?: number;
  /** The tokens of the messages before that one, as they are sent. */
  readonly settledTokens?: number;
  /** After how many replies it was decided before what goes: what is whole was kept then. Default 0. */
  readonly decidedTurns?: number;
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

/** The sizes of a conversation, without its results. */
export interface SizeCount {
  /** The characters of results of at least the given length. */
  readonly sizableChars: number;
  readonly totalChars: number;
  /** Whether everything was of a known type, and every result a block with a length. */
  readonly isPlain: boolean;
}

/**
 * Adds up sizes and keeps nothing, for a pass that may be skipped: it takes little more time than
 * adding up the lengths of strings.
 */
export function countSizes<Message>(
  format: Format<Message>,
  messages: readonly Message[],
  minChars: number,
  options: FormatReadOptions,
): SizeCount {
  const counter = new SizeCounter(minChars);
  for (let index = 0; index < messages.length; index++) {
    format.read(messages[index] as Message, counter, options);
  }
  return counter;
}

/** Sizes depend neither on who wrote a message nor on what was called. */
class SizeVisitor {
  modelMessage(): void {
    // Nothing to count.
  }

  call(): void {
    // Nothing to count.
  }
}

class SizeCounter extends SizeVisitor implements MessageVisitor, SizeCount {
  sizableChars = 0;
  totalChars = 0;
  isPlain = true;

  constructor(readonly minChars: number) {
    super();
  }

  result({ chars, slot }: FormatResult): void {
    this.totalChars += chars;
    if (chars >= this.minChars) this.sizableChars += chars;
    if (chars === 0 || slot < 0) this.isPlain = false;
  }

  other(chars: number, unknownType?: string): void {
    this.totalChars += chars;
    if (unknownType !== undefined) this.isPlain = false;
  }
}

class SizeSurvey extends SizeVisitor implements MessageVisitor, PlainSurvey {
  messageIndex = 0;
  otherChars = 0;
  hasUnknown = false;
  readonly results: ToolResult[] = [];

  result(found: FormatResult): void {
    // The object belongs to the visitor, and copying it takes longer than finding it.
    const result = found as FormatResult & { messageIndex: number };
    result.messageIndex = this.messageIndex;
    this.results.push(result);
  }

  other(chars: number, unknownType?: string): void {
    this.otherChars += chars;
    if (unknownType !== undefined) this.hasUnknown = true;
  }
}

/** A call, as a format reports it. */
export interface FormatCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly input: unknown;
}

/** The calls and results of one message; none if it throws when it is read. */
export function readCallsAndResults(
  format: Format,
  message: unknown,
  onUnreadable?: (error: unknown) => void,
): { readonly calls: readonly FormatCall[]; readonly results: readonly FormatResult[] } {
  const calls: FormatCall[] = [];
  const results: FormatResult[] = [];
  const ignore = () => undefined;
  const visitor: MessageVisitor = {
    modelMessage: ignore,
    other: ignore,
    call: (id, name, input) => void calls.push({ id, name, input }),
    result: (found) => void results.push(found),
  };
  try {
    format.read(message, visitor, { media: "keep", countOther: false });
    return { calls, results };
  } catch (error) {
    onUnreadable?.(error);
    return { calls: [], results: [] };
  }
}
