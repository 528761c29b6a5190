import type { FormatResult, MessageVisitor } from "../../core/engine/format.js";
import { describeValue } from "../../core/errors/context-offload-error.js";
import { isRecord, type JsonRecord } from "./json-record.js";

/** A visitor that passes everything on, and changes results on the way. */
export function relayTo(
  visitor: MessageVisitor,
  change: (result: FormatResult) => FormatResult,
): MessageVisitor {
  return {
    modelMessage(replyId) {
      visitor.modelMessage(replyId);
    },
    call(id, name, input) {
      visitor.call(id, name, input);
    },
    answer(id) {
      visitor.answer?.(id);
    },
    other(chars, unknownType) {
      visitor.other(chars, unknownType);
    },
    result(result) {
      visitor.result(change(result));
    },
  };
}

/** Types of blocks and parts that have to do with calls. */
const TOOL_TYPE = /tool|function/i;

/** How many names are shown. */
const NAMES_SHOWN = 4;

/** Follows how a format reads a conversation, and finds what the format must have missed. */
export class FitVisitor implements MessageVisitor {
  /** Calls of all replies but the last, which should have been answered. */
  #closedCalls = 0;
  /** Calls of the last reply, which may still be open. */
  #openCalls = 0;
  #results = 0;
  #chars = 0;
  readonly #unknown = new Map<string, number>();
  #replyId: string | undefined;
  #isReply = false;
  #wasReply = false;

  startMessage(): void {
    this.#wasReply = this.#isReply;
    this.#isReply = false;
  }

  modelMessage(replyId?: string): void {
    const isContinued = this.#wasReply || (replyId !== undefined && replyId === this.#replyId);
    if (!isContinued) {
      this.#closedCalls += this.#openCalls;
      this.#openCalls = 0;
    }
    this.#isReply = true;
    this.#replyId = replyId;
  }

  call(): void {
    this.#openCalls++;
  }

  result({ chars }: FormatResult): void {
    this.#results++;
    this.#chars += chars;
  }

  answer(): void {
    this.#results++;
  }

  other(chars: number, unknownType?: string): void {
    this.#chars += chars;
    if (unknownType === undefined) return;
    this.#unknown.set(unknownType, (this.#unknown.get(unknownType) ?? 0) + chars);
  }

  /** What is wrong, as the end of a sentence; `undefined` if the format fits. */
  findFault(): string | undefined {
    const types = [...this.#unknown.keys()];
    const toolTypes = types.filter((type) => TOOL_TYPE.test(type));
    if (this.#results === 0 && (this.#closedCalls > 0 || toolTypes.length > 0)) {
      const calls = this.#closedCalls;
      const seen = [
        ...(calls > 0 ? [`${calls} unanswered tool ${calls === 1 ? "call" : "calls"}`] : []),
        ...(toolTypes.length > 0 ? [`blocks of type ${listed(toolTypes)}`] : []),
      ];
      return `it has ${seen.join(" and ")}, but not one tool result in the shape of this format`;
    }
    let unknownChars = 0;
    for (const chars of this.#unknown.values()) unknownChars += chars;
    if (unknownChars * 2 <= this.#chars) return undefined;
    const percent = Math.round((unknownChars / this.#chars) * 100);
    return `${percent} % of its text is in blocks that this format does not know: ${listed(types)}`;
  }
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => JSON.stringify(name));
  return shown.join(", ") + (names.length > shown.length ? ", …" : "");
}

/** Says which message is the first that does not fit, and why; `undefined` if all of them fit. */
export function firstMismatch(
  messages: readonly unknown[],
  whyNot: (message: JsonRecord) => string | undefined,
): string | undefined {
  for (const [index, message] of messages.entries()) {
    const why = isRecord(message) ? whyNot(message) : describeNonRecord(message);
    if (why !== undefined) return `message ${index} ${why}`;
  }
  return undefined;
}

function describeNonRecord(value: unknown): string {
  return typeof value === "string"
    ? "is a line of text, not an object"
    : `is ${describeValue(value)}, not an object`;
}
