/** @module copilot */
import { requireObject } from "../../core/arguments.js";
import type { ToolInputSchema } from "../../core/engine/format.js";
import {
  answerText,
  connectSessions,
  type DropIn,
  type MultiSessionOptions,
  requireToolList,
  type Sessions,
} from "../shared/sessions.js";

export type { MultiSessionOptions };

/** Options of `offloadSession`. */
export interface CopilotOptions extends Omit<
  MultiSessionOptions<CopilotInvocation>,
  "acceptReferences"
> {
  /** Tools whose results are kept. Default `["view"]`: files can be viewed again in parts, and are needed whole to edit them. */
  readonly excludeTools?: readonly string[] | undefined;
}

const SESSION: DropIn<CopilotOptions> = {
  adds: { excludeTools: true },
  lacks: { acceptReferences: "it does not run the tools" },
};

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
  requireObject("config", config, "the settings of a session");
  const { tools = [], availableTools, systemMessage, hooks } = config;
  requireToolList("config.tools", tools);
  const sessions = connectSessions(options, SESSION);
  const { common } = sessions;
  common.rejectTakenNames(tools.map(({ name }) => name));
  const { excludeTools = ["view"] } = options;
  const ownHook = hooks?.onPostToolUse as CopilotOffload["hooks"]["onPostToolUse"] | undefined;

  const onPostToolUse: CopilotOffload["hooks"]["onPostToolUse"] = async (input, invocation) => {
    const changed = (await ownHook?.(input, invocation)) ?? {};
    const { toolName, toolArgs } = input;
    const result = changed.modifiedResult ?? input.toolResult;
    const { textResultForLlm: whole } = result;
    const session = sessions.of(invocation, invocation.sessionId);
    const isKept = excludeTools.includes(toolName) || session.isReadingTool(toolName);
    if (isKept || typeof whole !== "string") return changed;
    const text = await session.result(whole, { toolName, input: toolArgs });
    return text === whole
      ? changed
      : { ...changed, modifiedResult: { ...result, textResultForLlm: text } };
  };

  const added: CopilotOffload = {
    tools: [...tools, ...readingTools(sessions)] as CopilotReadingTool[],
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

function readingTools(sessions: Sessions<CopilotInvocation>): CopilotReadingTool[] {
  return sessions.common.tools.map(({ name, description, inputSchema }) => ({
    ...{ name, description, parameters: { ...inputSchema } },
    // They only read what this session stored, and a reference is useless without them.
    ...{ skipPermission: true, defer: "never" },
    async handler(input, invocation) {
      const session = sessions.of(invocation, invocation.sessionId);
      return answerText(await session.run(name, input, invocation.signal));
    },
  }));
}
