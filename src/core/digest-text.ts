import { requireObject, requireString } from "./arguments.js";
import { DEFAULTS } from "./defaults.js";
import { scanSampled, type Digest, type DigestOptions } from "./lib/digest/digest.js";
import { sampleText } from "./lib/digest/sampled-text.js";

/**
 * A short description of a text, depending on its kind: what it is, the most informative lines, and
 * further names with their lines; the values of JSON, the files of a listing. Deterministic, and made
 * without a model.
 *
 * @param options - `budgetChars`: maximum length of the digest, in characters. Default 2,000.
 * `isKnown`: whether the conversation has named something already; such names come last. `about`: the
 * arguments of the call as text; lines that name the same things come first.
 *
 * @example
 * digestText('{"pods": [{"name": "checkout-7f9c"}, {"name": "checkout-b41d"}]}');
 * // { kind: "json", text: 'JSON object, 1 key.\n{pods: [{name: "checkout-7f9c"}, {name: "checkout-b41d"}]}' }
 */
export function digestText(text: string, options: Partial<DigestOptions> = {}): Digest {
  requireString("text", text);
  requireObject("options", options, "an object with budgetChars, or omitted");
  const { budgetChars = NaN } = options;
  const describe = scanSampled(sampleText(text, DEFAULTS.digestSampleChars), options);
  return describe(Number.isFinite(budgetChars) ? budgetChars : DEFAULTS.digestChars);
}
