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
  /** Results of fewer tokens are kept; `undefined` for the default. */
  readonly minTokens: number | undefined;
  /** Whether references name the reading tools, for which a server is set up, besides file paths. */
  readonly withTools: boolean;
  /** What a program on the PATH says of its version; `undefined` if there is none. */
  versionOf(program: string): string | undefined;
}

/** What was done in a file, or why nothing was. */
export interface EditNote {
  readonly what: string;
  readonly isChange: boolean;
}

/** What settings have of ours. */
export interface Found {
  readonly what: string;
  /** The programs that the client starts for it, by their paths. */
  readonly programs: readonly string[];
  /** What is wrong though the programs are there. */
  readonly problem?: string | undefined;
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
  readonly inspect: (settings: Settings) => Found[];
}

/** A program that agents run in. */
export interface Client {
  readonly name: string;
  readonly title: string;
  edits(context: InstallContext): SettingsEdit[] | Promise<SettingsEdit[]>;
}

/**
 * The mark of what `install` added: a flag that the commands accept and ignore. It holds how many of the containers
 * around the entry were made along with it, see `Settings.insert`, and the same of other entries in the file that
 * have no room for a mark, or `-` for those that were there before.
 */
const MARK = { flag: "--installed-by", name: "context-offload:" } as const;

export function markFlags(made: number, others: readonly (number | undefined)[] = []): string[] {
  const words = [made, ...others.map((other) => other ?? "-")];
  return [MARK.flag, MARK.name + words.join(".")];
}

/** What a mark holds. */
export interface Mark {
  readonly made: number;
  readonly others: readonly (number | undefined)[];
}

/** Reads a mark from the two words that it consists of; `undefined` if they are something else. */
export function parseMark(flag: unknown, value: unknown): Mark | undefined {
  if (flag !== MARK.flag || typeof value !== "string" || !value.startsWith(MARK.name)) {
    return undefined;
  }
  const [made = "", ...others] = value.slice(MARK.name.length).split(".");
  if (!/^\d$/.test(made) || !others.every((other) => /^[\d-]$/.test(other))) return undefined;
  return {
    made: Number(made),
    others: others.map((other) => (other === "-" ? undefined : Number(other))),
  };
}

/** How many containers a mark says were made. */
export function readMark(flag: unknown, value: unknown): number | undefined {
  return parseMark(flag, value)?.made;
}

/** The command line that starts the hook, and bears our mark at its end. */
export function hookCommand(
  { node, hook }: InstallContext,
  flags: readonly string[],
  mark: readonly string[],
): string {
  return [quoted(node), quoted(hook), ...flags, ...mark].join(" ");
}

/** A hook that `hookCommand` has made. */
export function foundHook(command: string): Found {
  const programs = [...command.matchAll(/"((?:[^"\\]|\\[^])+)"/g)].slice(0, 2);
  return { what: `hook: ${command}`, programs: programs.map(([, path = ""]) => unquoted(path)) };
}

/** The mark of a hook's command line; `undefined` for commands that are not from `install`. */
export function readHookMark(command: unknown): Mark | undefined {
  if (typeof command !== "string" || !/^"[^]*[\\/]hook\.js" /.test(command)) return undefined;
  const [flag, value] = command.split(" ").slice(-2);
  return parseMark(flag, value);
}

/** The flags for what a person has set, each as a word of its own. */
export function settingFlags({
  exclude,
  minTokens,
}: Pick<InstallContext, "exclude" | "minTokens">): string[] {
  return [
    ...(exclude.length === 0 ? [] : ["--exclude", exclude.join(",")]),
    ...(minTokens === undefined ? [] : ["--min-tokens", String(minTokens)]),
  ];
}

/** The same for a command line. */
export function quotedFlags(settings: Pick<InstallContext, "exclude" | "minTokens">): string[] {
  return settingFlags(settings).map((word) => (word.startsWith("--") ? word : quoted(word)));
}

/** What a shell gives a meaning to in quotes; not a backslash in Windows, where shells leave it alone. */
function quoted(word: string): string {
  return `"${word.replace(word.startsWith("/") ? /[\\"$`]/g : /"/g, "\\$&")}"`;
}

function unquoted(text: string): string {
  return text.replace(text.startsWith("/") ? /\\([\\"$`])/g : /\\(")/g, "$1");
}
