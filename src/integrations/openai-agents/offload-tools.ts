import { messageOf } from "../../core/errors/context-offload-error.js";
import { langchainFormat } from "../../formats/langchain.js";
import { openaiAgentsFormat, type OpenAIAgentsTool } from "../../formats/openai-agents.js";
import {
  connectSessions,
  type OffloadSession,
  type IntegrationOptions,
  offloadValue,
  refuseTakenNames,
  resolveJson,
} from "../shared/connect-sessions.js";

/** An agent may serve many users at once, whom the context of a run tells apart. */
export interface AgentsOptions<Context = unknown> extends Omit<IntegrationOptions, "sessionId"> {
  /** The session, or how to find it by the context of a run. Default: a random one for each call of the factory. */
  readonly sessionId?: string | ((context: Context) => string) | undefined;
}

/** The runs of agents with the same options. */
export interface Runs {
  /** The session of a run with this context. */
  readonly sessionOf: (context: unknown) => OffloadSession;
  /** What is the same in all sessions. */
  readonly common: OffloadSession;
  /** The reading tools, which read in the session of the run that calls them. */
  readonly tools: OpenAIAgentsTool[];
}

export function connectRuns<Context>({ sessionId, ...rest }: AgentsOptions<Context>): Runs {
  const isFixed = typeof sessionId !== "function";
  const sessions = connectSessions(isFixed ? { ...rest, sessionId } : rest);
  const sessionOf = (context: unknown): OffloadSession =>
    isFixed ? sessions() : sessions(sessionId(context as Context));
  const common = sessions();
  const tools = openaiAgentsFormat.describeTools(common.tools).map((tool, index) => ({
    ...tool,
    invoke: (run: unknown, input: string): Promise<string> => {
      const own = openaiAgentsFormat.describeTools(sessionOf(contextOf(run)).tools);
      return (own[index] ?? tool).invoke(run, input);
    },
  }));
  return { sessionOf, common, tools };
}

/** What the host passed to `run` as its context. */
export function contextOf(run: unknown): unknown {
  return (run as { readonly context?: unknown } | undefined)?.context;
}

/** The parts of a function tool that matter here. */
interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly outputSchema?: unknown;
  readonly invoke: (run: unknown, input: string, details?: CallDetails) => Promise<unknown>;
}

interface CallDetails {
  readonly toolCall?: { readonly callId: string };
  readonly signal?: AbortSignal;
}

/**
 * The tools, whose large results the model gets as references, and the reading tools after them. What
 * a session of the SDK saves is the reference.
 *
 * @example
 * const agent = new Agent({ name: "Analyst", tools: offloadTools(tools) });
 */
export function offloadTools<
  const T extends readonly { readonly name: string }[],
  Context = unknown,
>(tools: T, options: AgentsOptions<Context> = {}): [...T, ...OpenAIAgentsTool[]] {
  const runs = connectRuns(options);
  refuseTakenNames(runs.tools, tools);
  const wrapped = tools.map((tool) => (isFunctionTool(tool) ? wrapTool(tool, runs) : tool));
  return [...wrapped, ...runs.tools] as unknown as [...T, ...OpenAIAgentsTool[]];
}

function isFunctionTool(tool: object): tool is FunctionTool {
  const { type, invoke, outputSchema } = tool as Partial<FunctionTool>;
  // Code reads a result that has a schema; a reference would not satisfy it.
  return type === "function" && typeof invoke === "function" && outputSchema === undefined;
}

function wrapTool(tool: FunctionTool, { sessionOf, common }: Runs): FunctionTool {
  const { name } = tool;
  const invoke: FunctionTool["invoke"] = async (run, input, details) => {
    const session = sessionOf(contextOf(run));
    let resolved: string;
    try {
      resolved = await resolveJson(session, name, input, details?.signal);
    } catch (error) {
      // The SDK would end the run; the model can correct its call.
      return `Error: ${messageOf(error)}`;
    }
    const output = await tool.invoke(run, resolved, details);
    return offloadOutput(session, output, name, details);
  };
  // The SDK marks its tools with properties that a spread would lose.
  const copy = Object.create(
    Object.getPrototypeOf(tool) as object | null,
    Object.getOwnPropertyDescriptors(tool),
  ) as FunctionTool;
  return Object.assign(copy, { description: common.describe(name, tool.description), invoke });
}

async function offloadOutput(
  session: OffloadSession,
  output: unknown,
  toolName: string,
  details: CallDetails | undefined,
): Promise<unknown> {
  const toolCallId = details?.toolCall?.callId;
  const blocks = Array.isArray(output) ? (output as unknown[]) : [output];
  if (!blocks.every(isBlock)) {
    return offloadValue(session, output, { toolCallId, toolName, signal: details?.signal });
  }
  // Text beside images and files: LangChain's blocks have the same types, and its format keeps media.
  const message = { type: "tool", tool_call_id: toolCallId ?? "", name: toolName, content: blocks };
  const { content } = await session.message(message, langchainFormat);
  return content === blocks ? output : content;
}

/** Whether the SDK takes it for a part of a message, and not for data. */
function isBlock(value: unknown): boolean {
  const { type } = (value ?? {}) as { readonly type?: unknown };
  return type === "text" || type === "image" || type === "file";
}
