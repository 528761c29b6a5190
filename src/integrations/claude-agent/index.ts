/** @module claude-agent */
import { InvalidArgumentError } from "../../core/errors/argument-errors.js";
import { setLru } from "../../core/lib/set-lru.js";
import { TOOL_NAMES, type ToolName } from "../../core/workspace/reading/reading.js";
import {
  connectSessions,
  type DropIn,
  type MultiSessionOptions,
  type OffloadSession,
} from "../shared/sessions.js";
import { createReadingServer } from "./reading-server.js";
import { findOutputText } from "./tool-output-shapes.js";

export { findOutputText, type ToolOutputText } from "./tool-output-shapes.js";
export type { MultiSessionOptions };

const SERVER = "offload";
const PREFIX = `mcp__${SERVER}__`;

/** The names that Claude gives the reading tools: pass them as `toolNames` to your own workspace. */
export const claudeToolNames = Object.fromEntries(
  TOOL_NAMES.map((name) => [name, PREFIX + name]),
) as Record<ToolName, string>;

/** Options of `offloadQuery`. */
export interface ClaudeOptions extends Omit<
  MultiSessionOptions<ClaudeHookEvent>,
  "offloader" | "acceptReferences" | "media"
> {
  /** Tools whose results are kept. Default: none. */
  readonly excludeTools?: readonly string[] | undefined;
}

const QUERY: DropIn<ClaudeOptions> = {
  adds: { excludeTools: true },
  lacks: {
    offloader: "it serves many conversations",
    acceptReferences: "it does not run the tools",
    media: "it replaces text alone",
  },
};

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
 * query({ prompt, options: { ...offloadQuery() } });
 */
export function offloadQuery(options: ClaudeOptions = {}): ClaudeOffload {
  const sessions = connectSessions(options, QUERY, { toolNames: claudeToolNames });
  requireClaudeNames(sessions.common);
  const { excludeTools = [] } = options;
  /** Which session a reading call belongs to: its hook knows, the server is only told the call's id. */
  const calls = new Map<string, OffloadSession>();

  const sessionOf = (event: ClaudeHookEvent): OffloadSession => {
    const main = sessions.of(event, event.session_id);
    return event.agent_id === undefined
      ? main
      : sessions.named(`${main.sessionId}-${event.agent_id}`, main.sessionId);
  };

  const instance = createReadingServer({
    name: SERVER,
    listed: sessions.common,
    sessionOf: (toolUseId) => calls.get(toolUseId),
  });

  return {
    hooks: {
      PreToolUse: [
        {
          matcher: `${PREFIX}.*`,
          hooks: [
            (input) => {
              setLru(calls, input.tool_use_id ?? "", sessionOf(input), MAX_CALLS);
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
                : findOutputText(toolName, input.tool_response, tool_input);
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

/** References in the host's own workspace must name the tools as Claude does. */
function requireClaudeNames({ tools }: OffloadSession): void {
  const other = tools.find(({ name }) => !name.startsWith(PREFIX));
  if (!other) return;
  const expected =
    "made with toolNames: claudeToolNames, so that references name tools as Claude does";
  throw new InvalidArgumentError("workspace", other.name, expected);
}
