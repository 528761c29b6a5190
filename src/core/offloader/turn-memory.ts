import type { Format, FormatReadOptions, FormatResult, MessageVisitor } from "../engine/format.js";
import type { Survey } from "../engine/survey.js";
import type { ContentMemory } from "./content-memory.js";
import { LocatedResult } from "./located-result.js";
import { hasShape, shapeOf, type MessageShape } from "./message-shape.js";
import type { ResultReport } from "./report.js";

/** A message of the history: what was read from it, and what was returned for it. */
class SeenMessage implements MessageVisitor {
  isModel = false;
  replyId: string | undefined;
  otherChars = 0;
  answers = 0;
  readonly calls: { readonly id: string | undefined; readonly name: string }[] = [];
  readonly found: FormatResult[] = [];
  results: readonly LocatedResult[] = [];
  reports: readonly ResultReport[] = [];
  output: unknown;
  /** What it held when it was read, since the host may change it in place, even during a call. */
  readonly shape: MessageShape;
  #outputShape: MessageShape;

  constructor(readonly input: unknown) {
    this.shape = shapeOf(input);
    this.output = input;
    this.#outputShape = this.shape;
  }

  modelMessage(replyId?: string): void {
    this.isModel = true;
    this.replyId = replyId;
  }

  call(id: string | undefined, name: string): void {
    this.calls.push({ id, name });
  }

  result(result: FormatResult): void {
    this.answers++;
    this.found.push(result);
  }

  answer(): void {
    this.answers++;
  }

  other(chars: number): void {
    this.otherChars += chars;
  }

  finish(output: unknown, reports: readonly ResultReport[]): void {
    this.reports = reports;
    if (output === this.output) return;
    this.output = output;
    this.#outputShape = shapeOf(output);
  }

  /** The host may pass its own messages every time, or those that the last call returned. */
  isSame(message: unknown, acceptOutput: boolean): boolean {
    // A message may be a string, which has no identity; equal strings read the same.
    if (message === this.input) return hasShape(message, this.shape);
    return acceptOutput && message === this.output && hasShape(message, this.#outputShape);
  }

  /** Whether the input is still what was read. */
  get isCurrent(): boolean {
    return hasShape(this.input, this.shape);
  }

  get chars(): number {
    return this.results.reduce((sum, { chars }) => sum + chars, this.otherChars);
  }
}

export interface TurnMemoryOptions {
  readonly format: Format;
  /** Whether decisions never change, so that a message returned earlier need not be looked at again. */
  readonly isFinal: boolean;
  readonly read: FormatReadOptions;
  readonly contents: ContentMemory;
}

/** What is known of a history, so that each message is read once and a turn costs only what is new. */
export class TurnMemory {
  readonly #options: TurnMemoryOptions;
  #messages: SeenMessage[] = [];
  #callNames = new Map<string, string>();

  constructor(options: TurnMemoryOptions) {
    this.#options = options;
  }

  get format(): Format {
    return this.#options.format;
  }

  /** How many messages at the start of this history are known. */
  countKnown(history: readonly unknown[]): number {
    const most = Math.min(history.length, this.#messages.length);
    for (let index = 0; index < most; index++) {
      if (!this.#messages[index]?.isSame(history[index], this.#options.isFinal)) return index;
    }
    return most;
  }

  /** Reads what is new in the history, and forgets what is no longer part of it. */
  take(history: readonly unknown[], known: number): void {
    const { format, read } = this.#options;
    if (known < this.#messages.length) this.#cut(known);
    for (const message of history.slice(known)) {
      const seen = new SeenMessage(message);
      format.read(message, seen, read);
      this.#locate(seen, this.#messages.length);
      this.#messages.push(seen);
    }
  }

  /** Forgets the last messages, so that the next turn reads them again. */
  forgetFrom(messageIndex: number): void {
    this.#cut(Math.max(messageIndex, 0));
  }

  survey(from: number): Survey {
    const messages = this.#messages;
    return {
      results: messages.slice(from).flatMap(({ results }) => results),
      otherChars: messages.reduce((sum, { otherChars }) => sum + otherChars, 0),
      modelMessages: firstOfReplies(messages),
      messageChars: (index) => messages[index]?.chars ?? 0,
    };
  }

  /** Whether there are calls before the last reply, but not one answer in the whole history. */
  get hasUnansweredCalls(): boolean {
    if (this.#messages.some(({ answers }) => answers > 0)) return false;
    const last = this.#messages.findLastIndex(({ isModel }) => isModel);
    return this.#messages.some(({ calls }, index) => index < last && calls.length > 0);
  }

  isCurrent(messageIndex: number): boolean {
    return this.#messages[messageIndex]?.isCurrent ?? false;
  }

  /** Records the outcome for the messages from `from` on; those changed in the meantime are read again next time. */
  finish(from: number, output: readonly unknown[], reports: readonly ResultReport[]): void {
    let at = 0;
    for (let index = from; index < this.#messages.length; index++) {
      const start = at;
      while (reports[at]?.messageIndex === index) at++;
      this.#messages[index]?.finish(output[index], reports.slice(start, at));
    }
    const changed = this.#messages.findIndex(({ isCurrent }, index) => index >= from && !isCurrent);
    if (changed !== -1) this.forgetFrom(changed);
  }

  outputs(count: number): unknown[] {
    return this.#messages.slice(0, count).map(({ output }) => output);
  }

  reports(count: number): ResultReport[] {
    return this.#messages.slice(0, count).flatMap(({ reports }) => reports);
  }

  #cut(length: number): void {
    this.#messages = this.#messages.slice(0, length);
    this.#callNames = new Map();
    for (const { calls } of this.#messages) this.#name(calls);
  }

  #locate(seen: SeenMessage, messageIndex: number): void {
    this.#name(seen.calls);
    seen.results = seen.found.map((found) => {
      const toolName =
        found.toolName ?? (found.id === undefined ? undefined : this.#callNames.get(found.id));
      return new LocatedResult(found, messageIndex, toolName, this.#options.contents);
    });
  }

  /** The last call with an id wins, since ids are reused. */
  #name(calls: SeenMessage["calls"]): void {
    for (const { id, name } of calls) if (id !== undefined) this.#callNames.set(id, name);
  }
}

/** A reply may be recorded as several messages; it is one turn, counted at the first of them. */
function firstOfReplies(messages: readonly SeenMessage[]): number[] {
  const firsts: number[] = [];
  let isReply = false;
  let replyId: string | undefined;
  for (const [index, message] of messages.entries()) {
    const continues = isReply || (message.replyId !== undefined && message.replyId === replyId);
    if (message.isModel && !continues) firsts.push(index);
    if (message.isModel) replyId = message.replyId;
    isReply = message.isModel;
  }
  return firsts;
}
