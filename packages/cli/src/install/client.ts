import type { Settings, Syntax } from "./settings.js";

/** Where `install` works, and what it sets up. */
export interface InstallContext {
  readonly cwd: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The settings of this project, or those of the user. */
  readonly scope: "project" | "user";
  /** The absolute paths of `node`, of the command and of the hook: never `npx`, which takes a second to start. */
  readonly node: string;
  readonly main: string;
  readonly hook: string;
  /** The absolute path of the plugin for OpenCode. */
  opencodePlugin(): string;
  /** Tools whose results are kept. */
  readonly exclude: readonly string[];
  /** Whether references name the reading tools, for which a server is set up, or give file paths. */
  readonly withTools: boolean;
}

/** What was done in a file, or why nothing was. */
export interface EditNote {
  readonly what: string;
  readonly isChange: boolean;
}

/** What a client's settings file gets: `remove` undoes `add` to the byte, whoever wrote to the file in between. */
export interface SettingsEdit {
  readonly path: string;
  readonly syntax: Syntax;
  /** Adds our entries to settings that have none; what is there already is not touched. */
  readonly add: (settings: Settings) => EditNote[];
  /** Removes what `add` added, and nothing that only looks like it; returns what that was. */
  readonly remove: (settings: Settings) => string[];
  /** What is set up, for `doctor`. */
  readonly inspect: (settings: Settings) => string[];
}

/** A program that agents run in. */
export interface Client {
  readonly name: string;
  readonly title: string;
  edits(context: InstallContext): SettingsEdit[] | Promise<SettingsEdit[]>;
}

/**
 * The mark of what `install` added: a flag that the commands accept and ignore. It holds how many of the containers
 * around the entry were made along with it, see `Settings.insert`.
 */
const MARK = { flag: "--installed-by", name: "context-offload:" } as const;

export function markFlags(made: number): [string, string] {
  return [MARK.flag, `${MARK.name}${made}`];
}

/** Reads a mark from the two words that it consists of; `undefined` if they are something else. */
export function readMark(flag: unknown, value: unknown): number | undefined {
  if (flag !== MARK.flag || typeof value !== "string" || !value.startsWith(MARK.name)) {
    return undefined;
  }
  const made = value.slice(MARK.name.length);
  return /^\d$/.test(made) ? Number(made) : undefined;
}

/** The command line that starts the hook, and bears our mark at its end. */
export function hookCommand(
  { node, hook }: InstallContext,
  flags: readonly string[],
  made: number,
): string {
  return [quoted(node), quoted(hook), ...flags, ...markFlags(made)].join(" ");
}

/** The mark of a hook's command line; `undefined` for commands that are not from `install`. */
export function readHookMark(command: unknown): number | undefined {
  if (typeof command !== "string" || !/^"[^]*[\\/]hook\.js" /.test(command)) return undefined;
  const [flag, value] = command.split(" ").slice(-2);
  return readMark(flag, value);
}

/** The flag for tools whose results are kept. */
export function excludeFlags(tools: readonly string[]): string[] {
  return tools.length === 0 ? [] : ["--exclude", quoted(tools.join(","))];
}

function quoted(path: string): string {
  return `"${path.replaceAll('"', '\\"')}"`;
}
