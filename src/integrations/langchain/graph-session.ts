import type { OffloadSession, Sessions } from "../shared/connect-sessions.js";

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
