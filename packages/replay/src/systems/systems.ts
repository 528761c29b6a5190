import {
  afterTurns,
  all,
  cacheAware,
  keepErrors,
  keepRecent,
  minTokens,
  tokenBudget,
  type Policy,
} from "context-offload/policies";
import { aiSdkPruning } from "./ai-sdk-pruning.js";
import { contextChef } from "./context-chef.js";
import { deepagents } from "./deepagents.js";
import type { ImportPeer } from "./import-peer.js";
import { langchainClearing } from "./langchain-clearing.js";
import { bareReference, everything, oracle, ours, type OursOptions } from "./ours.js";
import { strands } from "./strands.js";
import type { System } from "./system.js";

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
const POLICIES: Readonly<Record<string, (value: number) => Policy>> = {
  minTokens: (tokens) => minTokens(tokens),
  afterTurns: (turns) => all(minTokens(1_000), afterTurns(turns)),
  keepRecent: (count) => all(minTokens(1_000), keepRecent(count)),
  cacheAware: (count) => all(minTokens(1_000), keepRecent(count), cacheAware()),
  tokenBudget: (maxTokens) => tokenBudget({ maxTokens }),
};

const POLICY_NAMES = Object.keys(POLICIES);

/**
 * A system by its name: `ours`, `ours:minTokens=500`, `ours:digest=600`,
 * `ours:minTokens=500,digest=600`, `ours:errors=300`,
 * `deepagents:1000`, and so on.
 */
export function systemNamed(name: string, importPeer: ImportPeer): System {
  const [base, rest = ""] = name.split(":");
  switch (base) {
    case "everything":
      return everything;
    case "ours":
      return ours({ name, ...parseVariant(rest) });
    case "bare":
      return bareReference;
    case "oracle":
      return oracle;
    case "strands":
      return strands(importPeer);
    case "deepagents":
      return deepagents(importPeer, rest === "" ? undefined : Number(rest));
    case "context-chef":
      return contextChef(importPeer);
    case "langchain-clearing":
      return langchainClearing(importPeer);
    case "ai-sdk-pruning":
      return aiSdkPruning(importPeer);
    default:
      throw new Error(
        `There is no system ${JSON.stringify(name)}. Known: ${DEFAULT_SYSTEMS.join(", ")}, ` +
          `and ours:<${POLICY_NAMES.join("|")}>=<number>,digest=<characters>, ` +
          "ours:errors=<tokens>",
      );
  }
}

function parseVariant(text: string): Omit<OursOptions, "name"> {
  return text.split(",").filter(Boolean).reduce(addSetting, {});
}

function addSetting(
  variant: Omit<OursOptions, "name">,
  setting: string,
): Omit<OursOptions, "name"> {
  const [key = "", value] = setting.split("=");
  const number = Number(value);
  if (!Number.isFinite(number)) throw new Error(`${JSON.stringify(setting)} is not name=number`);
  if (key === "digest") return { ...variant, digestChars: number };
  // Like minTokens, but errors are offloaded, too.
  if (key === "errors") return { ...variant, policy: minTokens(number) };
  const policy = POLICIES[key];
  if (policy) return { ...variant, policy: all(policy(number), keepErrors) };
  throw new Error(`There is no policy ${JSON.stringify(key)}: ${POLICY_NAMES.join(", ")}`);
}
