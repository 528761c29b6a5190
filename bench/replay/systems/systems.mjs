import {
  afterTurns,
  all,
  cacheAware,
  keepErrors,
  keepRecent,
  minTokens,
  tokenBudget,
} from "context-offload/policies";
import { aiSdkPruning } from "./ai-sdk-pruning.mjs";
import { bareReference, oracle } from "./bounds.mjs";
import { contextChef } from "./context-chef.mjs";
import { deepagents } from "./deepagents.mjs";
import { everything } from "./everything.mjs";
import { langchainClearing } from "./langchain-clearing.mjs";
import { ours } from "./ours.mjs";
import { strands } from "./strands.mjs";

/** What is compared when nothing is chosen: the default, the bounds, and the peers. */
export const DEFAULT_SYSTEMS = [
  "everything",
  "ours",
  "bare",
  "oracle",
  "strands",
  "deepagents:1000",
  "deepagents",
  "context-chef",
  "langchain-clearing",
  "ai-sdk-pruning",
];

/** Each policy that can be asked for with `ours:<policy>`, by its name and one number. */
const POLICIES = /** @type {const} */ ({
  minTokens: (/** @type {number} */ tokens) => minTokens(tokens),
  afterTurns: (/** @type {number} */ turns) => all(minTokens(1_000), afterTurns(turns)),
  keepRecent: (/** @type {number} */ count) => all(minTokens(1_000), keepRecent(count)),
  cacheAware: (/** @type {number} */ count) =>
    all(minTokens(1_000), keepRecent(count), cacheAware()),
  tokenBudget: (/** @type {number} */ maxTokens) => tokenBudget({ maxTokens }),
});

export const POLICY_NAMES = Object.keys(POLICIES);

/**
 * A system by its name: `ours`, `ours:minTokens=500`, `ours:digest=600`,
 * `ours:minTokens=500,digest=600`, `ours:forgetReads=3,forgetChars=400`, `ours:errors=300`, `deepagents:1000`, and so on.
 *
 * @param {string} name
 * @returns {import("../replay.mjs").System}
 */
export function systemNamed(name) {
  const [base, rest = ""] = name.split(":");
  switch (base) {
    case "everything":
      return everything;
    case "ours":
      return ours({ name, ...readVariant(rest) });
    case "bare":
      return bareReference;
    case "oracle":
      return oracle;
    case "strands":
      return strands;
    case "deepagents":
      return deepagents(rest === "" ? undefined : Number(rest));
    case "context-chef":
      return contextChef;
    case "langchain-clearing":
      return langchainClearing;
    case "ai-sdk-pruning":
      return aiSdkPruning;
    default:
      throw new Error(
        `There is no system ${JSON.stringify(name)}. Known: ${DEFAULT_SYSTEMS.join(", ")}, ` +
          `and ours:<${POLICY_NAMES.join("|")}>=<number>,digest=<characters>, ` +
          "ours:forgetReads=<turns, or 0>,forgetChars=<characters>, ours:errors=<tokens>",
      );
  }
}

/**
 * @param {string} text
 * @returns {Partial<import("./ours.mjs").OursOptions>}
 */
function readVariant(text) {
  /** @type {Partial<import("./ours.mjs").OursOptions>} */
  const variant = {};
  for (const setting of text.split(",").filter(Boolean)) {
    const [key = "", value] = setting.split("=");
    const number = Number(value);
    if (!Number.isFinite(number)) throw new Error(`${JSON.stringify(setting)} is not name=number`);
    if (key === "digest") variant.digestChars = number;
    else if (key === "forgetReads") {
      variant.forgetReads = number > 0 && { ...variant.forgetReads, afterTurns: number };
    } else if (key === "forgetChars") {
      variant.forgetReads = { afterTurns: 2, ...variant.forgetReads, minChars: number };
    }
    // Like minTokens, but errors are offloaded, too.
    else if (key === "errors") variant.policy = minTokens(number);
    else if (key in POLICIES) {
      const policy = POLICIES[/** @type {keyof typeof POLICIES} */ (key)];
      variant.policy = all(policy(number), keepErrors);
    } else throw new Error(`There is no policy ${JSON.stringify(key)}: ${POLICY_NAMES.join(", ")}`);
  }
  return variant;
}
