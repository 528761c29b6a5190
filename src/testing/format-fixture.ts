import type { Format } from "../core/engine/format.js";

/** A result that a conversation of the suite holds. */
export interface SampleResult {
  readonly id: string;
  readonly toolName: string;
  readonly text: string;
  readonly isError: boolean;
}

/** What the model says, which tools it calls at once, and what they return. */
export interface SampleTurn {
  readonly say: string;
  readonly results: readonly SampleResult[];
}

/** A call of a tool, as the model makes it. */
export interface SampleCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What the suite needs to know of a format. */
export interface FormatFixture {
  readonly format: Format;
  /** The conversation in the format's own messages, with unknown fields here and there if it may have them. */
  readonly build: (turns: readonly SampleTurn[]) => unknown[];
  /** A call in the format's shape, as a host passes it to `readCall` and `answerCall`. */
  readonly buildCall: (call: SampleCall) => unknown;
  /** The message that carries what `answerCall` returned. Default: that is a message itself. */
  readonly carryAnswer?: (answer: unknown) => unknown;
  /**
   * A message with one result in whose content a cache mark stands, with this word in it; left out
   * where the format has no such marks.
   */
  readonly buildMarked?: (text: string, mark: string) => unknown;
  /** Whether a result can say that it is an error. Default true. */
  readonly hasErrorFlag?: boolean;
  /** Whether a result names the call that it answers. Default true. */
  readonly hasIds?: boolean;
  /** Whether what the model says is in the conversation. Default true. */
  readonly hasReplies?: boolean;
}

const LINE = "2026-03-01T10:00:00Z INFO request served, nothing to see here\n";

/** A text that is long enough to be offloaded, and another one for every seed. */
export function longText(seed: string): string {
  return `${seed}\n${LINE.repeat(120)}`;
}

export function result(id: string, text: string, more: Partial<SampleResult> = {}): SampleResult {
  return { id, toolName: "read_log", text, isError: false, ...more };
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
