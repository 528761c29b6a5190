import { factsIn, mentionsIn } from "./facts.mjs";
import { textOf } from "./conversation.mjs";

/**
 * @typedef {object} FactUse
 * @property {number} origin index of the result that it first came with
 * @property {string} fact
 */

/**
 * For each assistant message, the facts that it uses and that first came with a tool result: what the
 * model had to see to write it. A fact that the user, the assistant or an earlier result had named
 * belongs to them.
 *
 * @param {import("./conversation.mjs").Conversation} conversation
 * @param {import("./facts.mjs").FactOptions} [options]
 * @returns {Map<number, FactUse[]>} by index of the assistant message
 */
export function usedFacts({ items }, options) {
  /** @type {Map<string, number | undefined>} where each name was first mentioned, if in a result */
  const origins = new Map();
  /** @type {Map<number, FactUse[]>} */
  const uses = new Map();
  items.forEach((item, index) => {
    const text = textOf(item);
    const mentions = mentionsIn(text, options);
    if (item.role === "assistant") {
      const used = [];
      for (const fact of mentions) {
        const origin = origins.get(fact);
        if (origin !== undefined) used.push({ origin, fact });
      }
      uses.set(index, used);
    }
    const facts = item.role === "result" ? factsIn(text, options) : undefined;
    for (const name of mentions) {
      if (!origins.has(name)) origins.set(name, facts?.has(name) ? index : undefined);
    }
  });
  return uses;
}

/**
 * The facts of each result that are used later.
 *
 * @param {import("./conversation.mjs").Conversation} conversation
 * @param {import("./facts.mjs").FactOptions} [options]
 * @returns {Map<number, Set<string>>} by index of the result
 */
export function factsUsedLater(conversation, options) {
  /** @type {Map<number, Set<string>>} */
  const byResult = new Map();
  for (const used of usedFacts(conversation, options).values()) {
    for (const { origin, fact } of used) {
      const facts = byResult.get(origin) ?? new Set();
      byResult.set(origin, facts.add(fact));
    }
  }
  return byResult;
}
