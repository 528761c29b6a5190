import type { Format } from "../core/engine/format.js";

/** A tool result in a conversation of the suite. */
export interface SampleResult {
  readonly id: string;
  readonly toolName: string;
  /** The input of the call that it answers. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isError: boolean;
}

/** What the model says, and the results of the tools that it calls in parallel. */
export interface SampleTurn {
  readonly say: string;
  readonly results: readonly SampleResult[];
}

/** A tool call by the model. */
export interface SampleCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What the suite needs to know about a format. */
export interface FormatFixture {
  readonly format: Format;
  /** Builds a conversation in the format, with some unknown fields if the format allows them. */
  readonly build: (turns: readonly SampleTurn[]) => unknown[];
  /** Builds a call in the format's shape, as a host passes it to `readCall` and `answerCall`. */
  readonly buildCall: (call: SampleCall) => unknown;
  /** Builds the message that holds what `answerCall` returned. Default: the answer is itself a message. */
  readonly carryAnswer?: (answer: unknown) => unknown;
  /**
   * Builds a message with one result whose content has a cache mark that contains this word. Omit it
   * if the format has no such marks.
   */
  readonly buildMarked?: (text: string, mark: string) => unknown;
  /** Whether a result has an error flag. Default true. */
  readonly hasErrorFlag?: boolean;
  /** Whether a result has the id of its call. Default true. */
  readonly hasIds?: boolean;
  /** Whether the conversation includes what the model says. Default true. */
  readonly hasReplies?: boolean;
}

const LINE = "2026-03-01T10:00:00Z INFO request served, nothing to see here\n";

/** A text that is long enough to be offloaded, different for every seed. */
export function longText(seed: string): string {
  return `${seed}\n${LINE.repeat(120)}`;
}

export function result(id: string, text: string, more: Partial<SampleResult> = {}): SampleResult {
  return { id, toolName: "read_log", input: { of: id }, text, isError: false, ...more };
}

export const PARALLEL: readonly SampleTurn[] = [
  {
    say: "I look at three things at once.",
    results: [
      result("call_a", longText("a")),
      result("call_b", "short"),
      result("call_c", longText("c"), { toolName: "list_pods" }),
    ],
  },
  { say: "One more.", results: [result("call_d", longText("d"))] },
];

export const REUSED: readonly SampleTurn[] = [
  { say: "First.", results: [result("call_1", longText("first"))] },
  { say: "Again.", results: [result("call_1", longText("second"))] },
  { say: "And the first once more.", results: [result("call_1", longText("first"))] },
];

export const ERRORS: readonly SampleTurn[] = [
  { say: "This fails.", results: [result("call_x", longText("stack trace"), { isError: true })] },
  { say: "This does not.", results: [result("call_y", longText("fine"))] },
];
