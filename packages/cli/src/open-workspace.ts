import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createWorkspace, type ReadBy, type Workspace } from "context-offload";
import { CommandError } from "./command-error.js";
import { processTelemetry } from "./telemetry.js";
import type { Terminal } from "./terminal/terminal.js";

/** How the commands name a workspace. */
export interface WorkspaceFlags {
  readonly workspace?: string;
  readonly namespace?: string;
}

export const WORKSPACE_VARIABLE = "CONTEXT_OFFLOAD_WORKSPACE";
const DEFAULT_WORKSPACE = ".offload";
const HAS_SCHEME = /^(?:memory|file|sqlite|postgres|postgresql|s3):/;

/** The place that a workspace is in: a folder, or the address of a store. */
export function workspacePlace(flags: WorkspaceFlags, { env }: Pick<Terminal, "env">): string {
  return flags.workspace ?? (env[WORKSPACE_VARIABLE] || DEFAULT_WORKSPACE);
}

/** The folder of a workspace on files; `undefined` for other stores. */
export function workspaceFolder(
  flags: WorkspaceFlags,
  { env, cwd }: Pick<Terminal, "env" | "cwd">,
): string | undefined {
  const place = workspacePlace(flags, { env });
  if (place.startsWith("file:")) return resolve(cwd, place.slice("file:".length));
  if (HAS_SCHEME.test(place)) return undefined;
  const [scheme] = /^[a-z][a-z\d+.-]+:/i.exec(place) ?? [];
  if (scheme === undefined) return resolve(cwd, place);
  throw new CommandError(
    `${place}: there is no store for ${scheme}; name a folder, or sqlite:, postgres:, s3: or memory:`,
  );
}

/**
 * What to do about a workspace that does not exist. Whoever mistypes its name must neither get a new one by looking
 * into it, nor be told that nothing is in it.
 */
type IfMissing = "make" | "reject" | "as empty";

/** A workspace that nobody named is empty until the first result is offloaded. */
export function emptyByDefault(
  { workspace }: WorkspaceFlags,
  { env }: Pick<Terminal, "env">,
): IfMissing {
  return workspace === undefined && !env[WORKSPACE_VARIABLE] ? "as empty" : "reject";
}

/** Opens a workspace for the time of the work. */
export async function withWorkspace<T>(
  flags: WorkspaceFlags & { readonly ifMissing?: IfMissing; readonly readBy?: ReadBy | undefined },
  terminal: Terminal,
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const folder = workspaceFolder(flags, terminal);
  const { namespace, readBy, ifMissing = "reject" } = flags;
  const place = workspacePlace(flags, terminal);
  const [, database] = /^sqlite:(.*)$/s.exec(place) ?? [];
  const path = folder ?? (database === undefined ? undefined : resolve(terminal.cwd, database));
  const isMissing = ifMissing !== "make" && path !== undefined && !existsSync(path);
  if (isMissing && ifMissing === "reject") {
    const what = folder === undefined ? "database" : "folder";
    throw new CommandError(
      `${place}: there is no such workspace, since there is no such ${what}; name another with --workspace, or fill this one with context-offload run`,
    );
  }
  // Whoever only looks at it is no agent.
  const logger = ifMissing === "make" ? processTelemetry() : undefined;
  // Looking into a database makes it; a folder is made for the first result.
  const workspace =
    folder === undefined
      ? createWorkspace({ store: isMissing ? "memory:" : place, namespace, logger })
      : createWorkspace({ root: folder, namespace, logger, readBy });
  try {
    return await work(workspace);
  } finally {
    await workspace.close();
  }
}
