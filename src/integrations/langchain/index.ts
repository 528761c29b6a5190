/** @module langchain */
import type { ToolAnswer } from "../../core/engine/format.js";
import { langchainFormat, type LangchainTool } from "../../formats/langchain.js";
import {
  connectSessions,
  type DropIn,
  failedAnswer,
  type KeepOption,
  type MultiSessionOptions,
  type OffloadSession,
  requireToolList,
  type Sessions,
} from "../shared/sessions.js";

export type { KeepOption, MultiSessionOptions };

/** Whether an answer is a tool message, of any copy of the framework. */
function isToolMessage<A>(answer: A): answer is A & object {
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
function sessionOfRun(
  sessions: Sessions<GraphRuntime>,
  runtime: GraphRuntime = {},
): OffloadSession {
  const { thread_id, checkpoint_ns } = runtime.configurable ?? {};
  const thread = sessions.of(runtime, typeof thread_id === "string" ? thread_id : undefined);
  const outer = typeof checkpoint_ns === "string" ? checkpoint_ns.split(LEVEL).slice(0, -1) : [];
  const ids = outer.map((_, at) => [thread.sessionId, ...outer.slice(0, at + 1)].join(LEVEL));
  const own = ids.at(-1);
  return own === undefined ? thread : sessions.named(own, ids.at(-2) ?? thread.sessionId);
}

/** A tool of any version of the framework. */
interface AnyLangChainTool {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly invoke?: unknown;
}

/** A tool that runs here, unlike those of a provider. */
interface LangChainTool {
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
  options: MultiSessionOptions<GraphRuntime> = {},
): T[] {
  requireToolList("tools", tools);
  const sessions = connectSessions(options);
  sessions.common.checkToolNames(tools.map((tool) => (tool as { readonly name?: string }).name));
  return [
    ...tools.map((tool) => (isRunnable(tool) ? wrapTool(tool, sessions) : tool)),
    ...langchainFormat
      .describeTools(sessions.common.tools)
      .map((tool) => readingTool(tool, sessions) as T),
  ];
}

function isRunnable<T extends AnyLangChainTool>(tool: T): tool is T & LangChainTool {
  return typeof tool.name === "string" && typeof tool.invoke === "function";
}

function wrapTool<T extends LangChainTool>(tool: T, sessions: Sessions<GraphRuntime>): T {
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
        return answer(failedAnswer(error), input);
      }
      const passed = resolved === args ? input : call ? { ...call, args: resolved } : resolved;
      const output = await run.call(tool, passed, config);
      if (isToolMessage(output))
        return shortenAnswer(session, { name, args, id: call?.id }, output);
      // A command changes the state of the graph, and is not JSON; it is kept.
      return session.value(output, { toolName: name, input: args, toolCallId: call?.id });
    };
  // All else is the tool's own: its class, its schema, its callbacks.
  return Object.create(tool, {
    invoke: { value: wrap(tool.invoke) },
    ...(tool.call ? { call: { value: wrap(tool.call) } } : {}),
    description: { value: sessions.common.describe(name, description), enumerable: true },
  }) as T;
}

function readingTool(
  tool: LangchainTool,
  sessions: Sessions<GraphRuntime>,
): LangchainTool & LangChainTool {
  const invoke: Invoke = async (input, config) => {
    const call = asCall(input);
    const session = sessionOfRun(sessions, config);
    return answer(await session.run(tool.name, call ? call.args : input, config?.signal), input);
  };
  // By this, the framework knows what it can run.
  return Object.assign(tool, { lc_runnable: true, invoke, call: invoke });
}

/** Whoever passes a whole call tells the model what is thrown; others would tell it nothing, or end the run. */
function answer({ text, isError }: ToolAnswer, input: unknown): string {
  if (isError && asCall(input)) throw new Error(text);
  return text;
}

/** A tool message that has just arrived, or its reference. */
async function shortenAnswer<M extends object>(
  session: OffloadSession,
  call: LangChainToolCall & { readonly name: string },
  message: M,
): Promise<M> {
  const asked = { type: "ai", content: "", tool_calls: [call] };
  const [, answered] = await session.exchange<object>([asked, message], langchainFormat);
  return (answered ?? message) as M;
}

/** A call of a tool. */
export interface LangChainToolCall {
  readonly id?: string | undefined;
  readonly args: unknown;
}

function asCall(input: unknown): LangChainToolCall | undefined {
  const { type } = (input ?? {}) as { readonly type?: unknown };
  return type === "tool_call" ? (input as LangChainToolCall) : undefined;
}

/** The parts of a request to the model that matter here. */
export interface LangChainModelRequest {
  readonly messages: readonly unknown[];
  readonly tools: readonly object[];
  readonly systemMessage: { readonly text: string; concat(text: string): unknown };
  readonly runtime: GraphRuntime;
}

/** The parts of a call of a tool that matter here. */
export interface LangChainToolRequest {
  readonly toolCall: LangChainToolCall & { readonly name: string };
  readonly tool: unknown;
  readonly runtime: GraphRuntime;
}

/** The next middleware, or the model or tool itself. */
export type LangChainHandler<Request, Answer> = (request: Request) => Answer | Promise<Answer>;

/** Options of `offloadMiddleware`. */
export type LangChainOptions = MultiSessionOptions<GraphRuntime> & KeepOption;

const MIDDLEWARE: DropIn<LangChainOptions> = { adds: { keep: true }, lacks: {} };

/** A middleware for `createAgent` and `createDeepAgent`. */
export interface OffloadMiddleware {
  readonly name: string;
  wrapModelCall<R extends LangChainModelRequest, A>(
    request: R,
    handler: LangChainHandler<R, A>,
  ): Promise<A>;
  wrapToolCall<R extends LangChainToolRequest, A>(
    request: R,
    handler: LangChainHandler<R, A>,
  ): Promise<A>;
}

/**
 * A middleware that gives the model references for large results, and the tools to read them. The
 * thread is the session. Put it before other middleware that wraps calls of tools, which then sees the
 * results and errors of the tools themselves.
 *
 * @example
 * const agent = createAgent({ model, tools, middleware: [offloadMiddleware()] });
 */
export function offloadMiddleware(options: LangChainOptions = {}): OffloadMiddleware {
  const sessions = connectSessions(options, MIDDLEWARE);
  return {
    name: "ContextOffload",

    async wrapModelCall(request, handler) {
      const session = sessionOfRun(sessions, request.runtime);
      const { messages, tools, systemMessage } = request;
      session.rejectTakenNames(tools.map((tool) => (tool as { readonly name?: string }).name));
      const separator = systemMessage.text === "" ? "" : "\n\n";
      const reply = await handler({
        ...request,
        messages: await session.history(messages, langchainFormat),
        tools: [...tools, ...langchainFormat.describeTools(session.tools)],
        systemMessage: systemMessage.concat(separator + session.systemPrompt()),
      });
      noteUsage(session, reply);
      return reply;
    },

    async wrapToolCall(request, handler) {
      const { name, args } = request.toolCall;
      const { signal } = request.runtime;
      const session = sessionOfRun(sessions, request.runtime);
      if (session.isReadingTool(name)) {
        return answerWith(await session.run(name, args, signal), request, handler);
      }
      let resolved: unknown;
      try {
        resolved = await session.resolve(name, args, signal);
      } catch (error) {
        signal?.throwIfAborted();
        // An error of a middleware would end the run; the model can correct its call.
        return answerWith(failedAnswer(error), request, handler);
      }
      const toolCall = { ...request.toolCall, args: resolved };
      let answer;
      try {
        answer = await handler(resolved === args ? request : { ...request, toolCall });
      } catch (error) {
        if (signal?.aborted || isForFramework(error)) throw error;
        return answerWith(describeThrown(error), request, handler);
      }
      // A command changes the state of the graph; it is not a result.
      if (options.keep === "original" || !isToolMessage(answer)) return answer;
      return shortenAnswer(session, request.toolCall, answer);
    },
  };
}

/** LangChain counts what was read from a cache, or written to it, as part of the input. */
function noteUsage(session: OffloadSession, reply: unknown): void {
  const { usage_metadata: usage } = (reply ?? {}) as { readonly usage_metadata?: Usage | null };
  if (!usage) return;
  const { cache_read: cacheReadTokens, cache_creation: cacheWriteTokens } =
    usage.input_token_details ?? {};
  session.used({
    inputTokens: usage.input_tokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0),
    ...{ cacheReadTokens, cacheWriteTokens },
    outputTokens: usage.output_tokens,
  });
}

interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly input_token_details?: {
    readonly cache_read?: number | undefined;
    readonly cache_creation?: number | undefined;
  };
}

/** A message with this text. The framework makes it, since its class is not known here. */
async function answerWith<R extends LangChainToolRequest, A>(
  { text, isError }: ToolAnswer,
  request: R,
  handler: LangChainHandler<R, A>,
): Promise<A> {
  const { name } = request.toolCall;
  const tool = { name, invoke: () => Promise.resolve(text) };
  const message = await handler({ ...request, tool });
  if (isError && isToolMessage(message)) Object.assign(message, { status: "error" });
  return message;
}

/** Interrupts, commands to an outer graph, and arguments that the tool's schema rejected. */
function isForFramework(error: unknown): boolean {
  const { is_bubble_up, name } = error as { is_bubble_up?: unknown; name?: unknown };
  return is_bubble_up === true || name === "ToolInvocationError";
}

/**
 * What the framework tells the model of an error of a tool, word for word. Once there is a middleware for
 * tools, it takes every error for one of the middleware, and ends the run.
 */
function describeThrown(error: unknown): ToolAnswer {
  return { text: `${String(error)}\n Please fix your mistakes.`, isError: true };
}
