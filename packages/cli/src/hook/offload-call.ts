import { createOffloader, createWorkspace, TOOL_NAMES, type ToolNaming } from "context-offload";
import { findOutputText, type ToolOutputText } from "context-offload/claude-agent";
import { minTokens } from "context-offload/policies";
import type { FinishedCall, HookEvent, HookFlags } from "./hook-event.js";

/** The parts of an event that say whose call it was. */
interface CallEvent extends HookEvent {
  readonly session_id?: unknown;
  readonly sessionId?: unknown;
  readonly agent_id?: unknown;
  readonly tool_use_id?: unknown;
}

/** The answer that puts a reference in the place of a large result; `undefined` if it is kept. */
export async function offloadCall(
  call: FinishedCall,
  event: HookEvent,
  { root, toolPrefix, minTokens: least }: HookFlags,
): Promise<object | undefined> {
  const { session_id, sessionId = session_id, agent_id, tool_use_id } = event as CallEvent;
  const { toolName, input } = call;
  const output = SHAPES[call.agent](call);
  if (!output) return undefined;
  const main = typeof sessionId === "string" && sessionId !== "" ? sessionId : "default";
  const isAgent = typeof agent_id === "string" && agent_id !== "";
  const workspace = createWorkspace({
    root,
    readBy: toolPrefix === undefined ? "path" : "tools",
    toolNames: toolPrefix === undefined ? undefined : namesWith(toolPrefix),
  });
  const offloader = createOffloader({
    workspace,
    // The agent reads through the MCP server, which has these.
    readingTools: "five",
    sessionId: isAgent ? `${main}-${agent_id}` : main,
    ...(isAgent ? { agentId: agent_id, parentSessionId: main } : {}),
    ...(least === undefined ? {} : { policy: minTokens(least) }),
  });
  const { content } = await offloader.result(output.text, {
    ...{ toolName, input },
    ...(typeof tool_use_id === "string" ? { toolCallId: tool_use_id } : {}),
  });
  await workspace.close();
  return content === output.text ? undefined : (output.withText(content) as object);
}

/** Where an agent's event has the text of a result, and the answer with another text in its place. */
const SHAPES: Readonly<
  Record<FinishedCall["agent"], (call: FinishedCall) => ToolOutputText | undefined>
> = {
  "claude-code": ({ toolName, response }) => {
    const output = findOutputText(toolName, response);
    return (
      output && {
        text: output.text,
        withText: (text) => ({
          hookSpecificOutput: {
            hookEventName: "PostToolUse",
            updatedToolOutput: output.withText(text),
          },
        }),
      }
    );
  },
  copilot: ({ response }) => {
    const { textResultForLlm: text } = (response ?? {}) as { readonly textResultForLlm?: unknown };
    if (typeof text !== "string") return undefined;
    return {
      text,
      withText: (shorter) => ({
        modifiedResult: { ...(response as object), textResultForLlm: shorter },
      }),
    };
  },
};

function namesWith(prefix: string): ToolNaming {
  return Object.fromEntries(TOOL_NAMES.map((name) => [name, prefix + name]));
}
