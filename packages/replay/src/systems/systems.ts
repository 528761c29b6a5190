import {
  all,
  cacheAware,
  freshAndStale,
  keepErrors,
  keepRecent,
  minTokens,
  tokenBudget,
  type Policy,
} from "context-offload/policies";
import { aiSdkPruning } from "./ai-sdk-pruning.js";
import { contextChef } from "./context-chef.js";
import { deepagents } from "./deepagents.js";
import { geminiMasking } from "./gemini-masking.js";
import type { ImportPeer } from "./import-peer.js";
import { langchainClearing } from "./langchain-clearing.js";
import { bareReference, everything, oracle, ours, type OursOptions } from "./ours.js";
import { strands } from "./strands.js";
import type { System } from "./system.js";

/** What is compared when nothing is chosen: the default, the bounds, and the peers, at arrival and ageing. */
export const DEFAULT_SYSTEMS = [
  "everything",
  "ours",
  "bare",
  "oracle",
  "ours:arrival=400",
  "strands",
  "deepagents",
  "context-chef",
  "gemini-masking",
  "langchain-clearing",
  "ai-sdk-pruning",
];

/** Each policy that can be asked for with `ours:<policy>`, by its name and one number. */
const POLICIES: Readonly<Record<string, (value: number) => Policy>> = {
  arrival: (tokens) => minTokens(tokens),
  keepRecent: (count) => all(minTokens(1_000), keepRecent(count)),
  cacheAware: (count) => all(minTokens(1_000), keepRecent(count), cacheAware()),
  tokenBudget: (maxTokens) => tokenBudget({ maxTokens }),
};

const POLICY_NAMES = Object.keys(POLICIES);

/** The options of `freshAndStale`, each a number. */
const FRESH_AND_STALE = [
  ...["giantTokens", "afterTurns", "gatherTokens", "minTokens"],
  ...["readPrice", "writePrice", "turnsAhead", "aheadShare", "maxTokens"],
];

/**
 * A system by its name: `ours`, `ours:giantTokens=8000,afterTurns=2` with these options of
 * `freshAndStale`, `ours:arrival=400` with everything from 400 tokens on offloaded at arrival,
 * `ours:arrival=400,digest=600`, `ours:errors=300`, `deepagents:1000`, and so on.
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
    case "gemini-masking":
      return geminiMasking;
    case "langchain-clearing":
      return langchainClearing(importPeer);
    case "ai-sdk-pruning":
      return aiSdkPruning(importPeer);
    default:
      throw new Error(
        `There is no system ${JSON.stringify(name)}. Known: ${DEFAULT_SYSTEMS.join(", ")}, ` +
          `and ours:<${[...FRESH_AND_STALE, ...POLICY_NAMES].join("|")}>=<number>, ` +
          "ours:digest=<characters>, ours:errors=<tokens>",
      );
  }
}

/** `aheadShare` is the share of the replies so far that are expected to come. */
function agingPolicy({ aheadShare, ...options }: Readonly<Record<string, number>>): Policy {
  return freshAndStale(
    aheadShare === undefined
      ? options
      : { ...options, turnsAhead: (replies) => replies * aheadShare },
  );
}

function parseVariant(text: string): Omit<OursOptions, "name"> {
  const settings = text.split(",").filter(Boolean).map(parseSetting);
  const aging = settings.filter(([key]) => FRESH_AND_STALE.includes(key));
  const others = settings.filter(([key]) => !FRESH_AND_STALE.includes(key));
  const start = aging.length === 0 ? {} : { policy: agingPolicy(Object.fromEntries(aging)) };
  return others.reduce<Omit<OursOptions, "name">>(addSetting, start);
}

function parseSetting(setting: string): readonly [key: string, value: number] {
  const [key = "", value] = setting.split("=");
  if (!Number.isFinite(Number(value))) {
    throw new Error(`${JSON.stringify(setting)} is not name=number`);
  }
  return [key, Number(value)];
}

function addSetting(
  variant: Omit<OursOptions, "name">,
  [key, value]: readonly [key: string, value: number],
): Omit<OursOptions, "name"> {
  if (key === "digest") return { ...variant, digestChars: value };
  // Like arrival, but errors are offloaded, too.
  if (key === "errors") return { ...variant, policy: minTokens(value) };
  const policy = POLICIES[key];
  if (policy) return { ...variant, policy: all(policy(value), keepErrors) };
  const known = [...FRESH_AND_STALE, ...POLICY_NAMES].join(", ");
  throw new Error(`There is no policy ${JSON.stringify(key)}: ${known}`);
}
