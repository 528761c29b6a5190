import { join } from "node:path";
import type { Client, InstallContext, InstallStep } from "./client.js";
import { JsonFile } from "./edit-json.js";

interface ServerEntry {
  readonly command?: unknown;
  readonly args?: unknown;
  readonly url?: unknown;
}

/** A client that is told of its MCP servers by a JSON file. */
interface JsonClient {
  readonly name: string;
  readonly title: string;
  /** The key that holds the servers. */
  readonly key: string;
  path(context: InstallContext): string;
}

const vsCodeUser = ({ home, platform, env }: InstallContext): string =>
  platform === "darwin"
    ? join(home, "Library", "Application Support", "Code", "User")
    : platform === "win32"
      ? join(env["APPDATA"] ?? join(home, "AppData", "Roaming"), "Code", "User")
      : join(home, ".config", "Code", "User");

const inFolder =
  (folder: string, file: string) =>
  ({ scope, home, cwd }: InstallContext): string =>
    join(scope === "user" ? home : cwd, folder, file);

const CLIENTS: readonly JsonClient[] = [
  { name: "cursor", title: "Cursor", key: "mcpServers", path: inFolder(".cursor", "mcp.json") },
  {
    name: "gemini",
    title: "Gemini CLI",
    key: "mcpServers",
    path: inFolder(".gemini", "settings.json"),
  },
  { name: "qwen", title: "Qwen Code", key: "mcpServers", path: inFolder(".qwen", "settings.json") },
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
    // Cline has settings of the user only.
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
    path: ({ home }) => join(home, ".codeium", "windsurf", "mcp_config.json"),
  },
  {
    name: "copilot",
    title: "Copilot CLI",
    key: "mcpServers",
    path: ({ home, env }) => join(env["COPILOT_HOME"] ?? join(home, ".copilot"), "mcp-config.json"),
  },
];

/** Clients whose MCP servers are put behind the gateway. Their built-in tools cannot be reached. */
export const gatewayClients: readonly Client[] = CLIENTS.map((client) => ({
  name: client.name,
  title: client.title,

  async install(context) {
    const file = await JsonFile.read(client.path(context));
    const steps: InstallStep[] = [];
    for (const [name, server] of serversOf(file, client)) {
      const { command, args = [] } = server;
      const path = [client.key, name];
      if (isWrapped(server)) continue;
      if (typeof command !== "string" || !isTexts(args)) {
        steps.push({
          path: file.path,
          what: `left "${name}" as it is: it is not started by a command`,
        });
        continue;
      }
      file.set([...path, "command"], context.node);
      file.set(
        [...path, "args"],
        [context.main, "gateway", "--session", name, "--", command, ...args],
      );
      steps.push({ path: file.path, what: `put the MCP server "${name}" behind the gateway` });
    }
    await file.save();
    if (steps.length > 0) return steps;
    const why = file.exists ? "has no MCP servers to put behind the gateway" : "does not exist";
    return [
      { path: file.path, what: `${why}; ${client.title}'s built-in tools cannot be reached` },
    ];
  },

  async uninstall(context) {
    const file = await JsonFile.read(client.path(context));
    const steps: InstallStep[] = [];
    for (const [name, server] of serversOf(file, client)) {
      if (!isWrapped(server)) continue;
      const [command, ...args] = server.args.slice(server.args.indexOf("--") + 1);
      file.set([client.key, name, "command"], command);
      file.set([client.key, name, "args"], args);
      steps.push({
        path: file.path,
        what: `took the MCP server "${name}" from behind the gateway`,
      });
    }
    await file.save();
    return steps;
  },

  async inspect(context) {
    const file = await JsonFile.read(client.path(context));
    return serversOf(file, client)
      .filter(([, server]) => isWrapped(server))
      .map(([name]) => ({ path: file.path, what: `"${name}" is behind the gateway` }));
  },
}));

function serversOf(file: JsonFile, { key }: JsonClient): [string, ServerEntry][] {
  const servers = file.get([key]);
  if (typeof servers !== "object" || servers === null) return [];
  return Object.entries(servers as Record<string, ServerEntry>);
}

function isWrapped(
  server: ServerEntry,
): server is ServerEntry & { readonly args: readonly string[] } {
  const { args } = server;
  if (!isTexts(args)) return false;
  const [main = "", verb] = args;
  return verb === "gateway" && args.includes("--") && /main\.js$|context-offload/.test(main);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
