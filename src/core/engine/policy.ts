import { DEFAULTS } from "../defaults.js";
import type { ResultState, Step, ToolResult, Verdict } from "./format.js";
import type { Survey } from "./survey.js";

export type { ResultState, Step, Verdict };

/** What a policy may know of the conversation besides the candidates. */
export interface Conversation {
  readonly messageCount: number;
  /** The characters of all messages; tool inputs are included only when a policy has `needsTotalChars`. */
  readonly totalChars: number;
  /** The index of the model's last message, or -1 if there is none. Everything before it was sent to the model. */
  readonly lastModelMessage: number;
  /** All results that are not settled, in order: besides the candidates also references, and what is kept by other rules. */
  readonly results: readonly ToolResult[];
  /** The index of the first message of each reply of the model, in order. */
  readonly replies: readonly number[];
  /** The same, without the replies that do nothing but read what was stored. */
  readonly workingReplies: readonly number[];
  /** The first message that is not settled: what was decided of those before it never changes. */
  readonly from: number;
  /** Roughly the tokens of the messages before that one, as they are sent. */
  readonly settledTokens: number;
  /** After how many replies it was decided before what goes: what is whole was kept then. */
  readonly decidedTurns: number;
  /** Roughly the tokens of a message without its results. */
  otherTokens(messageIndex: number): number;
  /** How many turns of the model come after this index. */
  turnsAfter(messageIndex: number): number;
  /** How many characters there are from this index on, with results in full. */
  charsFrom(messageIndex: number): number;
}

/**
 * Decides which of the candidates to offload: one verdict for each, in the same order. Pure.
 * References are never among the candidates; answers of the reading tools are for a policy with `ages`.
 */
export interface Policy {
  readonly name: string;
  /** Whether it uses `totalChars` or `charsFrom`; if not, tool inputs need not be counted. */
  readonly needsTotalChars: boolean;
  /** Whether a verdict depends on that result alone, and so never changes as the history grows. */
  readonly perResult: boolean;
  /**
   * Whether it lets results grow old before it offloads them. Then it also decides about answers of the
   * reading tools and, with `parts`, about large texts of users and inputs of calls.
   */
  readonly ages?: boolean | undefined;
  decide(candidates: readonly ToolResult[], conversation: Conversation): readonly Verdict[];
}

/** A policy, or a function that returns `true` for each result to offload. */
export type PolicyLike = Policy | ((result: ToolResult) => boolean);

/** The candidates to be offloaded; the same list when all of them are. */
export function chosenBy(
  verdicts: readonly Verdict[],
  candidates: readonly ToolResult[],
): readonly ToolResult[] {
  let count = 0;
  for (const { offload } of verdicts) if (offload) count++;
  if (count === candidates.length) return candidates;
  if (count === 0) return [];
  return candidates.filter((_, index) => verdicts[index]?.offload);
}

/** What policies may ask of a conversation; worked out only when one asks. */
export function createConversation(messageCount: number, survey: Survey): Conversation {
  let totalChars: number | undefined;
  let modelMessages: readonly number[] | undefined;
  let charsFrom: Float64Array | undefined;
  const listModelMessages = () => (modelMessages ??= survey.modelMessages ?? []);
  return {
    messageCount,
    get totalChars() {
      return (totalChars ??= sumChars(survey));
    },
    get lastModelMessage() {
      return listModelMessages().at(-1) ?? -1;
    },
    results: survey.results,
    get replies() {
      return listModelMessages();
    },
    get workingReplies() {
      return survey.workingReplies ?? listModelMessages();
    },
    from: survey.from ?? 0,
    settledTokens: survey.settledTokens ?? 0,
    decidedTurns: survey.decidedTurns ?? 0,
    otherTokens: (messageIndex) =>
      (survey.messageOtherChars?.(messageIndex) ?? 0) / DEFAULTS.charsPerToken,
    turnsAfter: (messageIndex) => countAfter(listModelMessages(), messageIndex),
    charsFrom(messageIndex) {
      charsFrom ??= sumFromEnd(messageCount, survey.messageChars);
      return charsFrom[Math.max(messageIndex, 0)] ?? 0;
    },
  };
}

function sumChars({ results, otherChars }: Survey): number {
  let sum = otherChars;
  for (const { chars } of results) sum += chars;
  return sum;
}

/** How many of the rising positions are greater than this one. */
export function countAfter(positions: readonly number[], position: number): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) > position) high = middle;
    else low = middle + 1;
  }
  return positions.length - low;
}

function sumFromEnd(count: number, charsOf: Survey["messageChars"]): Float64Array {
  const sums = new Float64Array(count + 1);
  for (let index = count - 1; index >= 0; index--) {
    sums[index] = (sums[index + 1] ?? 0) + (charsOf?.(index) ?? 0);
  }
  return sums;
}
