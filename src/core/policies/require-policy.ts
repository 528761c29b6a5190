import { InvalidArgumentError } from "../errors/argument-errors.js";
import type { Policy, Verdict } from "../engine/policy.js";

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
