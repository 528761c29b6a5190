/** @module voltagent */
import { requireObject } from "../../core/arguments.js";
import { aiSdkFormat } from "../../formats/ai-sdk.js";
import {
  answerText,
  connectSessions,
  type DropIn,
  type MultiSessionOptions,
  type OffloadSession,
  requireToolList,
  type Sessions,
} from "../shared/sessions.js";

export type { MultiSessionOptions };

/** The parts of an agent's settings that matter here. */
export interface AgentSettings {
  /** The name of the agent. */
  readonly name: string;
  /** Your own tools and toolkits; none may have the name of a reading tool. */
  readonly tools?: unknown;
  /** Your own toolkits, to which one with the reading tools is added. */
  readonly toolkits?: readonly object[];
  /** Your own hooks; they run first. */
  readonly hooks?: object;
  /** Your own preparation of a step; it runs first. */
  readonly prepareStep?: unknown;
}

/** A call of a tool that has ended. */
export interface VoltAgentToolEnd {
  readonly tool: { readonly name: string; readonly outputSchema?: unknown };
  readonly output: unknown;
  readonly error: unknown;
  readonly context: VoltAgentOperation;
  readonly options?: { readonly toolContext?: { readonly callId?: string } | undefined };
}

/** What is added to the settings of an agent. */
export interface VoltAgentOffload {
  toolkits: {
    name: string;
    instructions: string;
    addInstructions: true;
    tools: VoltAgentReadingTool[];
  }[];
  hooks: {
    onToolEnd: (end: VoltAgentToolEnd) => Promise<{ output?: unknown }>;
    onPrepareModelMessages: <M>(call: {
      readonly modelMessages: M[];
      readonly context: VoltAgentOperation;
    }) => Promise<{ modelMessages?: M[] }>;
  };
  prepareStep: <M extends object>(step: { readonly messages: M[] }) => Promise<{ messages?: M[] }>;
}

/** Options of `offloadAgent`. */
export type VoltAgentOptions = Omit<MultiSessionOptions<VoltAgentOperation>, "acceptReferences">;

const AGENT: DropIn<VoltAgentOptions> = {
  adds: {},
  lacks: { acceptReferences: "it does not run the tools" },
};

/**
 * The settings of an agent that gets references for large results, and the tools to read them. The
 * host's own hooks and toolkits are kept. The conversation is the session.
 *
 * @example
 * const agent = new Agent(offloadAgent({ name: "Analyst", instructions, model, tools }));
 */
export function offloadAgent<S extends AgentSettings>(
  settings: S,
  options: VoltAgentOptions = {},
): S & VoltAgentOffload {
  requireObject("settings", settings, "the settings of an agent");
  const sessions = connectSessions(options, AGENT);
  const { common } = sessions;
  common.rejectTakenNames([...namesIn(settings.tools), ...namesIn(settings.toolkits)]);
  const own = (settings.hooks ?? {}) as Partial<VoltAgentOffload["hooks"]>;
  const ownStep = settings.prepareStep as VoltAgentOffload["prepareStep"] | undefined;
  // A step is not told its conversation. The messages that its operation began with are the same objects.
  const sessionOfMessage = new WeakMap<object, OffloadSession>();

  const hooks: VoltAgentOffload["hooks"] = {
    ...own,

    async onToolEnd(end) {
      const changed = (await own.onToolEnd?.(end)) ?? {};
      const { tool, error, context } = end;
      // Code reads a result that has a schema; a reference would not satisfy it.
      if (error !== undefined || common.isReadingTool(tool.name) || tool.outputSchema)
        return changed;
      const whole = changed.output ?? end.output;
      const toolCallId = end.options?.toolContext?.callId;
      const session = sessions.of(context, context.conversationId);
      const output = await session.value(whole, { toolCallId, toolName: tool.name });
      return output === whole ? changed : { ...changed, output };
    },

    async onPrepareModelMessages(call) {
      const changed = (await own.onPrepareModelMessages?.(call)) ?? {};
      const { modelMessages = call.modelMessages } = changed;
      const session = sessions.of(call.context, call.context.conversationId);
      const messages = modelMessages.map(asFirstSent);
      for (const message of messages) sessionOfMessage.set(message as object, session);
      return { modelMessages: messages };
    },
  };
  const prepareStep: VoltAgentOffload["prepareStep"] = async (step) => {
    const changed = (await ownStep?.(step)) ?? {};
    const session = step.messages.map((message) => sessionOfMessage.get(message)).find(Boolean);
    if (!session) return changed;
    const { messages = step.messages } = changed;
    return { ...changed, messages: [...(await session.history(messages, aiSdkFormat))] };
  };
  const toolkit: VoltAgentOffload["toolkits"][number] = {
    ...{ name: "context-offload", instructions: common.systemPrompt(), addInstructions: true },
    tools: readingTools(sessions),
  };
  const toolkits = [...(settings.toolkits ?? []), toolkit] as VoltAgentOffload["toolkits"];
  return { ...settings, toolkits, hooks, prepareStep };
}

/** The names in a list of tools and toolkits. Those that a function makes for each run are not known. */
function namesIn(list: unknown): (string | undefined)[] {
  if (list === undefined || typeof list === "function") return [];
  requireToolList("settings.tools", list);
  const tools = list as readonly { readonly name?: string; readonly tools?: unknown }[];
  return tools.flatMap((one) => (one.tools === undefined ? [one.name] : namesIn(one.tools)));
}

/**
 * VoltAgent saves results as the AI SDK describes them, and sends that description as JSON in later
 * calls: another text than the model got first, and one in which a reference could not be recognized.
 */
function asFirstSent<M>(message: M): M {
  const { role, content } = message as { readonly role?: unknown; readonly content?: unknown };
  if (role !== "tool" || !Array.isArray(content)) return message;
  const parts = content as readonly { readonly output?: ToolOutput }[];
  if (!parts.some(({ output }) => isDescribedTwice(output))) return message;
  return {
    ...message,
    content: parts.map((part) =>
      isDescribedTwice(part.output) ? { ...part, output: part.output.value } : part,
    ),
  };
}

/** What the AI SDK calls the output of a tool. */
interface ToolOutput {
  readonly type?: unknown;
  readonly value?: unknown;
}

function isDescribedTwice(output: ToolOutput | undefined): output is ToolOutput {
  const { type, value, ...others } = (output?.value ?? {}) as ToolOutput;
  return (
    output?.type === "json" &&
    (type === "json" || type === "text") &&
    value !== undefined &&
    Object.keys(others).length === 0
  );
}

/** What VoltAgent tells a tool or a hook of the operation that it is called in. */
export interface VoltAgentOperation {
  /** The session that results belong to. */
  readonly conversationId?: string | undefined;
}

/** What VoltAgent passes to a tool besides its input. */
export interface VoltAgentExecuteOptions extends VoltAgentOperation {
  /** The call; its signal aborts the reading. */
  readonly toolContext?: { readonly abortSignal?: AbortSignal | undefined } | undefined;
}

/** A reading tool as VoltAgent runs it. */
export interface VoltAgentReadingTool {
  readonly type: "user-defined";
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** VoltAgent takes any schema of the AI SDK, but its type allows those of one library only. */
  readonly parameters: never;
  readonly isClientSide: () => boolean;
  readonly execute: (input: unknown, options?: VoltAgentExecuteOptions) => Promise<string>;
}

/** The tools, which read in the session of the conversation that calls them. */
function readingTools(sessions: Sessions<VoltAgentOperation>): VoltAgentReadingTool[] {
  const { tools } = sessions.common;
  const schemas = aiSdkFormat.describeTools(tools);
  return tools.map(({ name, description }) => ({
    ...{ type: "user-defined", id: name, name, description },
    parameters: schemas[name]?.inputSchema as never,
    isClientSide: () => false,
    async execute(input, options = {}) {
      const session = sessions.of(options, options.conversationId);
      return answerText(await session.run(name, input, options.toolContext?.abortSignal));
    },
  }));
}
