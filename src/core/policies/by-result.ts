import type { Policy, Verdict } from "../engine/policy.js";
import type { ToolResult } from "../engine/format.js";
import { InvalidArgumentError } from "../errors/argument-errors.js";
import { requireCount, requireObject, requireStrings } from "../arguments.js";

/** A policy that judges every result by itself, with one reason for yes and one for no. */
export function eachResult(
  name: string,
  judge: (result: ToolResult) => boolean,
  reasons: { readonly offload: string; readonly keep: string },
): Policy {
  const offload = { offload: true, reason: `${name}: ${reasons.offload}`, isFinal: true };
  const keep = { offload: false, reason: `${name}: ${reasons.keep}`, isFinal: true };
  return {
    name,
    needsTotalChars: false,
    perResult: true,
    decide(candidates) {
      const verdicts: Verdict[] = [];
      for (const result of candidates) verdicts.push(judge(result) ? offload : keep);
      return verdicts;
    },
  };
}

const REQUESTED = { offload: true, reason: "the caller asked for it", isFinal: true } as const;

/** Offloads every result: the caller has already decided. */
export const everything: Policy = {
  name: "everything",
  needsTotalChars: false,
  perResult: true,
  decide: (candidates) => candidates.map(() => REQUESTED),
};

/** Offloads results for which the host's `shouldOffload` returned `true`. */
export const flagged: Policy = eachResult("flagged", ({ offloadFlag }) => offloadFlag === true, {
  offload: "by the host",
  keep: "not by the host",
});

/** Keeps errors, since the model must see what went wrong; offloads everything else. */
export const keepErrors: Policy = eachResult("keepErrors", ({ isError }) => !isError, {
  offload: "not an error",
  keep: "an error",
});

/** Options of `byTool`. */
export interface ByToolOptions {
  /** Offload only results of these tools: `tool`, or one action of it as `tool:action`. */
  readonly only?: readonly string[] | undefined;
  /** Keep results of these tools, even if `only` lists them. */
  readonly never?: readonly string[] | undefined;
}

/** Offloads or keeps results by the tool that returned them. */
export function byTool(options: ByToolOptions): Policy {
  requireObject("byTool", options, "an object with only, never or both");
  const { only, never } = options;
  if (only !== undefined) requireStrings("only", only);
  if (never !== undefined) requireStrings("never", never);
  if (!only && !never) {
    throw new InvalidArgumentError("byTool", options, "an object with only, never or both");
  }
  const named = [...(only ?? []), ...(never ?? []).map((name) => `-${name}`)];
  return eachResult(
    `byTool(${named.join(" ")})`,
    (result) => !isListed(result, never ?? []) && (!only || isListed(result, only)),
    { offload: "a tool whose results are offloaded", keep: "a tool whose results are kept" },
  );
}

function isListed({ toolName, actionName }: ToolResult, names: readonly string[]): boolean {
  if (toolName === undefined) return false;
  return names.includes(toolName) || names.includes(`${toolName}:${actionName ?? ""}`);
}

/** Offloads a result after the model has seen it in full for this many turns. */
export function afterTurns(turns: number): Policy {
  requireCount("afterTurns", turns, undefined, 0);
  const name = `afterTurns(${turns})`;
  const offload = { offload: true, reason: `${name}: seen often enough` };
  const keep = { offload: false, reason: `${name}: not seen often enough` };
  return {
    name,
    needsTotalChars: false,
    perResult: false,
    decide: (candidates, conversation) =>
      candidates.map(({ messageIndex }) =>
        conversation.turnsAfter(messageIndex) >= turns ? offload : keep,
      ),
  };
}

/** Keeps this many of the newest results and offloads the older ones. */
export function keepRecent(count: number): Policy {
  requireCount("keepRecent", count, undefined, 0);
  const name = `keepRecent(${count})`;
  const offload = { offload: true, reason: `${name}: not among the newest` };
  const keep = { offload: false, reason: `${name}: among the newest` };
  return {
    name,
    needsTotalChars: false,
    perResult: false,
    decide: (candidates) =>
      candidates.map((_, index) => (index < candidates.length - count ? offload : keep)),
  };
}
