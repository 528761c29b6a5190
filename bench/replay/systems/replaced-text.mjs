/**
 * @typedef {import("../conversation.mjs").Item} Item
 * @typedef {import("../conversation.mjs").ResultItem} ResultItem
 */

/** Results with another text, the same object each time, so that it is described only once. */
export function createReplacer() {
  /** @type {WeakMap<ResultItem, Map<string, ResultItem>>} */
  const replaced = new WeakMap();
  return (/** @type {ResultItem} */ item, /** @type {string} */ text) => {
    if (text === item.text) return item;
    const forms = replaced.get(item) ?? new Map();
    replaced.set(item, forms);
    // An answer of a reading tool that was replaced shows no more what it had brought back.
    const found = item.found === undefined ? {} : { found: "" };
    const form = forms.get(text) ?? { ...item, text, ...found };
    forms.set(text, form);
    return form;
  };
}

/**
 * Presents a history whose results are changed once, when they arrive.
 *
 * @param {(result: ResultItem) => Promise<string>} arrive
 */
export function presentOnArrival(arrive) {
  /** @type {WeakMap<Item, Item>} */
  const arrived = new WeakMap();
  const replace = createReplacer();
  return async (/** @type {readonly Item[]} */ history) => {
    const sent = [];
    for (const item of history) {
      if (item.role === "result" && item.found === undefined && !arrived.has(item)) {
        arrived.set(item, replace(item, await arrive(item)));
      }
      sent.push(arrived.get(item) ?? item);
    }
    return sent;
  };
}
