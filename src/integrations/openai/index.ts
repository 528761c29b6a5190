/** @module openai */
import type { ToolAnswer, ToolInputSchema } from "../../core/engine/format.js";
import { openaiResponsesFormat } from "../../formats/openai-responses.js";
import { parseArguments } from "../../formats/shared/openai-parts.js";
import {
  answerText,
  connectSession,
  failedAnswer,
  type IntegrationOptions,
  type OffloadSession,
  requireToolList,
  requireToolMap,
} from "../shared/sessions.js";

export type { IntegrationOptions };

/** A reading tool as `runTools` takes it. */
export type ReadingTool = {
  type: "function";
  function: {
    name: string;
    description: string;
    parameters: ToolInputSchema;
    function: (args: string) => Promise<string>;
  };
};

type Run = (args: unknown, runner: Runner, context: unknown) => unknown;
type Parse = (input: string) => unknown;

/** A tool with its function, or one that the SDK's helpers made, which hide their functions. */
interface OpenAiTool {
  readonly type: string;
  readonly function?: {
    readonly name?: string | undefined;
    readonly description?: string;
    readonly function?: Run;
    readonly parse?: Parse;
  };
  readonly $callback?: Run | undefined;
  readonly $parseRaw?: Parse;
}

/**
 * The tools, whose large results the model gets as references, and the reading tools after them. The
 * messages of the runner hold the references.
 *
 * @example
 * const runner = client.chat.completions.runTools({ model, messages, tools: offloadTools(tools) });
 */
export function offloadTools<Tool extends { readonly $brand: string }>(
  // `runTools` takes these only without others beside them, by their type.
  tools: readonly Tool[],
  options?: IntegrationOptions,
): Tool[];
export function offloadTools<const T extends readonly { readonly type: string }[]>(
  tools: T,
  options?: IntegrationOptions,
): [...T, ...ReadingTool[]];
export function offloadTools(
  tools: readonly unknown[],
  options: IntegrationOptions = {},
): unknown[] {
  requireToolList("tools", tools);
  const session = connectSession(options);
  const runners = new Runners(session);
  const runnable = tools as readonly OpenAiTool[];
  session.checkToolNames(runnable.map(nameOf));
  const wrapped = runnable.map((tool) => wrapTool(tool, session, runners));
  return [...wrapped, ...readingTools(session, runners)];
}

function readingTools(session: OffloadSession, runners: Runners): ReadingTool[] {
  return session.tools.map(({ name, description, inputSchema: parameters }) => {
    const read = async (args: string, runner?: Runner): Promise<string> => {
      runners.follow(runner);
      return answerText(await session.run(name, parseArguments(args)));
    };
    return { type: "function", function: { name, description, parameters, function: read } };
  });
}

function nameOf({ function: described }: OpenAiTool): string | undefined {
  return described?.name ?? described?.function?.name;
}

function wrapTool(tool: OpenAiTool, session: OffloadSession, runners: Runners): OpenAiTool {
  const { function: described, $callback, $parseRaw } = tool;
  const name = nameOf(tool);
  const run = $callback ?? described?.function;
  if (!described || !run || name === undefined) return tool;
  const wrapped = wrapRun({ name, run, parse: $parseRaw ?? described.parse }, session, runners);
  const description = session.describe(name, described.description ?? "");
  if ($callback) {
    return withProperties(tool, {
      function: { ...described, description },
      $callback: wrapped.run,
      $parseRaw: wrapped.parse,
    });
  }
  const { run: call, parse } = wrapped;
  const changed = { name, description, function: call, ...(described.parse ? { parse } : {}) };
  return { ...tool, function: { ...described, ...changed } };
}

/** The function and its parser, of which only the parser sees the arguments as the model wrote them. */
function wrapRun(
  { name, run, parse }: { name: string; run: Run; parse: Parse | undefined },
  session: OffloadSession,
  runners: Runners,
): { run: Run; parse: Parse } {
  const written = new WeakMap<object, string>();
  return {
    async parse(input) {
      const parsed = await parse?.(await session.resolveJson(name, input));
      if (typeof parsed === "object" && parsed !== null) written.set(parsed, input);
      return parsed;
    },
    async run(args, runner, context) {
      const isRaw = typeof args === "string";
      const input = isRaw ? args : written.get(args as object);
      // Before anything is awaited, since calls are told apart by their order.
      const toolCallId = input === undefined ? undefined : runners.takeId(runner, name, input);
      runners.follow(runner);
      let resolved = args;
      try {
        if (isRaw) resolved = await session.resolveJson(name, args);
      } catch (error) {
        // The runner would end; the model can correct its call.
        return answerText(failedAnswer(error));
      }
      const output = await run(resolved, runner, context);
      const arrived = { toolCallId, toolName: name, input: isRaw ? parseArguments(args) : args };
      return session.value(output, arrived);
    },
  };
}

/** A copy with some properties changed, and those that are hidden kept hidden. */
function withProperties(tool: OpenAiTool, changes: Partial<OpenAiTool>): OpenAiTool {
  const properties: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(tool);
  for (const [key, value] of Object.entries(changes)) {
    properties[key] = { ...properties[key], value };
  }
  return Object.create(Object.getPrototypeOf(tool) as object | null, properties) as OpenAiTool;
}

/** The parts of a runner that matter here: what it sent and got so far. */
interface Runner {
  readonly messages: readonly unknown[];
  allChatCompletions?(): readonly ChatCompletion[];
  on?(event: "chatCompletion", listener: (completion: ChatCompletion) => void): unknown;
}

interface ChatCompletion {
  readonly usage?: ChatUsage | null | undefined;
}

interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details?: CachedTokens | null;
}

/** What Chat Completions and Responses say of the input that was read from a cache. */
interface CachedTokens {
  readonly cached_tokens?: number | null;
}

/** OpenAI counts cached input as part of the input; it says nothing of what it writes to the cache. */
function noteUsage(
  session: OffloadSession,
  inputTokens: number,
  cached: CachedTokens | null | undefined,
  outputTokens: number,
): void {
  const cacheReadTokens = cached?.cached_tokens ?? 0;
  session.used({
    inputTokens: inputTokens - cacheReadTokens,
    ...{ cacheReadTokens, cacheWriteTokens: undefined, outputTokens },
  });
}

interface AssistantMessage {
  readonly role?: unknown;
  readonly tool_calls?: readonly ChatToolCall[];
}

interface ChatToolCall {
  readonly id: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}

/** What the SDK does not pass to a function that a runner calls, and what it does not tell of a runner before. */
class Runners {
  readonly #session: OffloadSession;
  readonly #followed = new WeakSet<object>();
  readonly #taken = new WeakMap<object, Set<string>>();

  constructor(session: OffloadSession) {
    this.#session = session;
  }

  /** Notes the usage of all replies of a runner, those that it had before its first call included. */
  follow(runner: Runner | undefined): void {
    if (!runner?.allChatCompletions || !runner.on || this.#followed.has(runner)) return;
    this.#followed.add(runner);
    for (const completion of runner.allChatCompletions()) this.#note(completion);
    runner.on("chatCompletion", (completion) => {
      this.#note(completion);
    });
  }

  #note({ usage }: ChatCompletion): void {
    if (!usage) return;
    const { prompt_tokens, completion_tokens, prompt_tokens_details } = usage;
    noteUsage(this.#session, prompt_tokens, prompt_tokens_details, completion_tokens);
  }

  /**
   * Finds the id of the call that a function runs for: the first call of the last message with this name and these
   * arguments that was not found before. The SDK starts calls in their order, so that two calls that are alike are
   * told apart.
   */
  takeId(runner: Runner, name: string, args: string): string | undefined {
    const message = runner.messages.findLast(hasCalls);
    if (!message) return undefined;
    const taken = this.#taken.get(message) ?? new Set();
    this.#taken.set(message, taken);
    const call = message.tool_calls?.find(
      ({ id, function: called }) =>
        called?.name === name && called.arguments === args && !taken.has(id),
    );
    if (call) taken.add(call.id);
    return call?.id;
  }
}

function hasCalls(message: unknown): message is AssistantMessage & object {
  const { role, tool_calls } = message as AssistantMessage;
  return role === "assistant" && Array.isArray(tool_calls);
}

/** The answer to a call, as an item of the next request. */
export type FunctionOutput = { type: "function_call_output"; call_id: string; output: string };

/** The parts of a call that matter here. */
interface OpenAiFunctionCall {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Your own functions, by the names that the model calls them by. */
export type OpenAIFunctions = Readonly<Record<string, (input: never) => unknown>>;

/** What a loop over the Responses API needs. */
export interface OffloadResponses {
  /** The reading tools, to be sent with your own. */
  readonly tools: ReturnType<typeof openaiResponsesFormat.describeTools>;
  /** A text for the instructions. */
  readonly instructions: string;
  /** What to send of your input: stale results are references. Your own list keeps them whole. */
  input<Item>(items: readonly Item[]): Promise<Item[]>;
  /**
   * Runs the calls of a response, all at once; calls of functions that were not passed are skipped. Of a whole
   * response, it also notes the usage that OpenAI reports.
   */
  answer(
    response: OpenAIResponse | readonly { readonly type: string }[],
  ): Promise<FunctionOutput[]>;
}

/** The parts of a response that matter here. */
export interface OpenAIResponse {
  readonly output: readonly { readonly type: string }[];
  readonly usage?:
    | {
        readonly input_tokens: number;
        readonly output_tokens: number;
        readonly input_tokens_details?: { readonly cached_tokens?: number } | undefined;
      }
    | null
    | undefined;
}

/**
 * Runs the function calls of the Responses API, answers with references where results are large, and
 * sends references for those that have grown old.
 *
 * @example
 * const offload = offloadResponses({ fetch_log: ({ service }) => fetchLog(service) });
 * const request = { model, input: await offload.input(input), tools: [...tools, ...offload.tools] };
 * const response = await client.responses.create(request);
 * input.push(...response.output, ...(await offload.answer(response)));
 */
export function offloadResponses(
  functions: OpenAIFunctions,
  options: IntegrationOptions = {},
): OffloadResponses {
  requireToolMap("functions", functions, "function");
  const session = connectSession(options);
  session.checkToolNames(Object.keys(functions));
  return {
    tools: openaiResponsesFormat.describeTools(session.tools),
    instructions: session.systemPrompt(),
    input: async (items) => [...(await session.history(items, openaiResponsesFormat))],
    async answer(response) {
      const { output, usage } = isResponse(response)
        ? response
        : { output: response, usage: undefined };
      if (usage) {
        const { input_tokens, input_tokens_details, output_tokens } = usage;
        noteUsage(session, input_tokens, input_tokens_details, output_tokens);
      }
      const calls = output.filter(isFunctionCall);
      const answers = await Promise.all(calls.map((call) => answerCall(call, functions, session)));
      return answers.filter((answer) => answer !== undefined);
    },
  };
}

function isResponse(
  response: OpenAIResponse | readonly { readonly type: string }[],
): response is OpenAIResponse {
  return !Array.isArray(response);
}

function isFunctionCall(item: { readonly type: string }): item is OpenAiFunctionCall & typeof item {
  return item.type === "function_call";
}

async function answerCall(
  call: OpenAiFunctionCall,
  functions: OpenAIFunctions,
  session: OffloadSession,
): Promise<FunctionOutput | undefined> {
  const { name, call_id } = call;
  const input = parseArguments(call.arguments);
  const run = Object.hasOwn(functions, name) ? functions[name] : undefined;
  const isReading = session.isReadingTool(name);
  if (!isReading && !run) return undefined;
  const answer = isReading ? session.run(name, input) : runFunction(call, input, run, session);
  return { type: "function_call_output", call_id, output: answerText(await answer) };
}

/** What a function throws is for the model, which may correct its call. */
async function runFunction(
  { name, call_id }: OpenAiFunctionCall,
  input: unknown,
  run: OpenAIFunctions[string] | undefined,
  session: OffloadSession,
): Promise<ToolAnswer> {
  let value: unknown;
  try {
    value = await run?.((await session.resolve(name, input)) as never);
  } catch (error) {
    return failedAnswer(error);
  }
  const kept = await session.value(value, { toolCallId: call_id, toolName: name, input });
  const text = typeof kept === "string" ? kept : (JSON.stringify(kept) as string | undefined);
  return { text: text ?? "", isError: false };
}
