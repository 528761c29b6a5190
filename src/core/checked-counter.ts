import { InvalidArgumentError } from "./errors/argument-errors.js";
import { requireFunction } from "./arguments.js";
import { callHost } from "./host-callback.js";
import type { CountTokens } from "./lib/tokens/estimate-tokens.js";

const EXPECTED = "a function that returns a number of at least 0, not a promise";

/** A host's token counter, whose answers are checked: a wrong one would spoil decisions and manifests. */
export function checkedCounter(countTokens: CountTokens): CountTokens {
  requireFunction("countTokens", countTokens, EXPECTED);
  return (text) => {
    const tokens: unknown = callHost("countTokens", () => countTokens(text));
    if (typeof tokens === "number" && tokens >= 0 && tokens < Infinity) return tokens;
    // Nobody will wait for a promise; its rejection must not end the process.
    if (tokens instanceof Promise) tokens.catch(() => undefined);
    throw new InvalidArgumentError("the answer of countTokens", tokens, "a number of at least 0");
  };
}
