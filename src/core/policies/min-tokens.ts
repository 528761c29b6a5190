import { requireNumber } from "../arguments.js";
import type { Policy } from "../engine/policy.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import { eachResult } from "./each-result.js";
import { tokensOf } from "./tokens-of.js";

/**
 * Offloads results of at least this many tokens.
 *
 * @param countTokens - Default: as the workspace counts.
 */
export function minTokens(threshold: number, countTokens?: CountTokens): Policy {
  requireNumber("minTokens", threshold);
  return eachResult(
    `minTokens(${threshold})`,
    // A token has at least one character, so that a short result need not be counted.
    (result) => result.chars >= threshold && tokensOf(result, countTokens) >= threshold,
    { offload: "large enough", keep: "too small" },
  );
}
