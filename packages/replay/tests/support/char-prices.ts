import type { ReplayOptions } from "../../src/index.js";

/** One token for each character, so that every price can be worked out by hand. */
export const options: ReplayOptions = {
  countTokens: (text) => text.length,
  prices: { read: 0.1, write: 1.25 },
  outputPrice: 5,
  systemTokens: 100,
  facts: {},
  reader: "search",
};
