import {
  type Policy,
  afterTurns,
  all,
  byTool,
  everything,
  keepErrors,
  keepRecent,
  minChars,
  minTokens,
  tokenBudget,
} from "context-offload/policies";
import { CommandError } from "../command-error.js";

type MakePolicy = (value: string, name: string) => Policy;

const POLICIES: Readonly<Record<string, MakePolicy>> = {
  "min-tokens": (value, name) => minTokens(count(value, name)),
  "min-chars": (value, name) => minChars(count(value, name)),
  tools: (value) => byTool({ only: value.split(",") }),
  "keep-tools": (value) => byTool({ never: value.split(",") }),
  "keep-recent": (value, name) => keepRecent(count(value, name)),
  "after-turns": (value, name) => afterTurns(count(value, name)),
  "token-budget": (value, name) => tokenBudget({ maxTokens: count(value, name) }),
  "keep-errors": () => keepErrors,
  everything: () => everything,
};

export const POLICY_HELP =
  "min-tokens=N, min-chars=N, tools=A,B, keep-tools=A,B, keep-recent=N, after-turns=N, token-budget=N, keep-errors, everything";

/** Which results these offload depends on all that follows. */
const OF_THE_WHOLE = /^(?:keep-recent|after-turns|token-budget)(?:=|$)/;

/** Whether the policy has to see the whole conversation at once. */
export function needsWhole(given: readonly string[] | undefined): boolean {
  return given?.some((text) => OF_THE_WHOLE.test(text)) ?? false;
}

/** The policy that the options name: all of them must agree. Without any, the package's own. */
export function parsePolicyOptions(given: readonly string[] | undefined): Policy | undefined {
  if (!given || given.length === 0) return undefined;
  const policies = given.map((text) => {
    const [name = "", value = ""] = text.split(/=(.*)/s);
    const make = POLICIES[name];
    if (make) return make(value, name);
    throw new CommandError(`--policy ${text}: there is no such policy; choose from ${POLICY_HELP}`);
  });
  return policies.length === 1 ? policies[0] : all(...policies);
}

function count(value: string, name: string): number {
  if (/^\d+$/.test(value)) return Number(value);
  throw new CommandError(`--policy ${name}=${value}: needs a whole number, as in ${name}=500`);
}
