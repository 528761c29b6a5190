import type { Format, FormatReadOptions } from "../engine/format.js";
import type { Survey } from "../engine/survey.js";
import type { DigestHints } from "../lib/digest/digest.js";
import { CallBook } from "./call-book.js";
import type { HeldSession } from "./held-session.js";
import { LocatedResult, type ContentMemory } from "./located-result.js";
import { SentNames } from "./sent-names.js";
import type { ReadingCalls } from "./reading-answer.js";
import { addReports, NO_TOTALS, type OffloadTotals, type ResultReport } from "./report.js";
import { firstOfReplies } from "./replies.js";
import { NONE, SeenMessage } from "./seen-message.js";

export interface TurnMemoryOptions {
  readonly format: Format;
  /** Whether decisions never change, so that a message returned earlier need not be looked at again. */
  readonly isFinal: boolean;
  readonly read: FormatReadOptions;
  readonly contents: ContentMemory;
  readonly readingCalls: ReadingCalls;
  /** Told of a message that throws when it is read, which is kept as it is; without it, that throws. */
  readonly onUnreadable?: ((messageIndex: number, error: unknown) => void) | undefined;
}

/** What is known of a history, so that each message is read once and a turn costs only what is new. */
export class TurnMemory {
  readonly #options: TurnMemoryOptions;
  #messages: SeenMessage[] = [];
  #calls = new CallBook();
  /** The last removal when all that these messages refer to was found to be held, if it is known. */
  #heldSince: object | undefined;
  #asked: object | undefined;
  /** How many messages are known to be finished, from the start on. */
  #finished = 0;
  readonly #names: SentNames;
  /** The sums over the first messages, as far as they were asked for. */
  #summed = { count: 0, totals: NO_TOTALS };

  constructor(options: TurnMemoryOptions) {
    this.#options = options;
    this.#names = new SentNames(options.format, options.read);
  }

  get format(): Format {
    return this.#options.format;
  }

  /** How many messages of this history are known, from its start on, with all that they refer to. */
  countKnown(history: readonly unknown[], session: HeldSession): number {
    const { isFinal } = this.#options;
    const most = Math.min(history.length, this.#messages.length);
    // While nothing is removed, the session holds what it held, and need not be asked for each.
    const { lastRemoval } = session;
    const isHeld = lastRemoval !== undefined && lastRemoval === this.#heldSince;
    this.#heldSince = undefined;
    this.#asked = lastRemoval;
    for (let index = 0; index < most; index++) {
      const seen = this.#messages[index];
      if (!seen?.isSame(history[index], isFinal) || !(isHeld || seen.isHeld(session))) {
        return index;
      }
    }
    return most;
  }

  /**
   * Reads what is new in the history, and forgets what is no longer part of it. Returns the messages as
   * they are known: while a call waits for the store, another one may take another history.
   */
  take(history: readonly unknown[], known: number): readonly SeenMessage[] {
    if (known < this.#messages.length) this.#cut(known);
    this.#heldSince = this.#asked;
    for (const message of history.slice(known)) {
      const seen = this.#read(message);
      this.#locate(seen, this.#messages.length);
      this.#messages.push(seen);
    }
    return this.#messages.slice();
  }

  #read(message: unknown): SeenMessage {
    const { format, read, readingCalls, onUnreadable } = this.#options;
    const seen = new SeenMessage(message, readingCalls);
    try {
      format.read(message, seen, read);
      return seen;
    } catch (error) {
      if (!onUnreadable) throw error;
      onUnreadable(this.#messages.length, error);
      return new SeenMessage(message, readingCalls);
    }
  }

  /** Forgets the last messages, so that the next turn reads them again. */
  forgetFrom(messageIndex: number): void {
    this.#cut(Math.max(messageIndex, 0));
  }

  /** How many messages have been decided, from the start on. */
  get finished(): number {
    while (this.#messages[this.#finished]?.isFinished) this.#finished++;
    return this.#finished;
  }

  /**
   * What a digest of this result may take from the conversation: nothing but what is sent before it, so
   * that the same history gives the same digest. Results must be asked for in their order. Where earlier
   * results may still be offloaded, what is sent before changes, and a digest goes by the content alone.
   */
  hintsFor(result: LocatedResult): DigestHints | undefined {
    const { messageIndex, about } = result;
    if (!this.#options.isFinal) return undefined;
    // Another call may have passed another history meanwhile.
    if (!this.#messages[messageIndex]?.results.includes(result)) return { about };
    const isKnown = (name: string) => this.#names.hasBefore(messageIndex, name, this.#messages);
    return { isKnown, about };
  }

  /** What was found from this message on. What concerns the whole history is worked out on demand. */
  survey(
    from: number,
    messages: readonly SeenMessage[] = this.#messages,
  ): Survey & { readonly results: readonly LocatedResult[] } {
    const results: LocatedResult[] = [];
    for (let index = from; index < messages.length; index++) {
      for (const result of messages[index]?.results ?? NONE) results.push(result);
    }
    return {
      results,
      get otherChars() {
        return messages.reduce((sum, { otherChars }) => sum + otherChars, 0);
      },
      get modelMessages() {
        return firstOfReplies(messages);
      },
      messageChars: (index) => messages[index]?.chars ?? 0,
    };
  }

  /** Whether the format came across a part or block of an unknown type. */
  get hasUnknown(): boolean {
    return this.#messages.some(({ hasUnknown }) => hasUnknown);
  }

  /** Whether there are calls before the last reply, but not one answer in the whole history. */
  get hasUnansweredCalls(): boolean {
    if (this.#messages.some(({ answers }) => answers > 0)) return false;
    const last = this.#messages.findLastIndex(({ isModel }) => isModel);
    return this.#messages.some(({ calls }, index) => index < last && calls.length > 0);
  }

  /** What became of the messages from `from` on. */
  finish(
    from: number,
    output: readonly unknown[],
    reports: readonly ResultReport[],
    messages: readonly SeenMessage[] = this.#messages,
  ): void {
    let at = 0;
    for (let index = from; index < output.length; index++) {
      const start = at;
      while (reports[at]?.messageIndex === index) at++;
      messages[index]?.finish(output[index], reports.slice(start, at));
    }
  }

  /** Something else was returned for a message than what it was finished with. */
  setOutput(
    index: number,
    output: unknown,
    messages: readonly SeenMessage[] = this.#messages,
  ): void {
    const seen = messages[index];
    seen?.finish(output, seen.reports);
    if (seen === this.#messages[index]) this.#names.cut(index);
  }

  outputs(count: number): unknown[] {
    const outputs: unknown[] = [];
    for (let index = 0; index < count; index++) outputs.push(this.#messages[index]?.output);
    return outputs;
  }

  /** The sums over the first messages. */
  totals(count: number): OffloadTotals {
    if (this.#summed.count > count) this.#summed = { count: 0, totals: NO_TOTALS };
    let { totals } = this.#summed;
    for (let index = this.#summed.count; index < count; index++) {
      const { reports = NONE } = this.#messages[index] ?? {};
      if (reports.length > 0) totals = addReports(totals, reports);
    }
    this.#summed = { count, totals };
    return totals;
  }

  #cut(length: number): void {
    this.#messages = this.#messages.slice(0, length);
    this.#finished = Math.min(this.#finished, length);
    this.#names.cut(length);
    if (this.#summed.count > length) this.#summed = { count: 0, totals: NO_TOTALS };
    this.#calls = new CallBook();
    for (const { calls, results, reports } of this.#messages) {
      this.#calls.add(calls);
      for (const result of results) this.#calls.answeredBy(result);
      // Where results were released, their reports tell which calls they answered.
      if (results.length > 0) continue;
      for (const { toolCallId: id, toolName } of reports) this.#calls.answeredBy({ id, toolName });
    }
  }

  #locate(seen: SeenMessage, messageIndex: number): void {
    const { contents, readingCalls } = this.#options;
    this.#calls.add(seen.calls);
    seen.results = seen.found.map((found) => {
      const call = this.#calls.answeredBy(found);
      const reading = call ? call.reading : readingCalls.guess(found.toolName);
      if (reading) seen.isReading = true;
      const toolName = found.toolName ?? call?.name;
      seen.resultChars += found.chars;
      return new LocatedResult(found, messageIndex, toolName, contents, reading, call?.about);
    });
    seen.found = NONE;
  }
}
