import { createOffloader, createWorkspace, TOOL_NAMES, type ToolNaming } from "context-offload";
import { findOutputText } from "context-offload/claude-agent";
import { all, keepErrors, minTokens } from "context-offload/policies";
import type { HookEvent, HookFlags } from "./hook-event.js";

interface ToolEvent extends HookEvent {
  readonly session_id?: unknown;
  readonly agent_id?: unknown;
  readonly tool_input?: unknown;
  readonly tool_use_id?: unknown;
}

/** The answer that puts a reference in the place of a large result; `undefined` if it is kept. */
export async function offloadEvent(
  event: HookEvent,
  { root, toolPrefix, minTokens: least }: HookFlags,
): Promise<object | undefined> {
  const { session_id, agent_id, tool_name, tool_input, tool_use_id, tool_response } =
    event as ToolEvent;
  const toolName = String(tool_name);
  const output = findOutputText(toolName, tool_response);
  // A tool may have any name, even one that every object has.
  if (typeof output?.withText !== "function") return undefined;
  const main = typeof session_id === "string" && session_id !== "" ? session_id : "default";
  const isAgent = typeof agent_id === "string" && agent_id !== "";
  const workspace = createWorkspace({
    root,
    readBy: toolPrefix === undefined ? "path" : "tools",
    toolNames: toolPrefix === undefined ? undefined : namesWith(toolPrefix),
  });
  const offloader = createOffloader({
    workspace,
    sessionId: isAgent ? `${main}-${agent_id}` : main,
    ...(isAgent ? { agentId: agent_id, parentSessionId: main } : {}),
    ...(least === undefined ? {} : { policy: all(minTokens(least), keepErrors) }),
  });
  const { content } = await offloader.result(output.text, {
    toolName,
    input: tool_input,
    ...(typeof tool_use_id === "string" ? { toolCallId: tool_use_id } : {}),
  });
  await workspace.close();
  if (content === output.text) return undefined;
  const updatedToolOutput = output.withText(content);
  return { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput } };
}

function namesWith(prefix: string): ToolNaming {
  return Object.fromEntries(TOOL_NAMES.map((name) => [name, prefix + name]));
}
