import { basename } from "node:path";
import {
  createOffloader,
  createWorkspace,
  estimateTokens,
  TOOL_NAMES,
  type ToolNaming,
} from "context-offload";
import { findOutputText, type ToolOutputText } from "context-offload/claude-agent";
import { noteRead } from "context-offload/ledger";
import { minTokens } from "context-offload/policies";
import {
  agentOf,
  agentSession,
  sessionOf,
  type FinishedCall,
  type HookAgent,
  type HookEvent,
  type HookFlags,
} from "./hook-event.js";
import { isStub } from "./kept-calls.js";
import { processTelemetry } from "../telemetry.js";
import { writeReply } from "./reply-file.js";

/** The parts of an event that say whose call it was. */
interface CallEvent extends HookEvent {
  readonly tool_use_id?: unknown;
}

interface Offloaded {
  /** Puts a reference in the place of a large result; `undefined` if it is kept. */
  readonly answer?: object | undefined;
  /** Why it was not even looked at. */
  readonly kept?: string | undefined;
}

export async function offloadCall(
  call: FinishedCall,
  event: HookEvent,
  { root, toolPrefix, minTokens: least }: HookFlags,
): Promise<Offloaded> {
  const { tool_use_id } = event as CallEvent;
  const { toolName, input } = call;
  const output = SHAPES[call.agent](call, root);
  if (!output) return { kept: "its tool's output has no text that can be replaced" };
  if (isStub(output.text)) return {};
  const workspace = createWorkspace({
    root,
    logger: processTelemetry(),
    readBy: toolPrefix === undefined ? "path" : "both",
    toolNames: toolPrefix === undefined ? undefined : namesWith(toolPrefix),
  });
  const offloader = createOffloader({
    workspace,
    // The agent reads through the MCP server, which has these.
    readingTools: "five",
    ...ownerOf(event),
    ...(least === undefined ? {} : { policy: minTokens(least) }),
  });
  const { content } = await offloader.result(output.text, {
    ...{ toolName, input },
    ...(typeof tool_use_id === "string" ? { toolCallId: tool_use_id } : {}),
  });
  await workspace.close();
  return content === output.text ? {} : { answer: output.withText(content) as object };
}

function ownerOf(event: HookEvent) {
  const agentId = agentOf(event);
  const main = sessionOf(event);
  return agentId === undefined
    ? { sessionId: main }
    : { sessionId: agentSession(main, agentId), agentId, parentSessionId: main };
}

const MAX_LISTED = 500;

/** Notes that stored files were read by a tool of the agent's own; if it names one of them, of that one. */
export async function noteReadByPath(
  call: FinishedCall,
  event: HookEvent,
  { root }: HookFlags,
): Promise<void> {
  const output = SHAPES[call.agent](call, root);
  if (!output) return;
  const { sessionId, parentSessionId } = ownerOf(event);
  const said = JSON.stringify(call.input);
  // What is there holds references, for agents that can only be told which file to read.
  if (said.includes(`${basename(root)}/replies/`)) return;
  const workspace = createWorkspace({ root, readBy: "path", logger: processTelemetry() });
  const tokens = estimateTokens(`${call.toolName} ${said}`) + estimateTokens(output.text);
  for (const session_id of new Set([sessionId, parentSessionId ?? sessionId])) {
    const { artifacts } = await workspace.queryArtifacts({ session_id }, { limit: MAX_LISTED });
    // A readable view of a result has its name and more behind it.
    const named = artifacts.filter(({ location }) => {
      const name = basename(location, ".txt");
      return name !== "" && (said.includes(`${name}.txt`) || said.includes(`${name}~`));
    });
    if (named.length !== 1) continue;
    noteRead(workspace, session_id, { artifactId: named[0]?.artifactId, tokens });
    return workspace.close();
  }
  noteRead(workspace, sessionId, { tokens });
  await workspace.close();
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
