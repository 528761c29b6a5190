import { join } from "node:path";
import { clinePlugin } from "./cline.js";
import {
  type Client,
  type EditNote,
  type InstallContext,
  type SettingsEdit,
  markFlags,
  readMark,
  settingFlags,
} from "./client.js";
import { commandHook } from "./command-hooks.js";
import { jsonSyntax } from "./json-syntax.js";
import { isRecord, type Settings, type SettingsPath, type Syntax } from "./settings.js";

/** A client whose MCP servers are listed in a file. */
interface ServersFile {
  readonly name: string;
  readonly title: string;
  /** The key that holds the servers. */
  readonly key: string;
  /** Default: JSON. */
  readonly syntax?: () => Promise<Syntax>;
  path(context: InstallContext): string;
  /** Whether it has settings of the user only. */
  readonly isOfUser?: boolean;
  /** Its hook, if it has one that can replace results. */
  readonly hook?: (context: InstallContext) => SettingsEdit;
}

function folderOf({ scope, home, cwd }: InstallContext): string {
  return scope === "user" ? home : cwd;
}

const vsCodeUser = ({ home, platform, env }: InstallContext): string =>
  platform === "darwin"
    ? join(home, "Library", "Application Support", "Code", "User")
    : platform === "win32"
      ? join(env["APPDATA"] || join(home, "AppData", "Roaming"), "Code", "User")
      : join(home, ".config", "Code", "User");

const inFolder =
  (folder: string, file: string) =>
  (context: InstallContext): string =>
    join(folderOf(context), folder, file);

const CLIENTS: readonly ServersFile[] = [
  { name: "cursor", title: "Cursor", key: "mcpServers", path: inFolder(".cursor", "mcp.json") },
  {
    name: "droid",
    title: "Factory Droid",
    key: "mcpServers",
    path: inFolder(".factory", "mcp.json"),
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    key: "mcpServers",
    hook: (context) => commandHook("gemini", context),
    path: inFolder(".gemini", "settings.json"),
  },
  {
    name: "qwen",
    title: "Qwen Code",
    key: "mcpServers",
    hook: (context) => commandHook("qwen", context),
    path: inFolder(".qwen", "settings.json"),
  },
  {
    name: "vscode",
    title: "VS Code",
    key: "servers",
    path: (context) =>
      context.scope === "user"
        ? join(vsCodeUser(context), "mcp.json")
        : join(context.cwd, ".vscode", "mcp.json"),
  },
  {
    name: "cline",
    title: "Cline",
    key: "mcpServers",
    // The servers are those of its extension; the plugin is for its command line.
    isOfUser: true,
    hook: clinePlugin,
    path: (context) =>
      join(
        vsCodeUser(context),
        "globalStorage",
        "saoudrizwan.claude-dev",
        "settings",
        "cline_mcp_settings.json",
      ),
  },
  {
    name: "windsurf",
    title: "Windsurf",
    key: "mcpServers",
    isOfUser: true,
    path: ({ home }) => join(home, ".codeium", "windsurf", "mcp_config.json"),
  },
  {
    name: "codex",
    title: "Codex",
    key: "mcp_servers",
    // Loaded here, since the other commands start faster without its parser.
    syntax: async () => (await import("./toml-syntax.js")).tomlSyntax,
    isOfUser: true,
    hook: (context) => commandHook("codex", context),
    path: ({ home, env }) => join(env["CODEX_HOME"] || join(home, ".codex"), "config.toml"),
  },
];

/** Clients whose MCP servers are put behind the gateway; the built-in tools of those with a hook are reached as well. */
export const gatewayClients: readonly Client[] = CLIENTS.map((client) => ({
  name: client.name,
  title: client.title,
  edits: async (context) => {
    const gateway = gatewayEdit(client, context, (await client.syntax?.()) ?? jsonSyntax);
    if (!client.hook) return [gateway];
    const hook = client.hook(context);
    return hook.path === gateway.path ? [inOneFile(gateway, hook)] : [gateway, hook];
  },
}));

/** Two edits of a file as one, since a file is written once. */
function inOneFile(first: SettingsEdit, second: SettingsEdit): SettingsEdit {
  return {
    ...first,
    add: (settings) => [...first.add(settings), ...second.add(settings)],
    // In the opposite order, since the first may have made the file.
    remove: (settings) => [...second.remove(settings), ...first.remove(settings)],
    inspect: (settings) => [...first.inspect(settings), ...second.inspect(settings)],
  };
}

function gatewayEdit(client: ServersFile, context: InstallContext, syntax: Syntax): SettingsEdit {
  const isForAll = client.isOfUser === true || context.scope === "user";
  const place = isForAll ? ["--per-project"] : ["--workspace", join(context.cwd, ".offload")];
  // One session for all, since the reading tool of one of them reads what any has stored.
  const shared = [...place, "--session", client.name];
  return {
    ...{ path: client.path(context), syntax },
    add(settings) {
      const servers = serversOf(settings, client);
      const started = servers.filter(([, server]) => whyKept(server) === undefined);
      const isListed = servers.some(([, server]) => listsTool(server, shared));
      const [reader] = isListed
        ? []
        : (started.find(([, server]) => isShown(server)) ?? started[0] ?? []);
      const notes: EditNote[] = servers.map(([name, server]) => {
        const why = whyKept(server);
        if (why !== undefined) return { what: `kept "${name}" as it is: ${why}`, isChange: false };
        // Each may be switched off, the one with the tool as well: then the files are left to read.
        const isAlone = started.length === 1 && isShown(server);
        const reading = name !== reader ? [NO_TOOL] : isAlone ? [] : ["--paths"];
        const words = [...shared, ...reading, ...settingFlags(context)];
        wrapServer(settings, [client.key, name], server as StartedServer, { ...context, words });
        const where = isForAll
          ? ", which stores in .offload of the project that it is started in"
          : "";
        return { what: `put the MCP server "${name}" behind the gateway${where}`, isChange: true };
      });
      if (notes.length > 0) return notes;
      const why =
        settings.text === undefined
          ? "does not exist"
          : "has no MCP servers to put behind the gateway";
      const others = client.hook ? "" : `; ${client.title}'s built-in tools cannot be reached`;
      return [{ what: why + others, isChange: false }];
    },
    remove: (settings) =>
      serversOf(settings, client).flatMap(([name, server]) => {
        const wrapping = findWrapping(server);
        if (!wrapping) return [];
        unwrapServer(settings, [client.key, name], wrapping);
        return [`took the MCP server "${name}" from behind the gateway`];
      }),
    inspect(settings) {
      const servers = serversOf(settings, client);
      const isUnread =
        servers.some(([, server]) => isShown(server) && gatewayWords(server)?.includes(NO_TOOL)) &&
        !servers.some(([, server]) => listsTool(server, shared));
      return servers
        .filter(([, server]) => gatewayWords(server))
        .map(([name, server], at) => ({
          what: `"${name}" is behind the gateway`,
          programs: gatewayPrograms(server),
          problem: isUnread && at === 0 ? "no gateway lists the reading tool" : undefined,
        }));
    },
  };
}

const NO_TOOL = "--no-reading-tools";

/** Whether a gateway lists the reading tool for those of this place and session. */
function listsTool(server: unknown, shared: readonly string[]): boolean {
  const words = gatewayWords(server);
  if (!words || words.includes(NO_TOOL)) return false;
  return isShown(server) && shared.every((word) => words.includes(word));
}

/** Whether a client lets a model see a reading tool of this server, by the names that clients have for that. */
function isShown(server: unknown): boolean {
  const { disabled, enabled, enabled_tools, includeTools } = isRecord(server) ? server : {};
  const hides = (tools: unknown) => Array.isArray(tools) && !tools.includes("read_stored");
  return disabled !== true && enabled !== false && !hides(enabled_tools) && !hides(includeTools);
}

function serversOf(settings: Settings, { key }: ServersFile): [string, unknown][] {
  const servers = settings.get([key]);
  return isRecord(servers) ? Object.entries(servers) : [];
}

/** A server that a command starts, the only kind that a command can be put before. */
interface StartedServer {
  readonly command: string;
  readonly args?: readonly string[];
}

function whyKept(server: unknown): string | undefined {
  const { command, args = [] } = isRecord(server) ? server : {};
  if (typeof command !== "string") return "it is not started by a command";
  if (!isStrings(args)) return "its args are not a list of strings";
  return gatewayWords(server) ? "it is behind the gateway already" : undefined;
}

/** What a gateway before a server is told, whether by `install` or by hand; `undefined` if there is none. */
function gatewayWords(server: unknown): readonly unknown[] | undefined {
  const { command, args } = isRecord(server) ? server : {};
  const words: unknown[] = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])];
  const verb = words.indexOf("gateway", 1);
  const end = words.indexOf("--", verb);
  const isByHand = verb > 0 && end > 0 && /context-offload/.test(String(words[verb - 1]));
  return isByHand || findWrapping(server) ? words.slice(verb, end) : undefined;
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/**
 * Starts a server behind the gateway. Its command and its arguments are kept as they are written, so that they can be
 * taken out again to the character.
 */
function wrapServer(
  settings: Settings,
  path: SettingsPath,
  { command, args }: StartedServer,
  { node, main, words: given }: InstallContext & { readonly words: readonly string[] },
): void {
  const words = [main, "gateway", ...given, ...markFlags(args ? 0 : 1), "--"];
  const all = [...words, command, ...(args ?? [])];
  const commandPath = [...path, "command"];
  const own = [...words.map((word) => JSON.stringify(word)), settings.textOf(commandPath)].join(
    ", ",
  );
  if (args) {
    const list = settings.textOf([...path, "args"]) ?? "";
    const text = `[${own}${args.length === 0 ? "" : ","}${list.slice(1)}`;
    settings.replace([...path, "args"], text, all);
  } else settings.insertAfter(commandPath, "args", `[${own}]`, all);
  settings.replace(commandPath, JSON.stringify(node), node);
}

interface Wrapping {
  readonly args: readonly string[];
  /** Which argument is the command of the server itself. */
  readonly commandAt: number;
  /** Whether `install` made the list of arguments. */
  readonly isListMade: boolean;
}

/** What `install` did to a server; `undefined` for one that it did not touch. */
function findWrapping(server: unknown): Wrapping | undefined {
  const { args } = isRecord(server) ? server : {};
  if (!isStrings(args) || args[1] !== "gateway") return undefined;
  const markAt = args.findIndex(
    (word, at) => readMark(word, args[at + 1]) !== undefined && args[at + 2] === "--",
  );
  const commandAt = markAt + 3;
  if (markAt === -1 || commandAt >= args.length) return undefined;
  return { args, commandAt, isListMade: readMark(args[markAt], args[markAt + 1]) === 1 };
}

/** The paths by which `install` has a gateway started. */
function gatewayPrograms(server: unknown): string[] {
  const [main] = findWrapping(server)?.args ?? [];
  return main === undefined ? [] : [(server as StartedServer).command, main];
}

function unwrapServer(
  settings: Settings,
  path: SettingsPath,
  { args, commandAt, isListMade }: Wrapping,
): void {
  const argsPath = [...path, "args"];
  const command = settings.textOf([...argsPath, commandAt]) ?? "";
  const { end = 0 } = settings.rangeOf([...argsPath, commandAt]) ?? {};
  const { start = 0 } = settings.rangeOf(argsPath) ?? {};
  const rest = args.slice(commandAt + 1);
  if (isListMade && rest.length === 0) settings.remove(argsPath);
  else {
    const [comma = ""] = /^\s*,/.exec(settings.text?.slice(end) ?? "") ?? [];
    settings.replace(argsPath, "", rest, { start: start + 1, end: end + comma.length });
  }
  settings.replace([...path, "command"], command, args[commandAt]);
}
