import { requireChoice } from "../../core/arguments.js";
import { messageOf } from "../../core/errors/context-offload-error.js";
import {
  type OffloadSession,
  connectSessions,
  type IntegrationOptions,
  type KeepOption,
} from "../shared/connect-sessions.js";
import {
  shortenAnswer,
  shortenHistory,
  type GenkitMessage,
  type GenkitPart,
} from "./genkit-messages.js";

/** An action of Genkit, by its shape: a function that describes itself. */
interface GenkitReadingTool {
  (input: unknown, options?: { readonly abortSignal?: AbortSignal }): Promise<string>;
  __action: object;
}

/** The tools, which read in the session of the run that calls them. */
export function readingTools(
  currentSession: () => OffloadSession,
  common: OffloadSession,
): GenkitReadingTool[] {
  return common.tools.map((tool) => {
    const { name, description, inputSchema } = tool;
    const read = async (
      input: unknown,
      { abortSignal: signal }: { readonly abortSignal?: AbortSignal } = {},
    ): Promise<string> => {
      const own = currentSession().tools.find((other) => other.name === name) ?? tool;
      const { text, isError } = await own.execute(input, signal ? { signal } : {});
      // What a tool throws ends the run; the model can correct its call.
      return isError ? `Error: ${text}` : text;
    };
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

/** A middleware may serve many users at once, whom the context of a run tells apart. */
export interface GenkitOptions<Context = unknown>
  extends Omit<IntegrationOptions, "sessionId">, KeepOption {
  /** The session, or how to find it by the context of the run. Default: that of the agent, or a random one for each call of the factory. */
  readonly sessionId?: string | ((context: Context) => string) | undefined;
}

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
  const { sessionId, keep, ...rest } = options;
  requireChoice("keep", keep, ["reference", "original"]);
  const isFixed = typeof sessionId !== "function";
  const sessions = connectSessions(isFixed ? { ...rest, sessionId } : rest);
  const common = sessions();
  const sessionOf = (ai: GenkitInstance): OffloadSession =>
    sessions(isFixed ? agentSession(ai) : sessionId((ai.currentContext() ?? {}) as Context));

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
          const output = `Error: ${messageOf(error)}`;
          const answer: GenkitPart = { toolResponse: { name, ref: toolRequest.ref, output } };
          return answer as Awaited<ReturnType<typeof next>>;
        }
        const changed = { ...request, toolRequest: { ...toolRequest, input: resolved } };
        const answer = await next(resolved === input ? request : changed, runOptions);
        if (keep === "original" || !answer) return answer;
        return shortenAnswer(session, toolRequest, answer);
      },

      tools: readingTools(() => sessionOf(ai), common) as never[],
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
