import { DEFAULTS } from "./defaults.js";
import { digestText as digestWithin, type Digest } from "./lib/digest/digest.js";

/**
 * A short description of a text, depending on its kind: the shape of JSON, the errors of a log, the
 * outline of code. Deterministic, and made without a model.
 *
 * @param options - `budgetChars`: maximum length of the digest, in characters. Default 1,200.
 *
 * @example
 * digestText('{"pods": [{"name": "checkout-7f9c"}, {"name": "checkout-b41d"}]}');
 * // { kind: "json", text: 'JSON.\n{pods: [2 items] first: {name: "checkout-7f9c"}}' }
 */
export function digestText(
  text: string,
  { budgetChars = DEFAULTS.digestChars }: { readonly budgetChars?: number | undefined } = {},
): Digest {
  const isFinite = Number.isFinite(budgetChars);
  return digestWithin(text, { budgetChars: isFinite ? budgetChars : DEFAULTS.digestChars });
}
