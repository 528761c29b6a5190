/**
 * @typedef {object} CachePrices relative to a token that is sent without a cache
 * @property {number} read
 * @property {number} write
 * @property {number} [coldAfterMs] after a pause of this length nothing is read from the cache
 *
 * @typedef {{ text: string, tokens: number }} Part a part of a request; equal texts are equal parts
 */

/**
 * What requests cost, one after another: what a request has in common with the start of the one before
 * is read from the prompt cache, the rest is written to it.
 *
 * @param {CachePrices} prices
 */
export function createPromptCache({ read, write, coldAfterMs = Infinity }) {
  /** @type {readonly Part[]} */
  let before = [];
  /** @type {number | undefined} */
  let lastAt;
  const spent = { requests: 0, tokens: 0, price: 0 };
  return {
    spent,

    /**
     * @param {readonly Part[]} parts
     * @param {number | undefined} [at] when it is sent, in milliseconds
     */
    send(parts, at) {
      const pause = at !== undefined && lastAt !== undefined ? at - lastAt : 0;
      lastAt = at ?? lastAt;
      let isCommon = pause <= coldAfterMs;
      spent.requests++;
      parts.forEach(({ text, tokens }, index) => {
        isCommon &&= before[index]?.text === text;
        spent.tokens += tokens;
        spent.price += tokens * (isCommon ? read : write);
      });
      before = parts;
    },
  };
}
