import { join } from "node:path";
import { CommandError } from "../command-error.js";
import {
  type Client,
  type InstallContext,
  type InstallStep,
  excludeFlags,
  hookCommand,
  isOwnHook,
} from "./client.js";
import { JsonFile } from "./edit-json.js";

const SERVER = "offload";
export const CLAUDE_TOOL_PREFIX = `mcp__${SERVER}__`;
const HOOKS = ["hooks", "PostToolUse"];
const SERVERS = ["mcpServers"];

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
    const servers = await JsonFile.read(serversPath(context));
    const before = servers.get([...SERVERS, SERVER]);
    if (context.withTools && before !== undefined && !isOwnServer(before)) {
      throw new CommandError(
        `${servers.path}: has another MCP server "${SERVER}"; rename it, or install with --no-tools`,
      );
    }
    removeHooks(settings);
    const hook = { type: "command", command: commandOf(context), timeout: 60 };
    settings.insert([...HOOKS, -1], { matcher: "*", hooks: [hook] });
    await settings.save();
    const what = "added a PostToolUse hook that offloads large tool results";
    const step = { path: settings.path, what, isChange: true };
    if (!context.withTools) return [step];
    servers.remove([...SERVERS, SERVER]);
    const args = [context.main, "mcp", "--read-only"];
    // Without it, Claude Code may not show the tools to the model before it searches for them.
    const server = { type: "stdio", command: context.node, args, alwaysLoad: true };
    servers.insert([...SERVERS, SERVER], server);
    await servers.save();
    const added = `added the MCP server "${SERVER}" to read them`;
    return [step, { path: servers.path, what: added, isChange: true }];
  },

  async uninstall(context) {
    const settings = await JsonFile.read(settingsPath(context));
    const removed = removeHooks(settings);
    await settings.save();
    const steps: InstallStep[] = [];
    if (removed > 0) {
      steps.push({ path: settings.path, what: "removed the hook", isChange: true });
    }
    const servers = await JsonFile.read(serversPath(context));
    if (isOwnServer(servers.get([...SERVERS, SERVER]))) {
      servers.remove([...SERVERS, SERVER]);
      await servers.save();
      const what = `removed the MCP server "${SERVER}"`;
      steps.push({ path: servers.path, what, isChange: true });
    }
    return steps;
  },

  async inspect(context) {
    const settings = await JsonFile.read(settingsPath(context));
    const servers = await JsonFile.read(serversPath(context));
    const hooks = groupsOf(settings).flatMap((group) => group.hooks ?? []);
    const isServed = isOwnServer(servers.get([...SERVERS, SERVER]));
    return [
      ...hooks.flatMap(({ command = "" }) =>
        isOwnHook(command)
          ? [{ path: settings.path, what: `hook: ${command}`, isChange: false }]
          : [],
      ),
      ...(isServed
        ? [{ path: servers.path, what: `MCP server "${SERVER}"`, isChange: false }]
        : []),
    ];
  },
};

function settingsPath({ scope, cwd, home, env }: InstallContext): string {
  const folder =
    scope === "user" ? env["CLAUDE_CONFIG_DIR"] || join(home, ".claude") : join(cwd, ".claude");
  return join(folder, "settings.json");
}

function serversPath({ scope, cwd, home }: InstallContext): string {
  return scope === "user" ? join(home, ".claude.json") : join(cwd, ".mcp.json");
}

function commandOf(context: InstallContext): string {
  const reading = context.withTools
    ? ["--in-project", "--tool-prefix", CLAUDE_TOOL_PREFIX]
    : ["--root", ".offload"];
  return hookCommand(context, [...reading, ...excludeFlags(context.exclude)]);
}

function groupsOf(settings: JsonFile): readonly HookGroup[] {
  const groups = settings.get(HOOKS);
  return Array.isArray(groups) ? (groups as HookGroup[]) : [];
}

/** Removes our hooks, and the groups that held nothing else; from the end, so that indices stay right. */
function removeHooks(settings: JsonFile): number {
  let removed = 0;
  for (const [at, { hooks = [] }] of [...groupsOf(settings).entries()].reverse()) {
    const own = [...hooks.keys()].filter((nth) => isOwnHook(hooks[nth]?.command));
    if (own.length === 0) continue;
    removed += own.length;
    if (own.length === hooks.length) settings.remove([...HOOKS, at]);
    else for (const nth of own.reverse()) settings.remove([...HOOKS, at, "hooks", nth]);
  }
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
