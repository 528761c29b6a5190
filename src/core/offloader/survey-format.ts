import type { Format, FormatOptions, FormatResult, MessageReading } from "../engine/format.js";
import type { MessageFormat } from "../engine/message-format.js";
import type { ToolResult } from "../engine/tool-result.js";
import { hasShape, shapeOf, type MessageShape } from "./message-shape.js";
import type { OffloaderSettings } from "./offloader-types.js";

/** A tool result with what its dialect found. */
export interface PlacedResult extends ToolResult {
  readonly found: FormatResult;
}

/** Where a survey begins, and what is known of what stands before. */
export interface SurveyStart {
  readonly messageIndex: number;
  /** The names of the calls made before, by id; the last call of an id counts. */
  readonly callNames: ReadonlyMap<string, string>;
  /** Whether a result left in an earlier call. */
  readonly offloadedBefore: (result: FormatResult) => boolean;
}

/** A dialect as the engine's format, which also tells the calls that it met. */
export interface SurveyFormat extends MessageFormat<unknown> {
  readonly callNames: ReadonlyMap<string, string>;
}

/** Reads messages of a dialect and remembers each, so that the same object is read once. */
export class FormatReader {
  readonly #readings = new WeakMap<object, { reading: MessageReading; shape: MessageShape }>();
  readonly #placed = new WeakMap<FormatResult, PlacedResult>();

  constructor(
    readonly dialect: Format,
    readonly options: FormatOptions,
    readonly shouldOffload?: OffloaderSettings["shouldOffload"],
  ) {}

  read(message: unknown): MessageReading {
    if (typeof message !== "object" || message === null) {
      return this.dialect.read(message, this.options);
    }
    const known = this.#readings.get(message);
    // A host may change a message in place; then what was read of it holds no longer.
    if (known && hasShape(message, known.shape)) return known.reading;
    const reading = this.dialect.read(message, this.options);
    this.#readings.set(message, { reading, shape: shapeOf(message) });
    return reading;
  }

  /** The same result in the same place is the same object, so that what is known of it lasts. */
  #place(
    found: FormatResult,
    messageIndex: number,
    callNames: ReadonlyMap<string, string>,
    offloadedBefore: boolean,
  ): PlacedResult {
    const { slot, id, content, chars, isError } = found;
    const toolName = found.toolName ?? (id === undefined ? undefined : callNames.get(id));
    const offloadFlag = this.shouldOffload?.({ toolCallId: id, toolName });
    const known = this.#placed.get(found);
    if (
      known?.messageIndex === messageIndex &&
      known.toolName === toolName &&
      known.offloadFlag === offloadFlag &&
      known.offloadedBefore === offloadedBefore
    ) {
      return known;
    }
    const place = { messageIndex, slot, id, content, chars, found };
    const placed = { ...place, toolName, isError, offloadedBefore, offloadFlag };
    this.#placed.set(found, placed);
    return placed;
  }

  /** The engine's view of the messages from `start` on. */
  formatFrom({
    messageIndex: from,
    callNames: before,
    offloadedBefore,
  }: SurveyStart): SurveyFormat {
    const { dialect, options } = this;
    const callNames = new Map(before);
    return {
      name: dialect.name,
      callNames,
      survey: (messages, { countOther }) => {
        const results: PlacedResult[] = [];
        const modelMessages: number[] = [];
        let otherChars = 0;
        let isReply = false;
        let replyId: string | undefined;
        for (let index = from; index < messages.length; index++) {
          const reading = this.read(messages[index]);
          // A reply may be several messages; it is one turn, told by its first.
          const goesOn = isReply || (reading.replyId !== undefined && reading.replyId === replyId);
          if (reading.fromModel && !goesOn) modelMessages.push(index);
          if (reading.fromModel) replyId = reading.replyId;
          isReply = reading.fromModel;
          if (countOther) otherChars += reading.otherChars();
          for (const { id, name } of reading.calls) if (id !== undefined) callNames.set(id, name);
          for (const found of reading.results) {
            results.push(this.#place(found, index, callNames, offloadedBefore(found)));
          }
        }
        return {
          results,
          otherChars,
          modelMessages,
          messageChars: (index) => countMessageChars(this.read(messages[index])),
        };
      },
      replace: (message, replacements) => {
        const texts = replacements.map(({ result, text }) => ({ slot: result.slot, text }));
        return dialect.replace(message, texts, options);
      },
    };
  }
}

function countMessageChars({ results, otherChars }: MessageReading): number {
  let chars = otherChars();
  for (const result of results) chars += result.chars;
  return chars;
}
