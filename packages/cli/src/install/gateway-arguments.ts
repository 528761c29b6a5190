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
