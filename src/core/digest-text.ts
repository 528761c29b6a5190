import { DEFAULTS } from "./defaults.js";
import { digestText as digestWithin, type Digest } from "./lib/digest/digest.js";

/**
 * A short description of a text by what it is: the shape of JSON, the errors of a log, the outline
 * of code. The same text and budget give the same digest.
 *
 * @param options - `budgetChars`: the digest is never longer than this. Default 1,200.
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
