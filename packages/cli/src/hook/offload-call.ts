import { createOffloader, createWorkspace, TOOL_NAMES, type ToolNaming } from "context-offload";
import { findOutputText, type ToolOutputText } from "context-offload/claude-agent";
import { minTokens } from "context-offload/policies";
import type { FinishedCall, HookAgent, HookEvent, HookFlags } from "./hook-event.js";
import { isStub } from "./kept-calls.js";
import { writeReply } from "./reply-file.js";

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
  const output = SHAPES[call.agent](call, root);
  if (!output || isStub(output.text)) return undefined;
  const main = typeof sessionId === "string" && sessionId !== "" ? sessionId : "default";
  const isAgent = typeof agent_id === "string" && agent_id !== "";
  const workspace = createWorkspace({
    root,
    readBy: toolPrefix === undefined ? "path" : "both",
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
  Record<HookAgent, (call: FinishedCall, root: string) => ToolOutputText | undefined>
> = {
  "claude-code": ({ toolName, input, response }) => {
    const output = findOutputText(toolName, response, input);
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
  codex: ({ response }) => {
    const text = typeof response === "string" ? response : textOf(response, "content");
    if (text === undefined) return undefined;
    return { text, withText: stopWith };
  },
  qwen: ({ response }) => {
    const text = textOf(response, "llmContent");
    return text === undefined ? undefined : { text, withText: stopWith };
  },
  gemini: ({ response }, root) => {
    const text = textOf(response, "llmContent");
    if (text === undefined) return undefined;
    const withText = (shorter: string) => ({
      hookSpecificOutput: {
        hookEventName: "AfterTool",
        // Its hooks cannot set a result, but they can name the call whose result takes its place.
        tailToolCallRequest: { name: "read_file", args: { file_path: writeReply(root, shorter) } },
      },
    });
    return { text, withText };
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

/**
 * Stops what would come after the call, which is nothing but its result: the model gets the text instead, and goes
 * on. Of the answers that do so, the one that shows neither an error nor a blocked call.
 */
function stopWith(text: string) {
  return { continue: false, stopReason: text };
}

/** A text, or blocks of text and nothing else. */
function textOf(response: unknown, key: string): string | undefined {
  const value = (response as Readonly<Record<string, unknown>> | null)?.[key];
  if (typeof value === "string") return value;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const texts = value.map((block) => (block as { readonly text?: unknown } | null)?.text);
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : undefined;
}

function namesWith(prefix: string): ToolNaming {
  return Object.fromEntries(TOOL_NAMES.map((name) => [name, prefix + name]));
}
