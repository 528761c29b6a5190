import { join } from "node:path";
import {
  type Client,
  type InstallContext,
  type InstallStep,
  isWrapped,
  unwrapArguments,
  wrapArguments,
} from "./client.js";
import { JsonFile } from "./edit-json.js";

interface ServerEntry {
  readonly command?: unknown;
  readonly args?: unknown;
}

/** A client whose MCP servers are listed in a JSON file. */
interface JsonClient {
  readonly name: string;
  readonly title: string;
  /** The key that holds the servers. */
  readonly key: string;
  path(context: InstallContext): string;
  /** Whether it has settings of the user only. */
  readonly isOfUser?: boolean;
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
    isOfUser: true,
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
];

/** Clients whose MCP servers are put behind the gateway. Their built-in tools cannot be reached. */
export const gatewayClients: readonly Client[] = CLIENTS.map((client) => ({
  name: client.name,
  title: client.title,

  async install(context) {
    const file = await JsonFile.read(client.path(context));
    const steps: InstallStep[] = [];
    for (const [name, server] of serversOf(file, client)) {
      const path = [client.key, name];
      if (isWrapped(server.args)) continue;
      const command = file.textOf([...path, "command"]);
      if (typeof server.command !== "string" || command === undefined) {
        const what = `kept "${name}" as it is: it is not started by a command`;
        steps.push({ path: file.path, what, isChange: false });
        continue;
      }
      const before = file.textOf([...path, "args"]);
      const { main, exclude } = context;
      const workspace = join(client.isOfUser ? context.home : folderOf(context), ".offload");
      const args = wrapArguments(command, before, { main, workspace, name, exclude });
      if (before === undefined) file.insertAfter([...path, "command"], `, "args": ${args}`);
      else file.replaceText([...path, "args"], args);
      file.replace([...path, "command"], context.node);
      const what = `put the MCP server "${name}" behind the gateway`;
      steps.push({ path: file.path, what, isChange: true });
    }
    await file.save();
    if (steps.length > 0) return steps;
    const why = file.exists ? "has no MCP servers to put behind the gateway" : "does not exist";
    const what = `${why}; ${client.title}'s built-in tools cannot be reached`;
    return [{ path: file.path, what, isChange: false }];
  },

  async uninstall(context) {
    const file = await JsonFile.read(client.path(context));
    const steps: InstallStep[] = [];
    for (const [name, server] of serversOf(file, client)) {
      const path = [client.key, name];
      const before = isWrapped(server.args)
        ? unwrapArguments(file.textOf([...path, "args"]) ?? "")
        : undefined;
      if (!before) continue;
      if (before.args === undefined) file.remove([...path, "args"]);
      else file.replaceText([...path, "args"], before.args);
      file.replaceText([...path, "command"], before.command);
      const what = `took the MCP server "${name}" from behind the gateway`;
      steps.push({ path: file.path, what, isChange: true });
    }
    await file.save();
    return steps;
  },

  async inspect(context) {
    const file = await JsonFile.read(client.path(context));
    return serversOf(file, client)
      .filter(([, server]) => isWrapped(server.args))
      .map(([name]) => ({
        path: file.path,
        what: `"${name}" is behind the gateway`,
        isChange: false,
      }));
  },
}));

function serversOf(file: JsonFile, { key }: JsonClient): [string, ServerEntry][] {
  const servers = file.get([key]);
  if (typeof servers !== "object" || servers === null) return [];
  return Object.entries(servers as Record<string, ServerEntry>);
}
