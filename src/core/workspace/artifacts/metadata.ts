import { InvalidArgumentError } from "../../errors/invalid-argument-error.js";
import { requireObject } from "../../arguments.js";
import type { ArtifactMetadata } from "./artifact.js";

const NAMED = [
  "context_type",
  "biz_id",
  "agent_id",
  "task_id",
  "session_id",
  "tool_name",
  "action_name",
] as const;

/** Metadata as it will be read back, after a round trip through JSON. */
export function readMetadata(given: unknown): Readonly<Record<string, unknown>> {
  if (given === undefined || given === null) return {};
  const object = requireObject("metadata", given, "an object");
  try {
    return JSON.parse(JSON.stringify(object)) as Readonly<Record<string, unknown>>;
  } catch {
    throw new InvalidArgumentError("metadata", given, "an object that JSON can hold");
  }
}

/** Adds the seven named fields; those that are not known are `null`. */
export function completeMetadata(
  given: Readonly<Record<string, unknown>>,
  toolCallId: string | undefined,
  sessionId: string | undefined,
): ArtifactMetadata {
  const named = Object.fromEntries(NAMED.map((name) => [name, textOrNull(given[name])]));
  return {
    ...given,
    ...named,
    context_type: textOrNull(given["context_type"]) ?? "tool_result",
    biz_id: toolCallId ?? textOrNull(given["biz_id"]),
    session_id: sessionId ?? textOrNull(given["session_id"]),
  } as ArtifactMetadata;
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
