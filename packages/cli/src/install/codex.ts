import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  isWrapped,
  STRING_TOKEN,
  unwrapArguments,
  wrapArguments,
  type Client,
  type InstallContext,
  type InstallStep,
} from "./client.js";

const UNREACHED = "Codex's built-in tools cannot be reached";

/** Codex: MCP servers in a TOML file; its hooks cannot change what a tool returned. */
export const codex: Client = {
  name: "codex",
  title: "Codex",

  async install(context) {
    const { node, main, exclude, home } = context;
    const workspace = join(home, ".offload");
    return edit(context, ({ name, command, args }) => {
      if (isWrapped(valuesIn(args ?? ""))) return undefined;
      const what = `put the MCP server "${name}" behind the gateway`;
      return {
        ...{
          command: JSON.stringify(node),
          args: wrapArguments(command, args, { main, workspace, name, exclude }),
        },
        what,
      };
    });
  },

  async uninstall(context) {
    const steps = await edit(context, ({ name, args = "" }) => {
      const before = isWrapped(valuesIn(args)) ? unwrapArguments(args) : undefined;
      return before && { ...before, what: `took the MCP server "${name}" from behind the gateway` };
    });
    return steps.filter(({ isChange }) => isChange);
  },

  async inspect(context) {
    const path = configPath(context);
    const text = await read(path);
    return (text === undefined ? [] : findServers(text))
      .filter(({ args }) => isWrapped(valuesIn(args ?? "")))
      .map(({ name }) => ({ path, what: `"${name}" is behind the gateway`, isChange: false }));
  },
};

/** A server, with its settings as they are written in the file. */
interface TomlServer {
  readonly name: string;
  readonly command: string;
  readonly args: string | undefined;
  /** Where the two values are; the arguments may be missing. */
  readonly commandAt: number;
  readonly argsAt: number;
}

type ConfigChange = {
  readonly command: string;
  readonly args: string | undefined;
  readonly what: string;
};

async function edit(
  context: InstallContext,
  decide: (server: TomlServer) => ConfigChange | undefined,
): Promise<InstallStep[]> {
  const path = configPath(context);
  let text = await read(path);
  if (text === undefined) return [{ path, what: `does not exist; ${UNREACHED}`, isChange: false }];
  const steps: InstallStep[] = [];
  // From the end, so that the places before stay right.
  for (const server of findServers(text).reverse()) {
    const change = decide(server);
    if (!change) continue;
    for (const { at, length, by } of splicesOf(server, change).sort((a, b) => b.at - a.at)) {
      text = text.slice(0, at) + by + text.slice(at + length);
    }
    steps.unshift({ path, what: change.what, isChange: true });
  }
  if (steps.length === 0) {
    const what = `has no MCP servers that a command starts; ${UNREACHED}`;
    return [{ path, what, isChange: false }];
  }
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, text);
  await rename(temporary, path);
  return steps;
}

const NEW_ARGS = "\nargs = ";

function splicesOf(server: TomlServer, { command, args }: ConfigChange) {
  const { commandAt, argsAt } = server;
  const end = commandAt + server.command.length;
  const splices = [{ at: commandAt, length: server.command.length, by: command }];
  if (server.args === undefined) splices.push({ at: end, length: 0, by: NEW_ARGS + (args ?? "") });
  else if (args !== undefined) splices.push({ at: argsAt, length: server.args.length, by: args });
  else splices.push({ at: end, length: argsAt + server.args.length - end, by: "" });
  return splices;
}

const SECTION = /^\[mcp_servers\.("(?:[^"\\]|\\.)*"|[\w-]+)\]\s*$/gm;
const COMMAND = /^command\s*=\s*("(?:[^"\\\n]|\\.)*"|'[^'\n]*')/m;
const ARGS = /^args\s*=\s*(\[(?:\s|,|#.*|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')*\])/m;

/** The servers with a command. Only these two settings are read; all else is not our business. */
function findServers(text: string): TomlServer[] {
  return [...text.matchAll(SECTION)].flatMap(({ 0: header, 1: name = "", index }) => {
    const start = index + header.length;
    const next = text.slice(start).search(/^\[/m);
    const body = next === -1 ? text.slice(start) : text.slice(start, start + next);
    const command = COMMAND.exec(body);
    if (!command) return [];
    const args = ARGS.exec(body);
    const valueAt = (match: RegExpExecArray | null): number =>
      match ? start + match.index + match[0].length - (match[1] ?? "").length : -1;
    return [
      {
        ...{ name: unquoted(name), command: command[1] ?? "", args: args?.[1] },
        ...{ commandAt: valueAt(command), argsAt: valueAt(args) },
      },
    ];
  });
}

function valuesIn(args: string): string[] {
  return (args.match(STRING_TOKEN) ?? []).map(unquoted);
}

/** The escapes of TOML's basic strings are JSON's; literal strings have none. */
function unquoted(text: string): string {
  if (text.startsWith('"')) return JSON.parse(text) as string;
  return text.startsWith("'") ? text.slice(1, -1) : text;
}

function configPath({ home, env }: InstallContext): string {
  return join(env["CODEX_HOME"] || join(home, ".codex"), "config.toml");
}

async function read(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  });
}
