import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Terminal } from "../terminal/terminal.js";

/** Recorded sessions that belong together, such as those of one coding agent. */
export interface SessionSource {
  readonly name: string;
  readonly paths: readonly string[];
}

interface Agent {
  readonly name: string;
  /** Where it keeps its sessions, below the home folder unless its own variable names another place. */
  readonly folder: (home: string, env: Terminal["env"]) => string;
  /** Which paths below it are a session. */
  readonly session: RegExp;
}

const AGENTS: readonly Agent[] = [
  {
    name: "Claude Code",
    folder: (home, env) => join(env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude"), "projects"),
    session: /\.jsonl$/,
  },
  {
    name: "Codex",
    folder: (home, env) => join(env["CODEX_HOME"] ?? join(home, ".codex"), "sessions"),
    session: /\.jsonl$/,
  },
  {
    name: "Gemini CLI",
    folder: (home) => join(home, ".gemini", "tmp"),
    session: /[\\/]chats[\\/][^\\/]+\.json$/,
  },
  {
    name: "OpenCode",
    folder: (home, env) =>
      join(env["XDG_DATA_HOME"] ?? join(home, ".local", "share"), "opencode", "storage"),
    session: /^message[\\/][^\\/]+$/,
  },
];

/** The sessions that coding agents recorded on this computer. Their folders are only read. */
export async function findSessions({ env }: Pick<Terminal, "env">): Promise<SessionSource[]> {
  const home = env["HOME"] ?? homedir();
  const found = await Promise.all(
    AGENTS.map(async ({ name, folder, session }) => {
      const root = folder(home, env);
      const names = await readdir(root, { recursive: true }).catch(() => []);
      const paths = names.filter((path) => session.test(path)).sort();
      return { name, paths: paths.map((path) => join(root, path)) };
    }),
  );
  return found.filter(({ paths }) => paths.length > 0);
}

/** Where `--find` looks, for the one who has none. */
export const AGENT_NAMES = AGENTS.map(({ name }) => name).join(", ");
