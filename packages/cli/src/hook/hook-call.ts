import { answerHook } from "./answer-hook.js";

/** The call by which Claude Code asks our server for what it would otherwise start the hook for. */
export const HOOK_CALL = "answer_hook";

/** The fields of the event that the call must be given, each as a text or as JSON. */
export const HOOK_FIELDS = [
  ...["hook_event_name", "session_id", "agent_id", "cwd"],
  ...["tool_name", "tool_use_id", "tool_input", "tool_response"],
];

/** Answers the call; "" lets the result through. `undefined` for any other call. */
export function answerHookCall(
  name: string,
  given: unknown,
  root: string,
): Promise<string> | undefined {
  if (name !== HOOK_CALL) return undefined;
  const { args, ...event } = (given ?? {}) as Readonly<Record<string, unknown>>;
  const words = Array.isArray(args) ? args.map(String) : [];
  const tool_input = parsed(event["tool_input"], isObject);
  // An MCP server may have answered with a text, which may look like JSON.
  const isFound = String(event["tool_name"]).startsWith("mcp__") ? isBlocks : isObject;
  const tool_response = parsed(event["tool_response"], isFound);
  return answerHook({ ...event, tool_input, tool_response }, [...words, "--root", root]).then(
    (answer) => answer ?? "",
  );
}

/** What a text stands for: templates turn values into JSON. */
function parsed(text: unknown, isExpected: (value: unknown) => boolean): unknown {
  if (typeof text !== "string") return text;
  try {
    const value: unknown = JSON.parse(text);
    return isExpected(value) ? value : text;
  } catch {
    return text;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function isBlocks(value: unknown): boolean {
  const blocks = Array.isArray(value) ? value : (value as { content?: unknown } | null)?.content;
  return (
    Array.isArray(blocks) &&
    blocks.every((block) => typeof (block as { type?: unknown } | null)?.type === "string")
  );
}
