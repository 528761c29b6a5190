import { DEFAULTS } from "../../core/defaults.js";
import { InvalidArgumentError } from "../../core/errors/argument-errors.js";
import { TOOL_NAMES, type ToolName, nameTools } from "../../core/workspace/reading/reading.js";
import { coreOf } from "../../core/workspace/workspace-core.js";
import type { Workspace } from "../../core/workspace/workspace-types.js";
import { createWorkspace } from "../../presets/create-workspace.js";
import {
  connectSessions,
  type OffloadSession,
  type IntegrationOptions,
} from "../shared/connect-sessions.js";
import { createReadingServer } from "./reading-server.js";
import { findOutputText } from "./tool-output-shapes.js";

const SERVER = "offload";
const PREFIX = `mcp__${SERVER}__`;

/** The names that Claude gives the reading tools: pass them as `toolNames` to your own workspace. */
export const claudeToolNames = Object.fromEntries(
  TOOL_NAMES.map((name) => [name, PREFIX + name]),
) as Record<ToolName, string>;

/** Options of `claudeOffload`. */
export interface ClaudeOffloadOptions extends Omit<
  IntegrationOptions,
  "offloader" | "acceptReferences" | "media"
> {
  /** Tools whose results are kept. Default: none. */
  readonly excludeTools?: readonly string[] | undefined;
}

/** The parts of a hook's input that matter here. */
export interface ClaudeHookEvent {
  readonly hook_event_name: string;
  readonly session_id: string;
  readonly agent_id?: string | undefined;
  readonly tool_name?: string | undefined;
  readonly tool_input?: unknown;
  readonly tool_response?: unknown;
  readonly tool_use_id?: string | undefined;
}

/** Hooks for the tools whose names match. */
export interface ClaudeHook<Output> {
  matcher?: string;
  hooks: ((
    input: ClaudeHookEvent,
    toolUseId: string | undefined,
    options: { signal: AbortSignal },
  ) => Promise<{ hookSpecificOutput?: Output }>)[];
}

/** Options for `query`. */
export interface ClaudeOffload {
  hooks: {
    PreToolUse: ClaudeHook<{ hookEventName: "PreToolUse"; permissionDecision: "allow" }>[];
    PostToolUse: ClaudeHook<{ hookEventName: "PostToolUse"; updatedToolOutput: unknown }>[];
  };
  mcpServers: {
    /** The instance is an MCP server by its shape, which the SDK's class does not allow to say. */
    [SERVER]: { type: "sdk"; name: string; instance: never };
  };
}

/** More reading calls than can be under way at one time. */
const MAX_CALLS = 1_000;

/**
 * Hooks that replace large results of tools by references, and a server with the reading tools.
 *
 * @example
 * query({ prompt, options: { ...claudeOffload() } });
 */
export function claudeOffload(options: ClaudeOffloadOptions = {}): ClaudeOffload {
  const { excludeTools = [], sessionId, root, ...others } = options;
  const workspace = readWorkspace(options.workspace, root);
  const sessions = connectSessions({ ...others, workspace });
  /** Which session a reading call belongs to: its hook knows, the server is only told the call's id. */
  const calls = new Map<string, OffloadSession>();

  const sessionOf = ({ session_id, agent_id }: ClaudeHookEvent): OffloadSession => {
    const main = sessionId ?? session_id;
    return agent_id === undefined ? sessions(main) : sessions(`${main}-${agent_id}`, main);
  };

  const instance = createReadingServer({
    name: SERVER,
    instructions: workspace.systemPrompt(),
    listed: sessions(sessionId).tools,
    toolsOf: (toolUseId) => calls.get(toolUseId)?.tools,
  });

  return {
    hooks: {
      PreToolUse: [
        {
          matcher: `${PREFIX}.*`,
          hooks: [
            (input) => {
              calls.set(input.tool_use_id ?? "", sessionOf(input));
              const [oldest] = calls.keys();
              if (calls.size > MAX_CALLS && oldest !== undefined) calls.delete(oldest);
              // They only read what this session stored.
              const permissionDecision = "allow" as const;
              return Promise.resolve({
                hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision },
              });
            },
          ],
        },
      ],
      PostToolUse: [
        {
          hooks: [
            async (input, _, { signal }) => {
              const { tool_name: toolName = "", tool_use_id: toolCallId, tool_input } = input;
              const output = excludeTools.includes(toolName)
                ? undefined
                : findOutputText(toolName, input.tool_response);
              if (!output) return {};
              const call = { toolCallId, toolName, input: tool_input, signal };
              const text = await sessionOf(input).result(output.text, call);
              if (text === output.text) return {};
              const updatedToolOutput = output.withText(text);
              return { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput } };
            },
          ],
        },
      ],
    },
    mcpServers: { [SERVER]: { type: "sdk", name: SERVER, instance: instance as never } },
  };
}

function readWorkspace(workspace: Workspace | undefined, root: string | undefined): Workspace {
  if (workspace === undefined) {
    return createWorkspace({ root: root ?? DEFAULTS.root, toolNames: claudeToolNames });
  }
  const other = nameTools(coreOf(workspace).toolNames).find(({ name }) => !name.startsWith(PREFIX));
  if (other) {
    const expected =
      "made with toolNames: claudeToolNames, so that references name tools as Claude does";
    throw new InvalidArgumentError("workspace", other.name, expected);
  }
  return workspace;
}
