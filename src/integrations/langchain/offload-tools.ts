import type { ToolAnswer } from "../../core/engine/format.js";
import { messageOf } from "../../core/errors/context-offload-error.js";
import { langchainFormat, type LangchainTool } from "../../formats/langchain.js";
import {
  type OffloadSession,
  type Sessions,
  connectSessions,
  type IntegrationOptions,
  offloadValue,
  refuseTakenNames,
} from "../shared/connect-sessions.js";

/** Whether an answer is a tool message, of any copy of the framework. */
export function isToolMessage<A>(answer: A): answer is A & object {
  const { getType } = (answer ?? {}) as { getType?: unknown };
  return typeof getType === "function" && getType.call(answer) === "tool";
}

/** What LangGraph says of the run that a hook is called in. */
export interface GraphRuntime {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Between the levels of a graph within a graph. */
const LEVEL = "|";

/**
 * The session of a run: that of its thread. An agent that runs inside a tool of another one has its own,
 * to which the outer agent has access. LangGraph tells it by the path of the node: one task for each level.
 */
export function sessionOfRun(
  sessions: Sessions,
  runtime: GraphRuntime | undefined,
): OffloadSession {
  const { thread_id, checkpoint_ns } = runtime?.configurable ?? {};
  const thread = sessions(typeof thread_id === "string" ? thread_id : undefined);
  const outer = typeof checkpoint_ns === "string" ? checkpoint_ns.split(LEVEL).slice(0, -1) : [];
  const ids = outer.map((_, at) => [thread.sessionId, ...outer.slice(0, at + 1)].join(LEVEL));
  const own = ids.at(-1);
  return own === undefined ? thread : sessions(own, ids.at(-2) ?? thread.sessionId);
}

/** A tool of any version of the framework. */
interface AnyTool {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly invoke?: unknown;
}

/** A tool that runs here, unlike those of a provider. */
interface RunnableTool {
  readonly name: string;
  readonly description: string;
  readonly invoke: Invoke;
  /** How an `AgentExecutor` that streams runs its tools. */
  readonly call?: Invoke;
}

type Invoke = (input: unknown, config?: GraphRuntime) => Promise<unknown>;

/**
 * The tools, whose large results become references in the state of a graph, and the reading tools after
 * them: for `createReactAgent` and `ToolNode` of LangGraph and for `AgentExecutor`, which take no
 * middleware. The reading tools have the type of the others, since classes of the framework are not known
 * here; they have what agents call, `invoke`.
 *
 * @example
 * const agent = createReactAgent({ llm, tools: offloadTools(tools) });
 */
export function offloadTools<T extends object>(
  tools: readonly T[],
  options: IntegrationOptions = {},
): T[] {
  const sessions = connectSessions(options);
  const common = sessions();
  const reading = langchainFormat.describeTools(common.tools);
  refuseTakenNames(reading, tools);
  return [
    ...tools.map((tool) => (isRunnable(tool) ? wrapTool(tool, common, sessions) : tool)),
    ...reading.map((tool) => readingTool(tool, sessions) as T),
  ];
}

function isRunnable<T extends AnyTool>(tool: T): tool is T & RunnableTool {
  return typeof tool.name === "string" && typeof tool.invoke === "function";
}

function wrapTool<T extends RunnableTool>(tool: T, common: OffloadSession, sessions: Sessions): T {
  const { name, description } = tool;
  const wrap =
    (run: Invoke): Invoke =>
    async (input, config) => {
      const session = sessionOfRun(sessions, config);
      const call = asCall(input);
      const args = call ? call.args : input;
      let resolved: unknown;
      try {
        resolved = await session.resolve(name, args, config?.signal);
      } catch (error) {
        config?.signal?.throwIfAborted();
        return answer({ text: messageOf(error), isError: true }, input);
      }
      const passed = resolved === args ? input : call ? { ...call, args: resolved } : resolved;
      const output = await run.call(tool, passed, config);
      if (isToolMessage(output)) return session.message(output, langchainFormat);
      // A command changes the state of the graph, and is not JSON; it is kept.
      return offloadValue(session, output, { toolName: name, input: args, toolCallId: call?.id });
    };
  // All else is the tool's own: its class, its schema, its callbacks.
  return Object.create(tool, {
    invoke: { value: wrap(tool.invoke) },
    ...(tool.call ? { call: { value: wrap(tool.call) } } : {}),
    description: { value: common.describe(name, description), enumerable: true },
  }) as T;
}

function readingTool(tool: LangchainTool, sessions: Sessions): LangchainTool & RunnableTool {
  const invoke: Invoke = async (input, config) => {
    const { tools } = sessionOfRun(sessions, config);
    const own = tools.find(({ name }) => name === tool.name);
    const call = asCall(input);
    const signal = config?.signal;
    const read = await own?.execute(call ? call.args : input, signal ? { signal } : {});
    return read === undefined ? "" : answer(read, input);
  };
  // By this, the framework knows what it can run.
  return Object.assign(tool, { lc_runnable: true, invoke, call: invoke });
}

/** Whoever passes a whole call tells the model what is thrown; others would tell it nothing, or end the run. */
function answer({ text, isError }: ToolAnswer, input: unknown): string {
  if (isError && asCall(input)) throw new Error(text);
  return text;
}

interface ToolCall {
  readonly id?: string;
  readonly args: unknown;
}

function asCall(input: unknown): ToolCall | undefined {
  const { type } = (input ?? {}) as { readonly type?: unknown };
  return type === "tool_call" ? (input as ToolCall) : undefined;
}
