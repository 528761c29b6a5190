import type { SessionFigures } from "context-offload/ledger";
import type { HookTrace } from "../hook/hook-trace.js";

/** What is known of why nothing, or less than expected, is offloaded. */
export interface Evidence {
  /** What the ledger says of the sessions that are asked about. */
  readonly sessions: readonly Pick<SessionFigures, "sessionId" | "results" | "keptLarge">[];
  /** What the hook's traces say; `undefined` where there is no folder to leave any. */
  readonly trace: HookTrace | undefined;
  /** Only this session is asked about. */
  readonly session?: string | undefined;
  /** Whether the hook should have been called: it is set up, or this session had results. */
  readonly expectsHook: boolean;
}

/** A sentence for each thing that is wrong, with its reason and what to do. */
export function whyNothing(evidence: Evidence): string[] {
  return [...keptAll(evidence), ...hookMissing(evidence), ...toolsMissing(evidence)];
}

/** Sessions with large results of which none was offloaded. */
function keptAll({ sessions, trace, session }: Evidence): string[] {
  const kept = new Map(sessions.map((one) => [one.sessionId, { ...one.keptLarge }]));
  for (const [id, reasons] of trace?.keptLarge ?? []) {
    if (session !== undefined && id !== session) continue;
    const known = kept.get(id) ?? {};
    for (const [reason, count] of Object.entries(reasons)) {
      known[reason] = (known[reason] ?? 0) + count;
    }
    kept.set(id, known);
  }
  const has = new Set(sessions.filter(({ results }) => results > 0).map((one) => one.sessionId));
  return [...kept].flatMap(([id, byReason]) => {
    const reasons = Object.entries(byReason).sort(([, one], [, other]) => other - one);
    const total = reasons.reduce((sum, [, count]) => sum + count, 0);
    if (total === 0 || has.has(id)) return [];
    const why = reasons.map(([reason, count]) => `${count}: ${reason}`).join("; ");
    const results = `${total} large result${total === 1 ? "" : "s"}`;
    const where = session === undefined ? `session ${id}: ` : "";
    return [`${where}${results}, nothing offloaded (${why})`];
  });
}

function hookMissing({ trace, session, expectsHook }: Evidence): string[] {
  if (!expectsHook || !trace) return [];
  const isCalled = session === undefined ? trace.calls.size > 0 : trace.calls.has(session);
  if (isCalled) return [];
  const where = session === undefined ? "in this project" : "in this session";
  return [`the hook was never called ${where}; restart the agent, then run context-offload doctor`];
}

function toolsMissing({ sessions, trace }: Evidence): string[] {
  if (!trace?.hasTools || trace.areToolsListed) return [];
  const hasReferences = sessions.some(
    ({ sessionId, results }) => results > 0 && trace.calls.has(sessionId),
  );
  if (!hasReferences) return [];
  return [
    "no agent has asked for the list of our reading tools, so that results can only be read by path; run context-offload doctor",
  ];
}
