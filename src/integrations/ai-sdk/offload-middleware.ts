import { aiSdkFormat } from "../../formats/ai-sdk.js";
import { connectSessions, type OffloadSession } from "../shared/connect-sessions.js";
import type { IntegrationOptions } from "../shared/integration-options.js";

/** The parts of a request to a model that matter here. */
interface ModelRequest {
  prompt: { role: string; content: unknown }[];
  tools?: readonly { readonly name: string }[] | undefined;
}

/** A middleware for `wrapLanguageModel`, of any version of its specification. */
export interface OffloadMiddleware {
  readonly transformParams: <P>(call: { readonly params: P }) => Promise<P>;
}

/**
 * A middleware of a model that offloads the results of every request. The tools run outside of it: a
 * request that offers none of the reading tools is passed on whole, since nobody could read a reference.
 *
 * @example
 * const short = wrapLanguageModel({ model, middleware: offloadMiddleware({ offloader }) });
 */
export function offloadMiddleware(options: IntegrationOptions = {}): OffloadMiddleware {
  const session = connectSessions(options)();
  return {
    async transformParams({ params }) {
      const request = params as typeof params & ModelRequest;
      if (!canRead(session, request)) return params;
      const prompt = await session.history(request.prompt, aiSdkFormat);
      return { ...params, prompt: withNotice(prompt, session.systemPrompt()) };
    },
  };
}

function canRead({ tools }: OffloadSession, request: ModelRequest): boolean {
  const offered = new Set(request.tools?.map(({ name }) => name));
  // A workspace that is read by path has no tools.
  return tools.every(({ name }) => offered.has(name));
}

/** The system prompt explains references; it is the same in every request, so that caches stay warm. */
function withNotice(
  prompt: readonly ModelRequest["prompt"][number][],
  notice: string,
): ModelRequest["prompt"] {
  const [first, ...rest] = prompt;
  if (notice === "") return [...prompt];
  if (first?.role !== "system" || typeof first.content !== "string") {
    return [{ role: "system", content: notice }, ...prompt];
  }
  return [{ ...first, content: `${first.content}\n\n${notice}` }, ...rest];
}
