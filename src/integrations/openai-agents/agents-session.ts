import { openaiAgentsFormat, type OpenAIAgentsTool } from "../../formats/openai-agents.js";
import { connectSessions, type OffloadSession } from "../shared/connect-sessions.js";
import type { IntegrationOptions } from "../shared/integration-options.js";

/** An agent may serve many users at once, whom the context of a run tells apart. */
export interface AgentsOptions<Context = unknown> extends Omit<IntegrationOptions, "sessionId"> {
  /** The session, or how to find it by the context of a run. Default: a random one for each call of the factory. */
  readonly sessionId?: string | ((context: Context) => string) | undefined;
}

/** The runs of agents with the same options. */
export interface Runs {
  /** The session of a run with this context. */
  readonly sessionOf: (context: unknown) => OffloadSession;
  /** What is the same in all sessions. */
  readonly common: OffloadSession;
  /** The reading tools, which read in the session of the run that calls them. */
  readonly tools: OpenAIAgentsTool[];
}

export function connectRuns<Context>({ sessionId, ...rest }: AgentsOptions<Context>): Runs {
  const isFixed = typeof sessionId !== "function";
  const sessions = connectSessions(isFixed ? { ...rest, sessionId } : rest);
  const sessionOf = (context: unknown): OffloadSession =>
    isFixed ? sessions() : sessions(sessionId(context as Context));
  const common = sessions();
  const tools = openaiAgentsFormat.describeTools(common.tools).map((tool, index) => ({
    ...tool,
    invoke: (run: unknown, input: string): Promise<string> => {
      const own = openaiAgentsFormat.describeTools(sessionOf(contextOf(run)).tools);
      return (own[index] ?? tool).invoke(run, input);
    },
  }));
  return { sessionOf, common, tools };
}

/** What the host passed to `run` as its context. */
export function contextOf(run: unknown): unknown {
  return (run as { readonly context?: unknown } | undefined)?.context;
}
