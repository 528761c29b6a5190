import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client, InstallContext, InstallStep } from "./client.js";

/** Codex: MCP servers in a TOML file; its hooks cannot change what a tool returned. */
export const codex: Client = {
  name: "codex",
  title: "Codex",

  async install(context) {
    return edit(context, (server) => {
      if (isWrapped(server.args)) return undefined;
      const { node, main } = context;
      const args = [
        main,
        "gateway",
        "--session",
        server.name,
        "--",
        server.command,
        ...server.args,
      ];
      return {
        command: node,
        args,
        what: `put the MCP server "${server.name}" behind the gateway`,
      };
    });
  },

  async uninstall(context) {
    return edit(context, (server) => {
      if (!isWrapped(server.args)) return undefined;
      const [command = "", ...args] = server.args.slice(server.args.indexOf("--") + 1);
      return {
        command,
        args,
        what: `took the MCP server "${server.name}" from behind the gateway`,
      };
    });
  },

  async inspect(context) {
    const path = configPath(context);
    const text = await read(path);
    return (text === undefined ? [] : findServers(text))
      .filter(({ args }) => isWrapped(args))
      .map(({ name }) => ({ path, what: `"${name}" is behind the gateway` }));
  },
};

interface TomlServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Where the two settings are in the file; the arguments may be missing. */
  readonly commandAt: readonly [start: number, end: number];
  readonly argsAt: readonly [start: number, end: number] | undefined;
}

type Change = { readonly command: string; readonly args: readonly string[]; readonly what: string };

async function edit(
  context: InstallContext,
  decide: (server: TomlServer) => Change | undefined,
): Promise<InstallStep[]> {
  const path = configPath(context);
  let text = await read(path);
  if (text === undefined) return [{ path, what: "does not exist; nothing to do" }];
  const steps: InstallStep[] = [];
  // From the end, so that the places before stay right.
  for (const server of findServers(text).reverse()) {
    const change = decide(server);
    if (!change) continue;
    const args = `args = ${JSON.stringify(change.args)}`;
    const { commandAt, argsAt } = server;
    const command = `command = ${JSON.stringify(change.command)}`;
    const places = [
      { at: commandAt, by: argsAt ? command : `${command}\n${args}` },
      ...(argsAt ? [{ at: argsAt, by: args }] : []),
    ].sort((a, b) => b.at[0] - a.at[0]);
    for (const { at, by } of places) text = text.slice(0, at[0]) + by + text.slice(at[1]);
    steps.unshift({ path, what: change.what });
  }
  if (steps.length === 0)
    return [{ path, what: "has no MCP servers that a command starts; nothing to do" }];
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, text);
  await rename(temporary, path);
  return steps;
}

const SECTION = /^\[mcp_servers\.("(?:[^"\\]|\\.)*"|[\w-]+)\]\s*$/gm;
const COMMAND = /^command\s*=\s*("(?:[^"\\\n]|\\.)*"|'[^'\n]*')/m;
const ARGS = /^args\s*=\s*(\[(?:\s|,|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')*\])/m;

/** The servers with a command. Only these two settings are read; all else is not our business. */
function findServers(text: string): TomlServer[] {
  return [...text.matchAll(SECTION)].flatMap(({ 0: header, 1: name = "", index }) => {
    const start = index + header.length;
    const next = text.slice(start).search(/^\[/m);
    const body = next === -1 ? text.slice(start) : text.slice(start, start + next);
    const command = COMMAND.exec(body);
    if (!command) return [];
    const args = ARGS.exec(body);
    const place = (match: RegExpExecArray) =>
      [start + match.index, start + match.index + match[0].length] as const;
    return [
      {
        name: unquoted(name),
        command: unquoted(command[1] ?? ""),
        args: (args?.[1]?.match(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g) ?? []).map(unquoted),
        commandAt: place(command),
        argsAt: args ? place(args) : undefined,
      },
    ];
  });
}

/** The escapes of TOML's basic strings are JSON's; literal strings have none. */
function unquoted(text: string): string {
  if (text.startsWith('"')) return JSON.parse(text) as string;
  return text.startsWith("'") ? text.slice(1, -1) : text;
}

function isWrapped([main = "", verb, ...rest]: readonly string[]): boolean {
  return verb === "gateway" && rest.includes("--") && /main\.js$|context-offload/.test(main);
}

function configPath({ home, env }: InstallContext): string {
  return join(env["CODEX_HOME"] ?? join(home, ".codex"), "config.toml");
}

async function read(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}
