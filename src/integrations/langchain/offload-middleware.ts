import { requireChoice } from "../../core/arguments.js";
import type { ToolAnswer } from "../../core/engine/format.js";
import { messageOf } from "../../core/errors/context-offload-error.js";
import { langchainFormat } from "../../formats/langchain.js";
import {
  connectSessions,
  type IntegrationOptions,
  type KeepOption,
  refuseTakenNames,
} from "../shared/connect-sessions.js";
import { sessionOfRun, type GraphRuntime, isToolMessage } from "./offload-tools.js";

/** The parts of a request to the model that matter here. */
export interface LangChainModelRequest {
  readonly messages: readonly unknown[];
  readonly tools: readonly object[];
  readonly systemMessage: { readonly text: string; concat(text: string): unknown };
  readonly runtime: GraphRuntime;
}

/** The parts of a call of a tool that matter here. */
export interface LangChainToolRequest {
  readonly toolCall: { readonly name: string; readonly args: unknown };
  readonly tool: unknown;
  readonly runtime: GraphRuntime;
}

/** The next middleware, or the model or tool itself. */
export type LangChainHandler<Request, Answer> = (request: Request) => Answer | Promise<Answer>;

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
export function offloadMiddleware(
  options: IntegrationOptions & KeepOption = {},
): OffloadMiddleware {
  const { keep, ...rest } = options;
  const sessions = connectSessions(rest);
  requireChoice("keep", keep, ["reference", "original"]);
  const keepsOriginal = keep === "original";
  return {
    name: "ContextOffload",

    async wrapModelCall(request, handler) {
      const session = sessionOfRun(sessions, request.runtime);
      const { messages, tools, systemMessage } = request;
      refuseTakenNames(session.tools, tools);
      const separator = systemMessage.text === "" ? "" : "\n\n";
      return handler({
        ...request,
        messages: keepsOriginal ? await session.history(messages, langchainFormat) : messages,
        tools: [...tools, ...langchainFormat.describeTools(session.tools)],
        systemMessage: systemMessage.concat(separator + session.systemPrompt()),
      });
    },

    async wrapToolCall(request, handler) {
      const { name, args } = request.toolCall;
      const { signal } = request.runtime;
      const session = sessionOfRun(sessions, request.runtime);
      const reading = session.tools.find((tool) => tool.name === name);
      if (reading) {
        return answerWith(await reading.execute(args, signal ? { signal } : {}), request, handler);
      }
      let resolved: unknown;
      try {
        resolved = await session.resolve(name, args, signal);
      } catch (error) {
        signal?.throwIfAborted();
        // An error of a middleware would end the run; the model can correct its call.
        return answerWith({ text: messageOf(error), isError: true }, request, handler);
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
      if (keepsOriginal || !isToolMessage(answer)) return answer;
      return session.message(answer, langchainFormat);
    },
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

/** Interrupts, commands to an outer graph, and arguments that the tool's schema refused. */
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
