/** @module openai-agents */
import { langchainFormat } from "../../formats/langchain.js";
import { openaiAgentsFormat, type OpenAIAgentsTool } from "../../formats/openai-agents.js";
import { parseArguments } from "../../formats/shared/openai-parts.js";
import {
  answerText,
  connectSessions,
  type DropIn,
  failedAnswer,
  type MultiSessionOptions,
  type OffloadSession,
  requireToolList,
  type Sessions,
} from "../shared/sessions.js";

export type { MultiSessionOptions, OpenAIAgentsTool };

/** An agent may serve many users at once, distinguished by the context of a run. */
export type OpenAIAgentsOptions<Context = unknown> = MultiSessionOptions<Context>;

/** Options of `offloadFilter`. */
export type OpenAIAgentsFilterOptions<Context = unknown> = Omit<
  OpenAIAgentsOptions<Context>,
  "acceptReferences"
>;

const FILTER: DropIn<OpenAIAgentsFilterOptions> = {
  adds: {},
  lacks: { acceptReferences: "it does not run the tools" },
};

/** The tools, which read in the session of the run that calls them. */
function readingTools<Context>(sessions: Sessions<Context>): OpenAIAgentsTool[] {
  return openaiAgentsFormat.describeTools(sessions.common.tools).map((tool) => ({
    ...tool,
    invoke: async (run: unknown, input: string): Promise<string> => {
      const session = sessions.of(contextOf(run) as Context);
      return answerText(await session.run(tool.name, parseArguments(input)));
    },
  }));
}

/** What the host passed to `run` as its context. */
function contextOf(run: unknown): unknown {
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
>(tools: T, options: OpenAIAgentsOptions<Context> = {}): [...T, ...OpenAIAgentsTool[]] {
  requireToolList("tools", tools);
  const sessions = connectSessions(options);
  sessions.common.checkToolNames(tools.map(({ name }) => name));
  const wrapped = tools.map((tool) => (isFunctionTool(tool) ? wrapTool(tool, sessions) : tool));
  return [...wrapped, ...readingTools(sessions)] as unknown as [...T, ...OpenAIAgentsTool[]];
}

function isFunctionTool(tool: object): tool is FunctionTool {
  const { type, invoke, outputSchema } = tool as Partial<FunctionTool>;
  // Code reads a result that has a schema; a reference would not satisfy it.
  return type === "function" && typeof invoke === "function" && outputSchema === undefined;
}

function wrapTool<Context>(tool: FunctionTool, sessions: Sessions<Context>): FunctionTool {
  const { name } = tool;
  const invoke: FunctionTool["invoke"] = async (run, input, details) => {
    const session = sessions.of(contextOf(run) as Context);
    let resolved: string;
    try {
      resolved = await session.resolveJson(name, input, details?.signal);
    } catch (error) {
      // The SDK would end the run; the model can correct its call.
      return answerText(failedAnswer(error));
    }
    const output = await tool.invoke(run, resolved, details);
    return offloadOutput(session, output, { name, input, details });
  };
  // The SDK marks its tools with properties that a spread would lose.
  const copy = Object.create(
    Object.getPrototypeOf(tool) as object | null,
    Object.getOwnPropertyDescriptors(tool),
  ) as FunctionTool;
  return Object.assign(copy, {
    description: sessions.common.describe(name, tool.description),
    invoke,
  });
}

async function offloadOutput(
  session: OffloadSession,
  output: unknown,
  call: {
    readonly name: string;
    readonly input: string;
    readonly details?: CallDetails | undefined;
  },
): Promise<unknown> {
  const { name, details } = call;
  const id = details?.toolCall?.callId;
  const args = parseArguments(call.input);
  const blocks = Array.isArray(output) ? (output as unknown[]) : [output];
  if (!blocks.every(isBlock)) {
    const arrived = { toolCallId: id, toolName: name, input: args, signal: details?.signal };
    return session.value(output, arrived);
  }
  // Text beside images and files: LangChain's blocks have the same types, and its format keeps media.
  const [, answered] = await session.exchange<{ type: string; content: unknown[] }>(
    [
      { type: "ai", content: [], ...{ tool_calls: [{ id, name, args }] } },
      { type: "tool", content: blocks, ...{ tool_call_id: id ?? "", name } },
    ],
    langchainFormat,
  );
  return !answered || answered.content === blocks ? output : answered.content;
}

/** Whether the SDK takes it for a part of a message, and not for data. */
function isBlock(value: unknown): boolean {
  const { type } = (value ?? {}) as { readonly type?: unknown };
  return type === "text" || type === "image" || type === "file";
}

/** The parts of a request to the model that matter here. */
export interface AgentsModelData {
  input: unknown[];
  instructions?: string;
}

/** What the SDK passes to a `callModelInputFilter`. */
export interface AgentsFilterCall<Data> {
  readonly modelData: Data;
  readonly agent: { readonly tools: readonly { readonly name: string }[] };
  readonly context: unknown;
}

/** A `callModelInputFilter`, and the tools that read what it offloads. */
export interface OffloadFilter {
  <Data extends AgentsModelData>(call: AgentsFilterCall<Data>): Promise<Data>;
  /** Unchanged items are the same objects in every request, so that each is read only once. */
  readonly preserveInputIdentity: true;
  readonly tools: OpenAIAgentsTool[];
}

/**
 * A filter that offloads the results of every request, those of MCP servers and of earlier turns
 * included. It cannot add tools: requests of an agent that does not have its `tools` are passed on
 * whole, since nobody could read a reference.
 *
 * @example
 * const callModelInputFilter = offloadFilter();
 * const agent = new Agent({ name, tools: [...tools, ...callModelInputFilter.tools] });
 * await new Runner({ callModelInputFilter }).run(agent, question);
 */
export function offloadFilter<Context = unknown>(
  options: OpenAIAgentsFilterOptions<Context> = {},
): OffloadFilter {
  const sessions = connectSessions(options, FILTER);
  const tools = readingTools(sessions);
  const filter = async <Data extends AgentsModelData>(
    call: AgentsFilterCall<Data>,
  ): Promise<Data> => {
    const { modelData, agent, context } = call;
    const offered = new Set(agent.tools.map(({ name }) => name));
    if (!tools.every(({ name }) => offered.has(name))) return modelData;
    const session = sessions.of(context as Context);
    const input = [...(await session.history(modelData.input, openaiAgentsFormat))];
    const instructions = [modelData.instructions, session.systemPrompt()];
    return { ...modelData, input, instructions: instructions.filter(Boolean).join("\n\n") };
  };
  return Object.assign(filter, { preserveInputIdentity: true as const, tools });
}
