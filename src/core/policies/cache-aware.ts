import { DEFAULTS } from "../defaults.js";
import { requireNumber, requireObject } from "../arguments.js";
import type { Conversation, Policy, Verdict } from "../engine/policy.js";
import type { ToolResult } from "../engine/tool-result.js";

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
