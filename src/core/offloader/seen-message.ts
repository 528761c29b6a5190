import type { FormatResult, MessageVisitor } from "../engine/format.js";
import { type Call, aboutCall } from "./call-book.js";
import { isHeld, type HeldSession } from "./held-session.js";
import type { LocatedResult } from "./located-result.js";
import { hasShape, isConstant, shapeOf, type MessageShape } from "./message-shape.js";
import type { ReadingCalls } from "./reading-answer.js";
import type { ResultReport } from "./report.js";

/** An artifact that a message refers to. */
interface Held {
  readonly artifactId: string;
  readonly hash: string;
}

/** Most messages hold none of something; they share one empty list. */
export const NONE: readonly never[] = [];

/** A message of the history: what was read from it, and what was returned for it. */
export class SeenMessage implements MessageVisitor {
  isModel = false;
  replyId: string | undefined;
  otherChars = 0;
  answers = 0;
  /** Whether it has a part or block of a type that the format does not know. */
  hasUnknown = false;
  /** Whether it calls a reading tool, or holds an answer of one. */
  isReading = false;
  calls: readonly Call[] = NONE;
  found: readonly FormatResult[] = NONE;
  results: readonly LocatedResult[] = NONE;
  reports: readonly ResultReport[] = NONE;
  resultChars = 0;
  /** Whether it is decided what is returned for it: a call may have failed before, or still be running. */
  isFinished = false;
  output: unknown;
  /** What it held when it was read, since the host may change it in place, even during a call. */
  shape: MessageShape;
  readonly #readingCalls: ReadingCalls;
  #outputShape: MessageShape;
  #held: readonly Held[] = NONE;
  /** Whether the input can never change, so that it need not be compared. */
  #isConstant: boolean;

  constructor(
    public input: unknown,
    readingCalls: ReadingCalls,
  ) {
    this.#readingCalls = readingCalls;
    this.#isConstant = isConstant(input);
    this.shape = shapeOf(input);
    this.output = input;
    this.#outputShape = this.shape;
  }

  modelMessage(replyId?: string): void {
    this.isModel = true;
    this.replyId = replyId;
  }

  call(id: string | undefined, name: string, input: unknown): void {
    // The input itself is not kept: that of a line would be a second copy.
    const reading = this.#readingCalls.read(name, input);
    if (reading) this.isReading = true;
    this.calls = [...this.calls, { id, name, reading, about: aboutCall(input) }];
  }

  result(result: FormatResult): void {
    this.answers++;
    this.found = [...this.found, result];
  }

  answer(): void {
    this.answers++;
  }

  other(chars: number, unknownType?: string): void {
    this.otherChars += chars;
    if (unknownType !== undefined) this.hasUnknown = true;
  }

  finish(output: unknown, reports: readonly ResultReport[]): void {
    this.isFinished = true;
    if (reports !== this.reports) {
      this.reports = reports;
      this.#held = this.#findHeld();
    }
    if (output === this.output) return;
    this.output = output;
    this.#outputShape = shapeOf(output);
  }

  /**
   * Whether this is the message, or an equal one: a host passes its own messages every time, or those
   * that the last call returned, or loads its history anew.
   */
  isSame(message: unknown, acceptOutput: boolean): boolean {
    if (message === this.input && this.#isConstant) return true;
    if (hasShape(message, this.shape)) {
      if (message !== this.input) this.#become(message, this.output === this.input);
      return true;
    }
    if (!acceptOutput || this.output === this.input) return false;
    if (!hasShape(message, this.#outputShape)) return false;
    this.#become(message, true);
    // A host that passes on what was returned needs the content no more, and so it is released.
    this.shape = this.#outputShape;
    this.results = NONE;
    return true;
  }

  #become(message: unknown, isOutput: boolean): void {
    if (isOutput) this.output = message;
    this.input = message;
    this.#isConstant = isConstant(message);
  }

  #findHeld(): readonly Held[] {
    const held: Held[] = [];
    for (const [index, { outcome, artifactId = "" }] of this.reports.entries()) {
      if (outcome !== "offloaded") continue;
      held.push({ artifactId, hash: this.results[index]?.known.hash ?? "" });
    }
    return held.length === 0 ? NONE : held;
  }

  /** Whether the session still holds what was offloaded: it may have been removed, or replaced. */
  isHeld(session: HeldSession): boolean {
    for (const { artifactId, hash } of this.#held) {
      if (!isHeld(session, artifactId, hash)) return false;
    }
    return true;
  }

  /** Whether the input is still what was read, as far as can be seen. */
  get isCurrent(): boolean {
    return hasShape(this.input, this.shape, "by identity");
  }

  get chars(): number {
    return this.otherChars + this.resultChars;
  }
}
