import { aiSdkFormat } from "../../formats/ai-sdk.js";
import {
  addSystemText,
  connectSessions,
  type OffloadSession,
  type IntegrationOptions,
} from "../shared/connect-sessions.js";
import { readingTools, type ReadingTools } from "./offload-tools.js";

/** A `prepareStep`, and the tools that read what it offloads. */
export interface OffloadStep {
  <M>(step: { readonly messages: M[] }): Promise<{ messages: M[] }>;
  readonly tools: ReadingTools;
}

/**
 * A `prepareStep` that offloads the results of the whole history, those of other turns and of tools
 * from elsewhere included. It cannot add tools: give the model its `tools` too.
 *
 * @example
 * const prepareStep = offloadStep({ sessionId: chatId });
 * await generateText({ model, tools: { ...tools, ...prepareStep.tools }, messages, prepareStep });
 */
export function offloadStep(options: IntegrationOptions = {}): OffloadStep {
  const session = connectSessions(options)();
  const prepareStep = async <M>({ messages }: { readonly messages: M[] }) => ({
    messages: [...(await session.history(messages, aiSdkFormat))],
  });
  return Object.assign(prepareStep, { tools: readingTools(session) });
}

/** The parts of a request to a model that matter here. */
interface ModelRequest {
  prompt: unknown[];
  tools?: readonly { readonly name: string }[] | undefined;
}

/** A middleware for `wrapLanguageModel`, and the tools that read what it offloads. */
export interface OffloadMiddleware {
  /** Version 6 asks for this one, version 7 takes any. */
  readonly specificationVersion: "v3";
  readonly transformParams: <P>(call: { readonly params: P }) => Promise<P>;
  readonly tools: ReadingTools;
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
export function offloadMiddleware(options: IntegrationOptions = {}): OffloadMiddleware {
  const session = connectSessions(options)();
  return {
    specificationVersion: "v3",
    tools: readingTools(session),
    async transformParams({ params }) {
      const request = params as typeof params & ModelRequest;
      if (!canRead(session, request)) return params;
      const prompt = await session.history(request.prompt, aiSdkFormat);
      return { ...params, prompt: addSystemText(prompt, session.systemPrompt()) };
    },
  };
}

function canRead({ tools }: OffloadSession, request: ModelRequest): boolean {
  const offered = new Set(request.tools?.map(({ name }) => name));
  // A workspace that is read by path has no tools.
  return tools.every(({ name }) => offered.has(name));
}
