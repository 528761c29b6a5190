import { InvalidArgumentError } from "../errors/invalid-argument-error.js";
import type { Policy } from "../engine/policy.js";
import type { ToolResult } from "../engine/tool-result.js";
import { requireObject, requireStrings } from "../arguments.js";
import { eachResult } from "./each-result.js";

export interface ToolsPolicyOptions {
  /** Only results of these tools leave: `tool`, or one action of it as `tool:action`. */
  readonly only?: readonly string[] | undefined;
  /** Results of these tools never leave. */
  readonly never?: readonly string[] | undefined;
}

/** A result offload, or stays, for the tool that it comes from. */
export function tools(options: ToolsPolicyOptions): Policy {
  requireObject("tools", options, "an object with only, never or both");
  const { only, never } = options;
  if (only !== undefined) requireStrings("only", only);
  if (never !== undefined) requireStrings("never", never);
  if (!only && !never) {
    throw new InvalidArgumentError("tools", { only, never }, "given only, never or both");
  }
  const named = [...(only ?? []), ...(never ?? []).map((name) => `-${name}`)];
  return eachResult(
    `tools(${named.join(" ")})`,
    (result) => !isListed(result, never ?? []) && (!only || isListed(result, only)),
    { offload: "a tool whose results may leave", stays: "a tool whose results stay" },
  );
}

function isListed({ toolName, actionName }: ToolResult, names: readonly string[]): boolean {
  if (toolName === undefined) return false;
  return names.includes(toolName) || names.includes(`${toolName}:${actionName ?? ""}`);
}
