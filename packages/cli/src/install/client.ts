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

/** What was done to a file, or why nothing was. */
export interface InstallStep {
  readonly path: string;
  readonly what: string;
  /** Whether the file is another one now. */
  readonly isChange: boolean;
}

/** A program that agents run in. */
export interface Client {
  readonly name: string;
  readonly title: string;
  install(context: InstallContext): Promise<InstallStep[]>;
  uninstall(context: InstallContext): Promise<InstallStep[]>;
  /** What is set up now, for `doctor`. */
  inspect(context: InstallContext): Promise<InstallStep[]>;
}

/** Ours, wherever it was installed from and whoever moved it since. */
const OWN_COMMAND = /context-offload|[\\/]hook\.js"? .*--(?:tool-prefix|root)/;

/** The command line that starts the hook. */
export function hookCommand({ node, hook }: InstallContext, flags: readonly string[]): string {
  return [quoted(node), quoted(hook), ...flags].join(" ");
}

export function isOwnHook(command: unknown): boolean {
  return typeof command === "string" && OWN_COMMAND.test(command);
}

/** The flag for tools whose results are kept. */
export function excludeFlags(tools: readonly string[]): string[] {
  return tools.length === 0 ? [] : ["--exclude", quoted(tools.join(","))];
}

function quoted(path: string): string {
  return `"${path.replaceAll('"', '\\"')}"`;
}

/** A value in a settings file that is a string, as it is written there. */
export const STRING_TOKEN = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g;

interface GatewaySetup {
  readonly main: string;
  /** An absolute path: clients start servers in folders of their own choice. */
  readonly workspace: string;
  /** The server's name, which is the session of its results. */
  readonly name: string;
  readonly exclude: readonly string[];
}

/**
 * The arguments with which a server is started behind the gateway. What was there is kept as it was written, the
 * command included, so that it can be taken out again to the character.
 *
 * @param command The command, as it is written in the file.
 * @param args The list of arguments, as it is written in the file; `undefined` if there is none.
 */
export function wrapArguments(
  command: string,
  args: string | undefined,
  { main, workspace, name, exclude }: GatewaySetup,
): string {
  const flags = ["--workspace", workspace, "--session", name];
  if (exclude.length > 0) flags.push("--exclude", exclude.join(","));
  const own = [main, "gateway", ...flags, "--"].map((word) => JSON.stringify(word));
  const words = [...own, command].join(", ");
  // A list that was not there begins with a blank: `unwrapArguments` knows it by that.
  if (args === undefined) return `[ ${words}]`;
  const isEmpty = !/["']/.test(args);
  return `[${words}${isEmpty ? "" : ","}${args.slice(1)}`;
}

/** What the command and its arguments were; no arguments for a server that had no list of them. */
export function unwrapArguments(
  args: string,
): { readonly command: string; readonly args: string | undefined } | undefined {
  const tokens = [...args.matchAll(STRING_TOKEN)];
  const dashes = tokens.findIndex(([token]) => token === '"--"');
  const command = tokens[dashes + 1];
  if (dashes === -1 || !command) return undefined;
  const end = command.index + command[0].length;
  const isLast = tokens.length === dashes + 2;
  if (isLast && args.startsWith("[ ")) return { command: command[0], args: undefined };
  const rest = args.slice(end);
  return { command: command[0], args: `[${isLast ? rest : rest.replace(",", "")}` };
}

/** Whether these are the arguments of a server behind the gateway. */
export function isWrapped(args: unknown): args is readonly string[] {
  if (!Array.isArray(args)) return false;
  const [main = "", verb, ...rest] = args.map(String);
  return verb === "gateway" && rest.includes("--") && /main\.js$|context-offload/.test(main);
}
