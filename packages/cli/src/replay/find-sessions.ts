import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Terminal } from "../terminal/terminal.js";

/** Recorded sessions that belong together, such as those of one coding agent. */
export interface SessionSource {
  readonly name: string;
  readonly paths: readonly string[];
}

/** A folder of sessions. */
interface SessionFolder {
  readonly folder: string;
  /** Which paths below it are a session. */
  readonly session: RegExp;
  /** Whether only the folder itself is looked through. */
  readonly isFlat?: boolean;
}

interface SessionAgent {
  readonly name: string;
  /** Where it keeps its sessions, below the home folder unless its own variable names another place. */
  places(home: string, env: Terminal["env"]): readonly SessionFolder[];
  /** Where older versions kept them; what was moved from there is not counted again. */
  olderPlaces?(home: string, env: Terminal["env"]): readonly SessionFolder[];
}

const AGENTS: readonly SessionAgent[] = [
  {
    name: "Claude Code",
    places(home, env) {
      const folder = env["CLAUDE_CONFIG_DIR"] || join(home, ".claude");
      return [{ folder: join(folder, "projects"), session: /\.jsonl$/ }];
    },
  },
  {
    name: "Codex",
    places(home, env) {
      const folder = env["CODEX_HOME"] || join(home, ".codex");
      // What has not been used for a week is compressed.
      const session = /\.jsonl(?:\.zst)?$/;
      return ["sessions", "archived_sessions"].map((name) => ({
        ...{ folder: join(folder, name), session },
      }));
    },
  },
  {
    name: "Gemini CLI",
    places(home) {
      return [{ folder: join(home, ".gemini", "tmp"), session: /[\\/]chats[\\/].+\.jsonl?$/ }];
    },
  },
  {
    name: "OpenCode",
    places(home, env) {
      const session = /^opencode(?:-\w+)?\.db$/;
      return [{ folder: openCodeFolder(home, env), session, isFlat: true }];
    },
    olderPlaces(home, env) {
      const session = /^message[\\/][^\\/]+$/;
      return [{ folder: join(openCodeFolder(home, env), "storage"), session }];
    },
  },
  {
    name: "Copilot CLI",
    places(home, env) {
      const folder = env["COPILOT_HOME"] || join(home, ".copilot");
      return [{ folder: join(folder, "session-state"), session: /[\\/]events\.jsonl$/ }];
    },
  },
];

function openCodeFolder(home: string, env: Terminal["env"]): string {
  return join(env["XDG_DATA_HOME"] || join(home, ".local", "share"), "opencode");
}

/** The sessions that coding agents recorded on this computer. Their folders are only read. */
export async function findSessions({ env }: Pick<Terminal, "env">): Promise<SessionSource[]> {
  const home = env["HOME"] || homedir();
  const found = await Promise.all(
    AGENTS.map(async (agent) => {
      const paths = await sessionsIn(agent.places(home, env));
      const older = paths.length === 0 ? agent.olderPlaces?.(home, env) : undefined;
      return { name: agent.name, paths: older ? await sessionsIn(older) : paths };
    }),
  );
  return found.filter(({ paths }) => paths.length > 0);
}

async function sessionsIn(places: readonly SessionFolder[]): Promise<string[]> {
  const found: string[] = [];
  for (const { folder, session, isFlat } of places) {
    const names = await readdir(folder, { recursive: isFlat !== true }).catch(() => []);
    const sessions = names.filter((path) => session.test(path)).sort();
    found.push(...sessions.map((path) => join(folder, path)));
  }
  return found;
}

/** Where `--find` looks, for the one who has none. */
export const AGENT_NAMES = AGENTS.map(({ name }) => name).join(", ");
