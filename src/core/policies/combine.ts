import { guardHost } from "../arguments.js";
import { describeValue } from "../errors/context-offload-error.js";
import type { ToolResult } from "../engine/format.js";
import {
  type Conversation,
  type Policy,
  type PolicyLike,
  type Verdict,
  chosenBy,
} from "../engine/policy.js";
import { InvalidArgumentError } from "../errors/argument-errors.js";
import { ignoreRejection } from "../lib/concurrency.js";
import { eachResult } from "./by-result.js";

const SHAPE =
  "a policy, such as minTokens(1000), a function of a result that returns true to offload it, " +
  "or an object with name, perResult, needsTotalChars and decide";

/** The policy that was passed in, guarded when it is asked. What is neither one nor a function is rejected at once. */
export function requirePolicy(argument: string, value: unknown): Policy {
  if (typeof value === "function") {
    return withChecks(fromFunction(argument, value as (result: ToolResult) => unknown));
  }
  const policy = (value ?? {}) as Partial<Record<keyof Policy, unknown>>;
  if (
    typeof policy === "object" &&
    typeof policy.name === "string" &&
    typeof policy.perResult === "boolean" &&
    typeof policy.needsTotalChars === "boolean" &&
    typeof policy.decide === "function"
  ) {
    return withChecks(value as Policy);
  }
  throw new InvalidArgumentError(argument, value, SHAPE);
}

function withChecks(policy: Policy): Policy {
  const decide = guardHost("policy.decide", policy.decide.bind(policy));
  return {
    ...policy,
    decide: (candidates, conversation) =>
      requireVerdicts(policy, decide(candidates, conversation), candidates.length),
  };
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
    return ignoreRejection(judge(result));
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
function requireVerdicts({ name }: Policy, verdicts: unknown, count: number): readonly Verdict[] {
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
 * what JSON cannot hold and results without text are kept. About what it does not judge, answers of
 * the reading tools and large parts, another policy decides.
 */
export function guardPolicy(policy: Policy, aging: Policy): Policy {
  const { ages = false } = policy;
  return {
    ...policy,
    needsTotalChars: true,
    decide(candidates, conversation) {
      const verdicts = new Map<ToolResult, Verdict>();
      for (const result of candidates) {
        const settled = settle(result, ages);
        if (settled) verdicts.set(result, { ...settled, isFinal: true });
      }
      const asked = candidates.filter((result) => !verdicts.has(result));
      const isOwn = (result: ToolResult) => ages || !(result.isReadingAnswer || result.part);
      const own = asked.filter(isOwn);
      const decided = policy.decide(own, conversation);
      for (const [at, result] of own.entries()) {
        const verdict = decided[at] as Verdict;
        verdicts.set(result, policy.perResult ? { ...verdict, isFinal: true } : verdict);
      }
      if (own.length < asked.length) {
        const others = asked.filter((result) => !isOwn(result));
        const rest = aging.decide(others, withGone(conversation, verdicts));
        for (const [at, result] of others.entries()) verdicts.set(result, rest[at] as Verdict);
      }
      return candidates.map((result) => verdicts.get(result) as Verdict);
    },
  };
}

function settle(result: ToolResult, ages: boolean): Verdict | undefined {
  const { chars, offloadedBefore, isPlain, offloadedAs, due } = result;
  // The model has seen a reference there: putting the content back would rewrite what was sent.
  if (offloadedBefore) {
    const state = offloadedAs ?? (ages ? "giant" : undefined);
    return { offload: true, state, reason: "it was offloaded before" };
  }
  if (due) return due;
  // A date, bytes or a cycle would come back as something else, or not at all.
  if (isPlain === false) return { offload: false, reason: "JSON cannot hold its content" };
  return chars === 0 ? { offload: false, reason: "it has no text" } : undefined;
}

/** The conversation as it will be sent: a host may pass on what was returned instead of the originals. */
function withGone(
  conversation: Conversation,
  verdicts: ReadonlyMap<ToolResult, Verdict>,
): Conversation {
  const results = conversation.results.map((result): ToolResult => {
    if (verdicts.get(result)?.offload !== true || result.offloadedBefore) return result;
    const { slot, id, messageIndex, chars, isError } = result;
    const known = { slot, id, messageIndex, chars, isError, content: "", soleText: undefined };
    return { ...known, isReference: true, offloadedAfter: 0 };
  });
  return Object.create(conversation, { results: { value: results } }) as Conversation;
}

/** For a host that wants other parts offloaded, but no results. */
export function partsOnly(aging: Policy): Policy {
  return {
    ...aging,
    decide(candidates, conversation) {
      const parts = candidates.filter(({ part }) => part !== undefined);
      const verdicts = aging.decide(parts, conversation);
      let at = 0;
      return candidates.map(({ part }): Verdict => {
        if (part !== undefined) return verdicts[at++] as Verdict;
        return { offload: false, reason: "parts has no results" };
      });
    },
  };
}

/** Offloads what every policy chooses. Each policy sees only what those before it chose. */
export function all(...given: readonly PolicyLike[]): Policy {
  const policies = requirePolicies("all", given);
  const [first, ...rest] = policies as [Policy, ...Policy[]];
  return {
    name: `all(${policies.map(({ name }) => name).join(", ")})`,
    needsTotalChars: policies.some(({ needsTotalChars }) => needsTotalChars),
    perResult: policies.every(({ perResult }) => perResult),
    ages: policies.some(({ ages }) => ages),
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
            ? {
                ...verdict,
                ...other,
                isFinal: verdict.isFinal === true && other.isFinal === true,
                reason: `${verdict.reason}; ${other.reason}`,
              }
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
    ages: policies.some(({ ages }) => ages),
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
          if (other?.offload) return other;
          return { ...verdict, isFinal: verdict.isFinal === true && other?.isFinal === true };
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
      policy.decide(candidates, conversation).map(({ offload, reason, isFinal }) => ({
        offload: !offload,
        reason: `not(${reason})`,
        isFinal,
      })),
  };
}
