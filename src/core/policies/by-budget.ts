import { requireCount, requireObject, requireNumber } from "../arguments.js";
import { DEFAULTS } from "../defaults.js";
import type { ToolResult } from "../engine/format.js";
import type { Policy, Conversation, Verdict } from "../engine/policy.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import { tokensOf } from "./by-size.js";

/** Options of `tokenBudget`. */
export interface TokenBudgetOptions {
  /** Maximum number of tokens of the whole conversation. */
  readonly maxTokens: number;
  /** Counts tokens. Default: the workspace's own counter. */
  readonly countTokens?: CountTokens | undefined;
}

/**
 * Offloads results until the conversation fits: first those of the older half, largest first, then
 * those of the newer half.
 */
export function tokenBudget(options: TokenBudgetOptions): Policy {
  requireObject("tokenBudget", options, "an object with maxTokens");
  const { maxTokens, countTokens } = options;
  requireCount("maxTokens", maxTokens, undefined, 0);
  const name = `tokenBudget(${maxTokens})`;
  const offload = { offload: true, reason: `${name}: to make room` };
  const keep = { offload: false, reason: `${name}: there is room` };
  return {
    name,
    needsTotalChars: true,
    perResult: false,
    decide(candidates, { totalChars }) {
      const sizes = candidates.map((result) => tokensOf(result, countTokens));
      const resultChars = candidates.reduce((sum, { chars }) => sum + chars, 0);
      let tokens = (totalChars - resultChars) / DEFAULTS.charsPerToken;
      for (const size of sizes) tokens += size;
      const chosen = new Set<ToolResult>();
      for (const index of offloadOrder(sizes)) {
        if (tokens <= maxTokens) break;
        const saved = (sizes[index] ?? 0) - DEFAULTS.referenceTokens;
        if (saved <= 0) continue;
        chosen.add(candidates[index] as ToolResult);
        tokens -= saved;
      }
      return candidates.map((result) => (chosen.has(result) ? offload : keep));
    },
  };
}

/** The indices of results, in the order in which to offload them. */
function offloadOrder(sizes: readonly number[]): number[] {
  const half = Math.ceil(sizes.length / 2);
  const largestFirst = (a: number, b: number) => (sizes[b] ?? 0) - (sizes[a] ?? 0) || a - b;
  const positions = [...sizes.keys()];
  return [
    ...positions.slice(0, half).sort(largestFirst),
    ...positions.slice(half).sort(largestFirst),
  ];
}

/** Options of `cacheAware`. */
export interface CacheAwareOptions {
  /** The price of reading a token from the prompt cache, in any unit. Default 0.1. */
  readonly readPrice?: number | undefined;
  /** The price of writing a token to the prompt cache, in the same unit. Default 1.25. */
  readonly writePrice?: number | undefined;
  /** How many more turns the conversation is expected to have. Default 10. */
  readonly turnsAhead?: number | undefined;
}

/**
 * Offloads results that were already sent only if that pays: the tokens saved on the turns ahead must
 * be worth more than writing the rest of the conversation to the prompt cache again. Results that the
 * model has not seen yet are offloaded at no cost. Use it after other policies in `all`.
 */
export function cacheAware(options: CacheAwareOptions = {}): Policy {
  requireObject("cacheAware", options, "an object with prices, or omitted");
  const readPrice = requireNumber("readPrice", options.readPrice ?? DEFAULTS.cacheReadPrice, 0);
  const writePrice = requireNumber("writePrice", options.writePrice ?? DEFAULTS.cacheWritePrice, 0);
  const turnsAhead = requireNumber("turnsAhead", options.turnsAhead ?? DEFAULTS.turnsAhead, 0);
  const name = `cacheAware(${readPrice}, ${writePrice}, ${turnsAhead})`;

  /** What is gained by offloading the candidates from this one on, in token prices. */
  const gainFrom = (sent: readonly ToolResult[], at: number, conversation: Conversation) => {
    const first = sent[at] as ToolResult;
    let savedChars = 0;
    for (const { chars } of sent.slice(at))
      savedChars += Math.max(chars - DEFAULTS.referenceChars, 0);
    const keptChars = conversation.charsFrom(first.messageIndex) - savedChars;
    const saved = (savedChars / DEFAULTS.charsPerToken) * readPrice * turnsAhead;
    // The next turn pays the write price for the rest instead of the read price.
    const rewritten = (Math.max(keptChars, 0) / DEFAULTS.charsPerToken) * (writePrice - readPrice);
    return saved - rewritten;
  };

  return {
    name,
    needsTotalChars: true,
    perResult: false,
    decide(candidates, conversation) {
      const sent = candidates.filter(
        (result) => !result.offloadedBefore && result.messageIndex < conversation.lastModelMessage,
      );
      let best = { at: sent.length, gain: 0 };
      for (const at of sent.keys()) {
        const gain = gainFrom(sent, at, conversation);
        if (gain > best.gain) best = { at, gain };
      }
      const chosen = new Set(sent.slice(best.at));
      const pays = offloadBecause(`${name}: pays, gains ${Math.round(best.gain)} token prices`);
      const already = offloadBecause(`${name}: offloaded before`);
      const fresh = offloadBecause(`${name}: not sent yet`);
      const costs: Verdict = { offload: false, reason: `${name}: would cost more than it saves` };
      return candidates.map((result) => {
        if (result.offloadedBefore) return already;
        if (result.messageIndex >= conversation.lastModelMessage) return fresh;
        return chosen.has(result) ? pays : costs;
      });
    },
  };
}

function offloadBecause(reason: string): Verdict {
  return { offload: true, reason };
}
