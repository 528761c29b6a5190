/** @module genkit */
import { aiSdkFormat } from "../../formats/ai-sdk.js";
import {
  answerText,
  connectSessions,
  type DropIn,
  failedAnswer,
  type KeepOption,
  type MultiSessionOptions,
  type OffloadSession,
} from "../shared/sessions.js";

export type { KeepOption, MultiSessionOptions };

/** An action of Genkit, by its shape: a function that describes itself. */
interface GenkitReadingTool {
  (input: unknown, options?: { readonly abortSignal?: AbortSignal }): Promise<string>;
  __action: object;
}

/** The tools, which read in the session of the run that calls them. */
function readingTools(
  { tools }: OffloadSession,
  sessionOfRun: () => OffloadSession,
): GenkitReadingTool[] {
  return tools.map(({ name, description, inputSchema }) => {
    const read: (...args: Parameters<GenkitReadingTool>) => Promise<string> = async (
      input,
      { abortSignal } = {},
    ) => answerText(await sessionOfRun().run(name, input, abortSignal));
    const described = { name, description, inputJsonSchema: inputSchema };
    const output = { outputJsonSchema: { type: "string" } };
    const kind = { actionType: "tool", metadata: { type: "tool" } };
    return Object.assign(read, { __action: { ...described, ...output, ...kind } });
  });
}

/** The parts of Genkit that matter here. */
export interface GenkitInstance {
  currentContext(): object | undefined;
  currentSession(): { readonly sessionId: string };
}

/** The parts of a request to the model that matter here. */
export interface GenkitModelRequest {
  readonly messages: readonly GenkitMessage[];
}

/** What Genkit tells a middleware of the run. */
export interface GenkitRunOptions {
  /** Aborts the run. */
  readonly abortSignal?: AbortSignal;
}

/** The next middleware, or the model or tool itself. */
export type GenkitNext<Request, Answer> = (
  request: Request,
  options: GenkitRunOptions,
) => Promise<Answer>;

/** A middleware may serve many users at once, distinguished by the context of a run. */
export type GenkitOptions<Context = unknown> = MultiSessionOptions<Context> & KeepOption;

const MIDDLEWARE: DropIn<GenkitOptions> = { adds: { keep: true }, lacks: {} };

/** A middleware for `use`. */
export interface OffloadMiddleware {
  readonly name: string;
  /** Genkit calls it once for each run. */
  readonly instantiate: (run: { readonly ai: GenkitInstance }) => {
    model<R extends GenkitModelRequest, A>(
      request: R,
      options: GenkitRunOptions,
      next: GenkitNext<R, A>,
    ): Promise<A>;
    tool<R extends GenkitPart, A extends GenkitPart>(
      request: R,
      options: GenkitRunOptions,
      next: GenkitNext<R, A | undefined>,
    ): Promise<A | undefined>;
    /** Genkit takes any action by its shape, but its type asks for much more. */
    tools: never[];
  };
}

/**
 * A middleware that gives the model references for large results, and the tools to read them.
 *
 * @example
 * const { text } = await ai.generate({ prompt, tools, use: [offloadMiddleware({ sessionId })] });
 */
export function offloadMiddleware<Context = unknown>(
  options: GenkitOptions<Context> = {},
): OffloadMiddleware {
  const sessions = connectSessions(options, MIDDLEWARE);
  const sessionOf = (ai: GenkitInstance): OffloadSession =>
    sessions.of((ai.currentContext() ?? {}) as Context, agentSession(ai));

  return {
    name: "context-offload",

    instantiate: ({ ai }) => ({
      async model(request, runOptions, next) {
        const session = sessionOf(ai);
        const short = await shortenHistory(session, request.messages);
        return next({ ...request, messages: addNotice(short, session.systemPrompt()) }, runOptions);
      },

      async tool(request, runOptions, next) {
        const { toolRequest } = request;
        const session = sessionOf(ai);
        if (!toolRequest) return next(request, runOptions);
        const { name, input } = toolRequest;
        let resolved: unknown;
        try {
          resolved = await session.resolve(name, input, runOptions.abortSignal);
        } catch (error) {
          runOptions.abortSignal?.throwIfAborted();
          // An error of a middleware would end the run; the model can correct its call.
          const output = answerText(failedAnswer(error));
          const answer: GenkitPart = { toolResponse: { name, ref: toolRequest.ref, output } };
          return answer as Awaited<ReturnType<typeof next>>;
        }
        const changed = { ...request, toolRequest: { ...toolRequest, input: resolved } };
        const answer = await next(resolved === input ? request : changed, runOptions);
        if (options.keep === "original" || !answer) return answer;
        return shortenAnswer(session, toolRequest, answer);
      },

      tools: readingTools(sessions.common, () => sessionOf(ai)) as never[],
    }),
  };
}

/** The id of the conversation, if an agent of Genkit runs. */
function agentSession(ai: GenkitInstance): string | undefined {
  try {
    return ai.currentSession().sessionId;
  } catch {
    return undefined;
  }
}

/** At the end of the system prompt, which is the first message. */
function addNotice(messages: readonly GenkitMessage[], text: string): readonly GenkitMessage[] {
  const [first, ...others] = messages;
  return first?.role === "system"
    ? [{ ...first, content: [...first.content, { text: `\n\n${text}` }] }, ...others]
    : [{ role: "system", content: [{ text }] }, ...messages];
}

/** A call of a tool. */
export interface GenkitToolRequest {
  readonly name: string;
  readonly ref?: string | undefined;
  readonly input?: unknown;
}

/** The answer to a call. */
export interface GenkitToolResponse {
  readonly name: string;
  readonly ref?: string | undefined;
  readonly output?: unknown;
}

/** A part of a message; it has one of these fields, or another one. */
export interface GenkitPart {
  readonly text?: string | undefined;
  readonly toolRequest?: GenkitToolRequest | undefined;
  readonly toolResponse?: GenkitToolResponse | undefined;
}

/** A message of a conversation. */
export interface GenkitMessage {
  readonly role: string;
  readonly content: readonly GenkitPart[];
}

interface TranslatedMessage {
  readonly role: string;
  readonly content: string | readonly object[];
}

/** A whole history, with references for large results. */
const shortenHistory = <M extends GenkitMessage>(
  session: OffloadSession,
  messages: readonly M[],
): Promise<M[]> => shorten(messages, (translated) => session.history(translated, aiSdkFormat));

/** The answer to a call, or its reference. */
async function shortenAnswer<P extends GenkitPart>(
  session: OffloadSession,
  toolRequest: GenkitToolRequest,
  answer: P,
): Promise<P> {
  const call = { role: "model", content: [{ toolRequest }] };
  const [, answered] = await shorten<GenkitMessage>(
    [call, { role: "tool", content: [answer] }],
    (translated) => session.exchange(translated, aiSdkFormat),
  );
  return (answered?.content[0] ?? answer) as P;
}

/** The AI SDK's messages have the same structure, so that its format can decide what to replace. */
async function shorten<M extends GenkitMessage>(
  messages: readonly M[],
  offload: (translated: readonly TranslatedMessage[]) => Promise<readonly TranslatedMessage[]>,
): Promise<M[]> {
  const before = messages.map(translate);
  const after = await offload(before);
  return messages.map((message, at) => {
    const changed = after[at];
    return changed === undefined || changed === before[at]
      ? message
      : withOutputs(message, changed);
  });
}

function translate({ role, content }: GenkitMessage): TranslatedMessage {
  if (role === "tool") return { role, content: content.flatMap(translateResponse) };
  if (role === "model") return { role: "assistant", content: content.map(translateModelPart) };
  return { role, content: content.map(({ text = "" }) => text).join("") };
}

function translateModelPart({ text = "", toolRequest }: GenkitPart): object {
  if (!toolRequest) return { type: "text", text };
  const { name, ref = "", input } = toolRequest;
  return { type: "tool-call", toolCallId: ref, toolName: name, input };
}

function translateResponse({ toolResponse }: GenkitPart): object[] {
  if (!toolResponse) return [];
  const { name, ref = "", output: value } = toolResponse;
  const output = { type: typeof value === "string" ? "text" : "json", value };
  return [{ type: "tool-result", toolCallId: ref, toolName: name, output }];
}

/** The message with the outputs of its translation, which has its responses in the same order. */
function withOutputs<M extends GenkitMessage>(message: M, { content }: TranslatedMessage): M {
  const results = [...(content as readonly { output: { value: unknown } }[])];
  const parts = message.content.map((part) => {
    const { toolResponse } = part;
    const result = toolResponse && results.shift();
    return !result || result.output.value === toolResponse.output
      ? part
      : { ...part, toolResponse: { ...toolResponse, output: result.output.value } };
  });
  return { ...message, content: parts };
}
