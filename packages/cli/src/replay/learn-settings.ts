import { estimateTokens, DEFAULTS } from "context-offload";
import { all, byTool, minTokens, type Policy } from "context-offload/policies";
import type { RecordedConversation } from "@context-offload/replay";
import type { Terminal } from "../terminal/terminal.js";

/** What was found about one tool. */
export interface LearnedTool {
  readonly toolName: string;
  /** Results of at least the threshold. */
  readonly results: number;
  /** What offloading its results saves, in tokens at the full price; below zero, it costs. */
  readonly saved: number;
  readonly verdict: "pays" | "exclude" | "too few";
}

/** Settings that the replay of recorded sessions speaks for. */
export interface Learned {
  readonly conversations: number;
  /** Conversations with a result of at least the lowest threshold that was tried. */
  readonly large: number;
  readonly tools: readonly LearnedTool[];
  readonly exclude: readonly string[];
  /** `undefined` if the default is as good. */
  readonly minTokens: number | undefined;
  /** What the sessions cost without offloading, with the defaults, and with these settings. */
  readonly price: { readonly without: number; readonly defaults: number; readonly learned: number };
}

/** The thresholds that are tried besides the default. */
const THRESHOLDS = [3_200, DEFAULTS.giantTokens, 12_800, 25_600];
const MIN_RESULTS = 3;
/** What a setting must save of the whole bill: less may be chance. */
const MIN_GAIN = 0.005;

/**
 * Replays what `install` sets up, results that are offloaded when they arrive and a reader that reads back as
 * live agents did, with every tool, and without each.
 */
export async function learnSettings(
  conversations: readonly RecordedConversation[],
  { signal }: Pick<Terminal, "signal">,
  onProgress: (done: number, of: number) => void,
): Promise<Learned> {
  const replay = await import("@context-offload/replay");
  const countTokens = replay.rememberCounts(estimateTokens);
  const options = replay.replayOptions(replay.DEFAULT_SETTINGS, countTokens, "live");
  const [lowest = 0] = THRESHOLDS;
  const large = conversations.filter((one) => largeResults([one], lowest, countTokens).size > 0);
  const counts = largeResults(large, DEFAULTS.giantTokens, countTokens);
  let done = 0;
  const total = counts.size + THRESHOLDS.length + 1;

  /** The bill of all conversations; those without large results are the same under every setting. */
  const priceOf = async (policy: Policy | undefined): Promise<number> => {
    const system = policy ? replay.ours({ name: "ours", policy }) : replay.everything;
    let sum = 0;
    for (const conversation of large) {
      signal.throwIfAborted();
      const { price, replyPrice } = await replay.replayConversation(conversation, system, options);
      sum += price + replyPrice;
    }
    onProgress(++done, total);
    return sum;
  };
  const policyOf = (threshold: number, exclude: readonly string[]): Policy =>
    exclude.length === 0
      ? minTokens(threshold)
      : all(byTool({ never: exclude }), minTokens(threshold));

  const without = await priceOf(undefined);
  const defaults = await priceOf(policyOf(DEFAULTS.giantTokens, []));
  const tools: LearnedTool[] = [];
  for (const [toolName, results] of counts) {
    const saved = (await priceOf(policyOf(DEFAULTS.giantTokens, [toolName]))) - defaults;
    const isDear = -saved > without * MIN_GAIN;
    const verdict = results < MIN_RESULTS ? "too few" : isDear ? "exclude" : "pays";
    tools.push({ toolName, results, saved, verdict });
  }
  tools.sort((one, other) => one.saved - other.saved);
  const exclude = tools.filter(({ verdict }) => verdict === "exclude").map((one) => one.toolName);
  let best = {
    threshold: DEFAULTS.giantTokens as number,
    price: exclude.length === 0 ? defaults : await priceOf(policyOf(DEFAULTS.giantTokens, exclude)),
  };
  for (const threshold of THRESHOLDS) {
    if (threshold === DEFAULTS.giantTokens) continue;
    const price = await priceOf(policyOf(threshold, exclude));
    if (best.price - price > without * MIN_GAIN) best = { threshold, price };
  }
  return {
    ...{ conversations: conversations.length, large: large.length, tools, exclude },
    minTokens: best.threshold === DEFAULTS.giantTokens ? undefined : best.threshold,
    price: { without, defaults, learned: best.price },
  };
}

/** How many results of so many tokens each tool had. */
function largeResults(
  conversations: readonly Pick<RecordedConversation, "items">[],
  threshold: number,
  countTokens: (text: string) => number,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { items } of conversations) {
    for (const item of items) {
      if (item.role !== "result" || item.text.length < threshold / 3) continue;
      if (countTokens(item.text) < threshold) continue;
      counts.set(item.toolName, (counts.get(item.toolName) ?? 0) + 1);
    }
  }
  return counts;
}
