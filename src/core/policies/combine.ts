import { guardHost } from "../arguments.js";
import { describeValue } from "../errors/context-offload-error.js";
import type { ToolResult } from "../engine/format.js";
import { type Policy, type PolicyLike, type Verdict, chosenBy } from "../engine/policy.js";
import { InvalidArgumentError } from "../errors/argument-errors.js";
import { eachResult } from "./by-result.js";

const SHAPE =
  "a policy, such as minTokens(1000), a function of a result that returns true to offload it, " +
  "or an object with name, perResult, needsTotalChars and decide";

/** The policy that was passed in. What is neither one nor a function is rejected at once. */
export function requirePolicy(argument: string, value: unknown): Policy {
  if (typeof value === "function") {
    return fromFunction(argument, value as (result: ToolResult) => unknown);
  }
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

function fromFunction(argument: string, judge: (result: ToolResult) => unknown): Policy {
  const name = judge.name || argument;
  const reasons = { offload: "it returned true", keep: "it returned false" };
  return eachResult(
    name,
    (result) => {
      const answer = askFunction(name, judge, result);
      if (typeof answer === "boolean") return answer;
      const message = `The policy ${name} must return true or false; it returned ${describeValue(answer)}.`;
      throw new InvalidArgumentError("policy", answer, "true or false", message);
    },
    reasons,
  );
}

/** `policy: minTokens` passes the function that makes a policy, which rejects a result as its argument. */
function askFunction(name: string, judge: (result: ToolResult) => unknown, result: ToolResult) {
  try {
    return judge(result);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const hint = `If ${name} makes policies, pass what it returns, as in minTokens(1000).`;
    const message = `The policy ${name} failed for a result: ${error.message} ${hint}`;
    throw new InvalidArgumentError("policy", judge, SHAPE, message);
  }
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
  if (
    isList &&
    verdicts.every(
      (verdict: Partial<Verdict> | null | undefined) => typeof verdict?.offload === "boolean",
    )
  ) {
    return verdicts as readonly Verdict[];
  }
  const expected = `an array of ${count} verdicts, each with offload (true or false) and reason`;
  const message = `The policy ${name} must return ${expected}; it returned ${describeValue(verdicts)}.`;
  throw new InvalidArgumentError("policy", verdicts, expected, message);
}

/**
 * The host's policy, with rules that it cannot override: what was offloaded is offloaded again, and
 * answers of the reading tools and results without text are kept.
 */
export function guardPolicy(policy: Policy): Policy {
  const decide = guardHost("policy.decide", policy.decide.bind(policy));
  return {
    ...policy,
    decide(candidates, conversation) {
      const settled = candidates.map((result): Verdict | undefined => {
        const { chars, offloadedBefore, isPlain, isReadingAnswer } = result;
        // The model has seen a reference there: putting the content back would rewrite what was sent.
        if (offloadedBefore) return { offload: true, reason: "it was offloaded before" };
        // A date, bytes or a cycle would come back as something else, or not at all.
        if (isPlain === false) return { offload: false, reason: "JSON cannot hold its content" };
        if (chars === 0) return { offload: false, reason: "it has no text" };
        if (!isReadingAnswer) return undefined;
        return { offload: false, reason: "it is the answer of a reading tool" };
      });
      const asked = candidates.filter((_, index) => !settled[index]);
      const decided = decide(asked, conversation);
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

/** Offloads what every policy chooses. Each policy sees only what those before it chose. */
export function all(...given: readonly PolicyLike[]): Policy {
  const policies = requirePolicies("all", given);
  const [first, ...rest] = policies as [Policy, ...Policy[]];
  return {
    name: `all(${policies.map(({ name }) => name).join(", ")})`,
    needsTotalChars: policies.some(({ needsTotalChars }) => needsTotalChars),
    perResult: policies.every(({ perResult }) => perResult),
    decide(candidates, conversation) {
      let verdicts = first.decide(candidates, conversation);
      for (const policy of rest) {
        const chosen = chosenBy(verdicts, candidates);
        if (chosen.length === 0) break;
        const next = policy.decide(chosen, conversation);
        // All were chosen before and none is now: there is nothing to merge.
        const isLast = chosen.length === verdicts.length && !next.some(({ offload }) => offload);
        if (isLast) return next;
        let at = 0;
        // Offloaded for the reasons of all policies, but kept for the reason of the one that keeps it.
        verdicts = verdicts.map((verdict): Verdict => {
          if (!verdict.offload) return verdict;
          const other = next[at++] ?? verdict;
          return other.offload
            ? { offload: true, reason: `${verdict.reason}; ${other.reason}` }
            : other;
        });
      }
      return verdicts;
    },
  };
}

/** Offloads what at least one policy chooses; the first one that does gives the reason. */
export function any(...given: readonly PolicyLike[]): Policy {
  const policies = requirePolicies("any", given);
  const [first, ...rest] = policies as [Policy, ...Policy[]];
  return {
    name: `any(${policies.map(({ name }) => name).join(", ")})`,
    needsTotalChars: policies.some(({ needsTotalChars }) => needsTotalChars),
    perResult: policies.every(({ perResult }) => perResult),
    decide(candidates, conversation) {
      let verdicts = first.decide(candidates, conversation);
      for (const policy of rest) {
        const kept = candidates.filter((_, index) => !verdicts[index]?.offload);
        if (kept.length === 0) break;
        const next = policy.decide(kept, conversation);
        let at = 0;
        verdicts = verdicts.map((verdict): Verdict => {
          if (verdict.offload) return verdict;
          const other = next[at++];
          return other?.offload ? other : verdict;
        });
      }
      return verdicts;
    },
  };
}

/** Offloads what the policy keeps, and keeps what it offloads. */
export function not(given: PolicyLike): Policy {
  const policy = requirePolicy("not", given);
  return {
    name: `not(${policy.name})`,
    needsTotalChars: policy.needsTotalChars,
    perResult: policy.perResult,
    decide: (candidates, conversation) =>
      policy
        .decide(candidates, conversation)
        .map(({ offload, reason }) => ({ offload: !offload, reason: `not(${reason})` })),
  };
}
