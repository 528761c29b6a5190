import { requireObject, requireString } from "./arguments.js";
import { DEFAULTS } from "./defaults.js";
import { scanSampled, type Digest, type DigestOptions } from "./lib/digest/digest.js";
import { sampleText } from "./lib/digest/sampled-text.js";

/**
 * A short description of a text, depending on its kind: how a run ended, the headings of a document,
 * the declarations of code, the files of a diff, the shape of JSON. Lines are quoted exactly, with their
 * numbers; every list is complete or says how much of it is shown. Deterministic, and made without a model.
 *
 * @param options - `budgetChars`: maximum length of the digest, in characters. Default 1,000.
 * `about`: what the text was asked for; lines that share a rare word with it are quoted.
 *
 * @example
 * digestText('{"pods": [{"name": "checkout-7f9c"}, {"name": "checkout-b41d"}]}');
 * // { kind: "json", text: 'JSON object, 1 key.\n{pods: [{name: "checkout-7f9c"}, {name: "checkout-b41d"}]}' }
 */
export function digestText(text: string, options: Partial<DigestOptions> = {}): Digest {
  requireString("text", text);
  requireObject("options", options, "an object with budgetChars, or omitted");
  const { budgetChars = NaN } = options;
  const describe = scanSampled(sampleText(text), options);
  return describe(Number.isFinite(budgetChars) ? budgetChars : DEFAULTS.digestChars);
}
