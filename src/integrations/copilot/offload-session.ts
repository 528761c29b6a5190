import type { ToolDescription, ToolInputSchema } from "../../core/engine/format.js";
import {
  connectSessions,
  type Sessions,
  type IntegrationOptions,
  refuseTakenNames,
} from "../shared/connect-sessions.js";

/** Options of `offloadSession`. */
export interface CopilotOptions extends Omit<IntegrationOptions, "acceptReferences"> {
  /** Tools whose results are kept. Default `["view"]`: files can be viewed again in parts, and are needed whole to edit them. */
  readonly excludeTools?: readonly string[] | undefined;
}

/** The parts of a result that matter here. */
export interface CopilotToolResult {
  readonly textResultForLlm: string;
}

/** The parts of the input of `onPostToolUse` that matter here. */
export interface CopilotToolUse {
  readonly toolName: string;
  readonly toolArgs: unknown;
  readonly toolResult: CopilotToolResult;
}

/** What Copilot tells a tool or a hook of the session that it is called in. */
export interface CopilotInvocation {
  readonly sessionId: string;
  readonly signal?: AbortSignal;
}

/** The parts of the settings of a session that matter here. */
export interface SessionSettings {
  /** Passed on as it is. */
  readonly model?: unknown;
  /** Passed on as it is; the reading tools ask for no permission. */
  readonly onPermissionRequest?: unknown;
  /** Your own tools, to which the reading tools are added. */
  readonly tools?: readonly { readonly name: string }[];
  /** The names that the model may use, to which those of the reading tools are added. */
  readonly availableTools?: unknown;
  /** Your own system message, to which ours is added. */
  readonly systemMessage?: { readonly content?: string };
  /** Your own hooks; they run first. */
  readonly hooks?: {
    readonly onPostToolUse?: (input: never, invocation: CopilotInvocation) => unknown;
  };
}

/** A reading tool as Copilot runs it. */
export interface CopilotReadingTool {
  name: string;
  description: string;
  parameters: ToolInputSchema & Record<string, unknown>;
  skipPermission: true;
  defer: "never";
  handler: (input: unknown, invocation: CopilotInvocation) => Promise<string>;
}

/** What is added to the settings of a session. */
export interface CopilotOffload {
  tools: CopilotReadingTool[];
  systemMessage: { content: string };
  /** Copilot would put large results into files of its own before the hook sees them. */
  largeOutput: { enabled: false };
  hooks: {
    onPostToolUse: <R extends CopilotToolResult>(
      input: CopilotToolUse & { readonly toolResult: R },
      invocation: CopilotInvocation,
    ) => Promise<{ modifiedResult?: R }>;
  };
}

/**
 * The settings of a session whose large results of tools the model gets as references, with the tools
 * to read them. The host's own hooks, tools and system message are kept.
 *
 * @example
 * const session = await client.createSession(offloadSession({ model, tools, onPermissionRequest }));
 */
export function offloadSession<C extends SessionSettings>(
  config: C,
  options: CopilotOptions = {},
): C & CopilotOffload {
  const { excludeTools = ["view"], ...rest } = options;
  const sessions = connectSessions(rest);
  const common = sessions();
  const { tools = [], availableTools, systemMessage, hooks } = config;
  refuseTakenNames(common.tools, tools);
  const kept = new Set([...excludeTools, ...common.tools.map(({ name }) => name)]);
  const ownHook = hooks?.onPostToolUse as CopilotOffload["hooks"]["onPostToolUse"] | undefined;

  const onPostToolUse: CopilotOffload["hooks"]["onPostToolUse"] = async (input, invocation) => {
    const changed = (await ownHook?.(input, invocation)) ?? {};
    const { toolName, toolArgs } = input;
    const result = changed.modifiedResult ?? input.toolResult;
    const { textResultForLlm: whole } = result;
    if (kept.has(toolName) || typeof whole !== "string") return changed;
    const session = sessions(invocation.sessionId);
    const text = await session.result(whole, { toolName, input: toolArgs });
    return text === whole
      ? changed
      : { ...changed, modifiedResult: { ...result, textResultForLlm: text } };
  };

  const added: CopilotOffload = {
    tools: [
      ...tools,
      ...common.tools.map((tool) => describeTool(tool, sessions)),
    ] as CopilotReadingTool[],
    systemMessage: {
      ...systemMessage,
      content: [systemMessage?.content, common.systemPrompt()].filter(Boolean).join("\n\n"),
    },
    largeOutput: { enabled: false },
    hooks: { ...hooks, onPostToolUse },
  };
  const offered = Array.isArray(availableTools)
    ? { availableTools: [...(availableTools as unknown[]), ...common.tools.map((t) => t.name)] }
    : {};
  return { ...config, ...offered, ...added };
}

function describeTool(tool: ToolDescription, sessions: Sessions): CopilotReadingTool {
  const { name, description, inputSchema } = tool;
  return {
    ...{ name, description, parameters: { ...inputSchema } },
    // They only read what this session stored, and a reference is of no use without them.
    ...{ skipPermission: true, defer: "never" },
    async handler(input, { sessionId, signal }) {
      const own = sessions(sessionId).tools.find((candidate) => candidate.name === name) ?? tool;
      const { text, isError } = await own.execute(input, signal ? { signal } : {});
      return isError ? `Error: ${text}` : text;
    },
  };
}
