import { InvalidArgumentError } from "../errors/invalid-argument-error.js";
import type { Policy } from "../engine/policy.js";
import type { ToolResult } from "../engine/tool-result.js";
import { requireObject, requireStrings } from "../arguments.js";
import { eachResult } from "./each-result.js";

export interface ByToolOptions {
  /** Offload results of these tools alone: `tool`, or one action of it as `tool:action`. */
  readonly only?: readonly string[] | undefined;
  /** Keep results of these tools. */
  readonly never?: readonly string[] | undefined;
}

/** Offloads or keeps a result for the tool that it comes from. */
export function byTool(options: ByToolOptions): Policy {
  requireObject("byTool", options, "an object with only, never or both");
  const { only, never } = options;
  if (only !== undefined) requireStrings("only", only);
  if (never !== undefined) requireStrings("never", never);
  if (!only && !never) {
    throw new InvalidArgumentError("byTool", { only, never }, "given only, never or both");
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
