import { checkedCounter, requireNumber } from "../arguments.js";
import type { ToolResult } from "../engine/format.js";
import type { Policy, Verdict } from "../engine/policy.js";
import { InvalidEnvironmentError } from "../errors/argument-errors.js";
import { weighText, type CountTokens } from "../lib/tokens/estimate-tokens.js";
import { renderSent } from "../lib/wrapping/render-value.js";
import { eachResult } from "./by-result.js";

/** The variables of a process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ThresholdSource {
  /** The name of the option, for errors. */
  readonly option: string;
  readonly given: number | undefined;
  readonly variable: string;
  readonly environment: Environment;
  readonly fallback: number;
}

const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * The threshold for this call: the option, else the environment variable, else the default. Only that
 * it is a plain number is checked, not its range; `parseFloat` would read "20%" as 20.
 */
export function readThreshold(source: ThresholdSource): number {
  const { option, given, variable, environment, fallback } = source;
  if (given !== undefined) return requireNumber(option, given);
  const text = environment[variable]?.trim();
  if (!text) return fallback;
  if (!PLAIN_NUMBER.test(text)) {
    throw new InvalidEnvironmentError(variable, text, `a plain number such as ${fallback}`);
  }
  return Number(text);
}

/** Offloads results of at least this many characters, but never an empty one. */
export function minChars(threshold: number): Policy {
  requireNumber("minChars", threshold);
  const name = `minChars(${threshold})`;
  const offload = { offload: true, reason: `${name}: large enough`, isFinal: true };
  const keep = { offload: false, reason: `${name}: too small`, isFinal: true };
  const least = Math.max(threshold, 1);
  return {
    name,
    needsTotalChars: false,
    perResult: true,
    decide(candidates) {
      const verdicts = new Array<Verdict>(candidates.length);
      let at = 0;
      for (const { chars } of candidates) verdicts[at++] = chars >= least ? offload : keep;
      return verdicts;
    },
  };
}

/** Whether so many characters are at least this share of all; without any, nothing is gained. */
export function isShareReached(chars: number, totalChars: number, share: number): boolean {
  return chars > 0 && chars / totalChars >= share;
}

/**
 * Offloads all candidates if together they make up at least this share of the conversation's
 * characters, and none otherwise. After another policy in `all`, the candidates are what it chose.
 */
export function minRatio(threshold: number): Policy {
  requireNumber("minRatio", threshold);
  const name = `minRatio(${threshold})`;
  const offload = { offload: true, reason: `${name}: worth the pass` };
  const keep = { offload: false, reason: `${name}: too small a share` };
  return {
    name,
    needsTotalChars: true,
    perResult: false,
    decide(candidates, conversation) {
      let offloadableChars = 0;
      for (const { chars } of candidates) offloadableChars += chars;
      const isWorth = isShareReached(offloadableChars, conversation.totalChars, threshold);
      const verdict = isWorth ? offload : keep;
      return new Array<Verdict>(candidates.length).fill(verdict);
    },
  };
}

/**
 * The tokens of a result's readable text, without images and the like. The workspace's count, unless
 * the policy has its own counter.
 */
export function tokensOf(result: ToolResult, countTokens?: CountTokens): number {
  if (!countTokens && result.tokens !== undefined) return result.tokens;
  const { content } = result;
  const count = countTokens ? checkedCounter(countTokens) : weighText;
  return count(typeof content === "string" ? content : renderSent(content));
}

/** A character has at most three bytes, and so three tokens; a short result need not be counted. */
const MAX_TOKENS_PER_CHAR = 3;

/** Cheap: whether a result may have so many tokens. */
export function couldHave({ chars }: ToolResult, tokens: number): boolean {
  return chars * MAX_TOKENS_PER_CHAR >= tokens;
}

/**
 * Offloads results of at least this many tokens.
 *
 * @param countTokens - Default: the workspace's own counter.
 */
export function minTokens(threshold: number, countTokens?: CountTokens): Policy {
  requireNumber("minTokens", threshold);
  return eachResult(
    `minTokens(${threshold})`,
    (result) => couldHave(result, threshold) && tokensOf(result, countTokens) >= threshold,
    { offload: "large enough", keep: "too small" },
  );
}
