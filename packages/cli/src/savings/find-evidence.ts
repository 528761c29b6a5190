import { existsSync } from "node:fs";
import type { LedgerReport } from "context-offload/ledger";
import { readTrace } from "../hook/hook-trace.js";
import { findClaudeHooks } from "../install/claude-code.js";
import type { InstallContext } from "../install/client.js";
import { workspaceFolder, type WorkspaceFlags } from "../open-workspace.js";
import type { Terminal } from "../terminal/terminal.js";
import { withAgents } from "./status-line.js";
import type { Evidence } from "./why-nothing.js";

/** What the ledger, the traces and the settings of Claude Code say about why nothing is offloaded. */
export function findEvidence(
  { sessions }: LedgerReport,
  flags: WorkspaceFlags & { readonly session?: string | undefined },
  terminal: Terminal,
  contextOf: (scope: InstallContext["scope"]) => InstallContext,
): Evidence {
  const { session } = flags;
  const folder = workspaceFolder(flags, terminal);
  const trace = folder !== undefined && existsSync(folder) ? readTrace(folder) : undefined;
  const own = session === undefined ? undefined : withAgents(session, trace ?? NO_AGENTS);
  const hooks = (["project", "user"] as const).flatMap((scope) => hooksOf(contextOf(scope)));
  return {
    sessions: own ? sessions.filter(({ sessionId }) => own.includes(sessionId)) : sessions,
    ...{ trace, session },
    expectsHook: hooks.length > 0,
  };
}

const NO_AGENTS = { agents: new Map<string, ReadonlySet<string>>() };

/** Settings that cannot be read are the business of `doctor`. */
function hooksOf(context: InstallContext): readonly unknown[] {
  try {
    return findClaudeHooks(context);
  } catch {
    return [];
  }
}
