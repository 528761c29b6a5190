import { InvalidArgumentError } from "../errors/argument-errors.js";
import { callHost } from "../host-callback.js";
import type { Policy, Verdict } from "../engine/policy.js";
import type { ToolResult } from "../engine/tool-result.js";

const SHAPE =
  "a policy, such as minTokens(1000), or an object with name, perResult, needsTotalChars and decide";

/** Rejects what is not a policy when it is passed in, rather than when it is first used. */
export function requirePolicy(argument: string, value: unknown): Policy {
  const policy = (value ?? {}) as Partial<Record<keyof Policy, unknown>>;
  if (
    typeof policy === "object" &&
    typeof policy.name === "string" &&
    typeof policy.perResult === "boolean" &&
    typeof policy.needsTotalChars === "boolean" &&
    typeof policy.decide === "function"
  ) {
    return value as Policy;
  }
  throw new InvalidArgumentError(argument, value, SHAPE);
}

/** Rejects an empty list, or one with anything but policies. */
export function requirePolicies(name: string, policies: readonly unknown[]): readonly Policy[] {
  if (policies.length === 0)
    throw new InvalidArgumentError(name, policies, "given at least one policy");
  return policies.map((policy, index) => requirePolicy(`${name}[${index}]`, policy));
}

/** Rejects anything but one verdict per candidate, and names the policy. */
export function requireVerdicts(
  { name }: Policy,
  verdicts: unknown,
  count: number,
): readonly Verdict[] {
  const isList = Array.isArray(verdicts) && verdicts.length === count;
  if (isList && verdicts.every((verdict: unknown) => isVerdict(verdict))) {
    return verdicts as readonly Verdict[];
  }
  const expected = `an array of ${count} verdicts, each with offload (true or false) and reason`;
  throw new InvalidArgumentError(`what ${name} decided`, verdicts, expected);
}

function isVerdict(verdict: unknown): boolean {
  return typeof (verdict as Partial<Verdict> | null | undefined)?.offload === "boolean";
}

/**
 * The host's policy, with rules that it cannot override: what was offloaded is offloaded again, and
 * answers of the reading tools and results without text are kept.
 */
export function guardPolicy(policy: Policy): Policy {
  const settledOf = (result: ToolResult): Verdict | undefined => {
    const { chars, offloadedBefore, isReadingAnswer } = result;
    // The model has seen a reference there: putting the content back would rewrite what was sent.
    if (offloadedBefore) return { offload: true, reason: "it was offloaded before" };
    // A date, bytes or a cycle would come back as something else, or not at all.
    if (result.isPlain === false) return { offload: false, reason: "JSON cannot hold its content" };
    if (chars === 0) return { offload: false, reason: "it has no text" };
    if (!isReadingAnswer) return undefined;
    return { offload: false, reason: "it is the answer of a reading tool" };
  };
  return {
    ...policy,
    decide(candidates, conversation) {
      const settled = candidates.map(settledOf);
      const asked = candidates.filter((_, index) => !settled[index]);
      const decided = callHost("policy.decide", () => policy.decide(asked, conversation));
      const verdicts = requireVerdicts(policy, decided, asked.length);
      let at = 0;
      return settled.map((verdict) => verdict ?? (verdicts[at++] as Verdict));
    },
  };
}

/** For a host that wants other parts offloaded, but no results. */
export const KEEP_RESULTS: Policy = {
  name: "keepResults",
  needsTotalChars: false,
  perResult: true,
  decide: (candidates) =>
    candidates.map(() => ({ offload: false, reason: "parts has no results" })),
};
