/** @module ai-sdk */
import type { ToolName } from "../../core/workspace/reading/reading.js";
import { aiSdkFormat } from "../../formats/ai-sdk.js";
import type { AiSdkTool } from "../../formats/shared/ai-sdk-parts.js";
import {
  addSystemText,
  connectSession,
  type DropIn,
  type IntegrationOptions,
  type OffloadSession,
  requireToolMap,
} from "../shared/sessions.js";

export type { IntegrationOptions };

/** The reading tools under their own names: the compact one, or with `readingTools: "five"` those. */
export type ReadingTools<Choice extends "one" | "five" = "one"> = Choice extends "one"
  ? Readonly<Record<"read_stored", AiSdkTool>>
  : Readonly<Record<Exclude<ToolName, "read_stored">, AiSdkTool>>;

function readingTools<Choice extends "one" | "five">({
  tools,
}: OffloadSession): ReadingTools<Choice> {
  return aiSdkFormat.describeTools(tools) as ReadingTools<Choice>;
}

/** The parts of an AI SDK tool that matter here. */
interface AnyAiSdkTool {
  readonly type?: string | undefined;
  readonly description?: unknown;
  readonly execute?: ((input: unknown, options: ExecuteOptions) => unknown) | undefined;
  readonly toModelOutput?: ((call: AiSdkToolCall) => unknown) | undefined;
}

interface ExecuteOptions {
  readonly abortSignal?: AbortSignal;
}

interface AiSdkToolCall {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly output: unknown;
}

/**
 * The tools, whose large results the model gets as references, and the reading tools beside them. The
 * UI, the steps and what is saved keep the whole results.
 *
 * @example
 * await generateText({ model, tools: offloadTools(tools, { sessionId: chatId }), prompt });
 */
export function offloadTools<T extends object, const Choice extends "one" | "five" = "one">(
  tools: T,
  options: IntegrationOptions & { readonly readingTools?: Choice | undefined } = {},
): T & ReadingTools<Choice> {
  requireToolMap("tools", tools, "object");
  const session = connectSession(options);
  session.checkToolNames(Object.keys(tools));
  const wrapped = Object.entries(tools).map(([name, tool]) => [
    name,
    wrapTool(name, tool as AnyAiSdkTool, session),
  ]);
  return { ...Object.fromEntries(wrapped), ...readingTools(session) } as T & ReadingTools<Choice>;
}

function wrapTool(name: string, tool: AnyAiSdkTool, session: OffloadSession): AnyAiSdkTool {
  // The provider runs it, and accepts its answer only unchanged.
  if (tool.type === "provider" && !tool.execute) return tool;
  const toModelOutput = async (call: AiSdkToolCall): Promise<unknown> => {
    const output = await (tool.toModelOutput ? tool.toModelOutput(call) : plainOutput(call.output));
    const about = { toolCallId: call.toolCallId, toolName: name };
    const [, answered] = await session.exchange<{ role: string; content: object[] }>(
      [
        { role: "assistant", content: [{ type: "tool-call", ...about, input: call.input }] },
        { role: "tool", content: [{ type: "tool-result", ...about, output }] },
      ],
      aiSdkFormat,
    );
    return (answered?.content[0] as { output?: unknown } | undefined)?.output ?? output;
  };
  return { ...tool, ...takeReferences(name, tool, session), toModelOutput };
}

/** What the SDK makes of an output itself. */
function plainOutput(output: unknown): unknown {
  return typeof output === "string"
    ? { type: "text", value: output }
    : { type: "json", value: output ?? null };
}

/** The changed fields of a tool whose arguments may be references; none for other tools. */
function takeReferences(
  name: string,
  tool: AnyAiSdkTool,
  session: OffloadSession,
): Partial<AnyAiSdkTool> {
  const { execute, description } = tool;
  if (session.describe(name, "") === "" || !execute) return {};
  const describe = (text: unknown): string =>
    session.describe(name, typeof text === "string" ? text : "");
  const resolve = (input: unknown, options?: ExecuteOptions): Promise<unknown> =>
    session.resolve(name, input, options?.abortSignal);
  return {
    // Version 7 takes a function, too, which it calls for each request.
    description:
      typeof description === "function"
        ? (...context: unknown[]) => describe(Reflect.apply(description, tool, context))
        : describe(description),
    // The SDK shows what a generator yields while it runs; a promise of one would hide that.
    execute: isGenerator(execute)
      ? async function* (input, options) {
          yield* execute(await resolve(input, options), options) as AsyncIterable<unknown>;
        }
      : async (input, options) => execute(await resolve(input, options), options),
  };
}

function isGenerator(execute: unknown): boolean {
  return Object.prototype.toString.call(execute) === "[object AsyncGeneratorFunction]";
}

/** Options of `offloadStep` and `offloadMiddleware`. */
export type AiSdkOptions = Omit<IntegrationOptions, "acceptReferences">;

const HISTORY: DropIn<AiSdkOptions> = {
  adds: {},
  lacks: { acceptReferences: "it does not run the tools" },
};

/** A `prepareStep`, and the tools that read what it offloads. */
export interface OffloadStep<Choice extends "one" | "five" = "one"> {
  <M>(step: { readonly messages: M[] }): Promise<{ messages: M[] }>;
  readonly tools: ReadingTools<Choice>;
}

/**
 * A `prepareStep` that offloads the results of the whole history, those of other turns and of tools
 * from elsewhere included. It cannot add tools: give the model its `tools` too.
 *
 * @example
 * const prepareStep = offloadStep({ sessionId: chatId });
 * await generateText({ model, tools: { ...tools, ...prepareStep.tools }, messages, prepareStep });
 */
export function offloadStep<const Choice extends "one" | "five" = "one">(
  options: AiSdkOptions & { readonly readingTools?: Choice | undefined } = {},
): OffloadStep<Choice> {
  const session = connectSession(options, HISTORY);
  const prepareStep = async <M>({ messages }: { readonly messages: M[] }) => ({
    messages: [...(await session.history(messages, aiSdkFormat))],
  });
  return Object.assign(prepareStep, { tools: readingTools<Choice>(session) });
}

/** The parts of a request to a model that matter here. */
interface ModelRequest {
  prompt: unknown[];
  tools?: readonly { readonly name: string }[] | undefined;
}

/** A middleware for `wrapLanguageModel`, and the tools that read what it offloads. */
export interface OffloadMiddleware<Choice extends "one" | "five" = "one"> {
  /** Version 6 asks for this one, version 7 takes any. */
  readonly specificationVersion: "v3";
  readonly transformParams: <P>(call: { readonly params: P }) => Promise<P>;
  /** Notes what the provider says that a request took. */
  readonly wrapGenerate: <R>(call: { readonly doGenerate: () => PromiseLike<R> }) => Promise<R>;
  readonly wrapStream: <R extends { stream: ReadableStream }>(call: {
    readonly doStream: () => PromiseLike<R>;
  }) => Promise<R>;
  readonly tools: ReadingTools<Choice>;
}

/**
 * A middleware of a model that offloads the results of every request; make one for each conversation.
 * It cannot add tools: a request that does not offer its `tools` is passed on whole, since nobody could
 * read a reference.
 *
 * @example
 * const middleware = offloadMiddleware({ sessionId: chatId });
 * const short = wrapLanguageModel({ model, middleware });
 * await generateText({ model: short, tools: { ...tools, ...middleware.tools }, messages });
 */
export function offloadMiddleware<const Choice extends "one" | "five" = "one">(
  options: AiSdkOptions & { readonly readingTools?: Choice | undefined } = {},
): OffloadMiddleware<Choice> {
  const session = connectSession(options, HISTORY);
  return {
    specificationVersion: "v3",
    tools: readingTools<Choice>(session),
    async transformParams({ params }) {
      const request = params as typeof params & ModelRequest;
      if (!canRead(session, request)) {
        session.unreadable(request.prompt);
        return params;
      }
      const prompt = await session.history(request.prompt, aiSdkFormat);
      return { ...params, prompt: addSystemText(prompt, session.systemPrompt()) };
    },
    async wrapGenerate({ doGenerate }) {
      const result = await doGenerate();
      noteUsage(session, result);
      return result;
    },
    async wrapStream({ doStream }) {
      const result = await doStream();
      const noted = new TransformStream<unknown, unknown>({
        transform(part, controller) {
          noteUsage(session, part);
          controller.enqueue(part);
        },
      });
      return { ...result, stream: result.stream.pipeThrough(noted) };
    },
  };
}

/** What a reply says of its usage, in the forms of version 2 and 3 of the provider's interface. */
function noteUsage(session: OffloadSession, reply: unknown): void {
  const { usage } = (reply ?? {}) as { readonly usage?: Usage | null };
  if (!usage) return;
  const { inputTokens: input, outputTokens: output, cachedInputTokens } = usage;
  const isSplit = typeof input === "object" && input !== null;
  const total = isSplit ? input.total : input;
  const cacheReadTokens = isSplit ? input.cacheRead : cachedInputTokens;
  const cacheWriteTokens = isSplit ? input.cacheWrite : undefined;
  session.used({
    inputTokens:
      (isSplit ? input.noCache : undefined) ??
      (typeof total !== "number"
        ? undefined
        : total - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    ...{ cacheReadTokens, cacheWriteTokens },
    outputTokens: typeof output === "object" ? output?.total : output,
  });
}

interface Usage {
  readonly inputTokens?:
    | number
    | {
        readonly total?: number | undefined;
        readonly noCache?: number | undefined;
        readonly cacheRead?: number | undefined;
        readonly cacheWrite?: number | undefined;
      }
    | null
    | undefined;
  readonly outputTokens?: number | { readonly total?: number | undefined } | null | undefined;
  readonly cachedInputTokens?: number | undefined;
}

/** A workspace that is read by path has no tools. */
function canRead({ tools }: OffloadSession, request: ModelRequest): boolean {
  const offered = new Set(request.tools?.map(({ name }) => name));
  return tools.every(({ name }) => offered.has(name));
}
