import { join } from "node:path";
import type { Client, InstallContext, InstallStep } from "./client.js";
import { JsonFile } from "./edit-json.js";

const SERVER = "offload";
export const CLAUDE_TOOL_PREFIX = `mcp__${SERVER}__`;
/** Ours, wherever it was installed from and whoever moved it since. */
const OWN_COMMAND = /context-offload|[\\/]hook\.js"? .*--(?:tool-prefix|root)/;
const HOOKS = ["hooks", "PostToolUse"];

interface HookGroup {
  readonly matcher?: string;
  readonly hooks?: readonly { readonly type?: string; readonly command?: string }[];
}

/** Claude Code: a hook for every tool, and a server to read with. */
export const claudeCode: Client = {
  name: "claude-code",
  title: "Claude Code",

  async install(context) {
    const settings = await JsonFile.read(settingsPath(context));
    removeHooks(settings);
    const hook = { type: "command", command: hookCommand(context), timeout: 60 };
    const count = groupsOf(settings).length;
    if (count === 0) settings.set(HOOKS, [{ matcher: "*", hooks: [hook] }]);
    else settings.set([...HOOKS, count], { matcher: "*", hooks: [hook] }, true);
    await settings.save();
    const steps: InstallStep[] = [
      { path: settings.path, what: "added a PostToolUse hook that offloads large tool results" },
    ];
    if (!context.withTools) return steps;
    const servers = await JsonFile.read(serversPath(context));
    servers.set(["mcpServers", SERVER], {
      type: "stdio",
      command: context.node,
      args: [context.main, "mcp", "--read-only"],
    });
    await servers.save();
    return [
      ...steps,
      { path: servers.path, what: `added the MCP server "${SERVER}" to read them` },
    ];
  },

  async uninstall(context) {
    const settings = await JsonFile.read(settingsPath(context));
    const removed = removeHooks(settings);
    await settings.save();
    const servers = await JsonFile.read(serversPath(context));
    const hasServer = isOwnServer(servers.get(["mcpServers", SERVER]));
    if (hasServer) {
      servers.set(["mcpServers", SERVER], undefined);
      servers.removeEmpty(["mcpServers"]);
      await servers.save();
    }
    return [
      ...(removed > 0 ? [{ path: settings.path, what: "removed the hook" }] : []),
      ...(hasServer ? [{ path: servers.path, what: `removed the MCP server "${SERVER}"` }] : []),
    ];
  },

  async inspect(context) {
    const settings = await JsonFile.read(settingsPath(context));
    const servers = await JsonFile.read(serversPath(context));
    const hooks = groupsOf(settings).flatMap(({ hooks = [] }) => hooks);
    return [
      ...hooks
        .filter(({ command = "" }) => OWN_COMMAND.test(command))
        .map(({ command = "" }) => ({ path: settings.path, what: `hook: ${command}` })),
      ...(isOwnServer(servers.get(["mcpServers", SERVER]))
        ? [{ path: servers.path, what: `MCP server "${SERVER}"` }]
        : []),
    ];
  },
};

function settingsPath({ scope, cwd, home, env }: InstallContext): string {
  const folder =
    scope === "user" ? (env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude")) : join(cwd, ".claude");
  return join(folder, "settings.json");
}

function serversPath({ scope, cwd, home }: InstallContext): string {
  return scope === "user" ? join(home, ".claude.json") : join(cwd, ".mcp.json");
}

function hookCommand({ node, hook, exclude, withTools }: InstallContext): string {
  const words = [quoted(node), quoted(hook)];
  words.push(...(withTools ? ["--in-project", "--tool-prefix", CLAUDE_TOOL_PREFIX] : ["--root", ".offload"]));
  if (exclude.length > 0) words.push("--exclude", quoted(exclude.join(",")));
  return words.join(" ");
}

function quoted(path: string): string {
  return `"${path.replaceAll('"', '\\"')}"`;
}

function groupsOf(settings: JsonFile): readonly HookGroup[] {
  const groups = settings.get(HOOKS);
  return Array.isArray(groups) ? (groups as HookGroup[]) : [];
}

/** Removes our hooks, and the groups that held nothing else; from the end, so that indices stay right. */
function removeHooks(settings: JsonFile): number {
  let removed = 0;
  for (const [at, { hooks = [] }] of [...groupsOf(settings).entries()].reverse()) {
    for (const [nth, { command = "" }] of [...hooks.entries()].reverse()) {
      if (!OWN_COMMAND.test(command)) continue;
      settings.set([...HOOKS, at, "hooks", nth], undefined);
      removed++;
    }
    const rest = settings.get([...HOOKS, at, "hooks"]);
    if (Array.isArray(rest) && rest.length === 0) settings.set([...HOOKS, at], undefined);
  }
  if (removed > 0) settings.removeEmpty(HOOKS);
  return removed;
}

function isOwnServer(server: unknown): boolean {
  const { args } = (server ?? {}) as { readonly args?: unknown };
  return (
    Array.isArray(args) &&
    args.includes("mcp") &&
    args.some((arg) => /main\.js$|context-offload/.test(String(arg)))
  );
}
