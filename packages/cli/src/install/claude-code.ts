import { join } from "node:path";
import { CommandError } from "../command-error.js";
import {
  type Client,
  type InstallContext,
  excludeFlags,
  hookCommand,
  markFlags,
  readHookMark,
  readMark,
} from "./client.js";
import { jsonSyntax as syntax } from "./json-syntax.js";
import { isRecord, type Settings, type SettingsPath } from "./settings.js";

const SERVER = "offload";
export const CLAUDE_TOOL_PREFIX = `mcp__${SERVER}__`;
const HOOKS = ["hooks", "PostToolUse"];
const SERVER_PATH = ["mcpServers", SERVER];

/** Claude Code: a hook for every tool, and a server to read with. */
export const claudeCode: Client = {
  name: "claude-code",
  title: "Claude Code",
  edits: (context) => [
    {
      ...{ path: settingsPath(context), syntax },
      add(settings) {
        settings.insert([...HOOKS, -1], (made) => {
          const command = commandOf(context, made);
          return { matcher: "*", hooks: [{ type: "command", command, timeout: 60 }] };
        });
        const what = "added a PostToolUse hook that offloads large tool results";
        return [{ what, isChange: true }];
      },
      remove(settings) {
        const own = ownHooks(settings);
        // From the end, so that indices stay right.
        for (const { path, made } of [...own].reverse()) settings.remove(path, made);
        return own.length === 0 ? [] : ["removed the hook"];
      },
      inspect: (settings) => ownHooks(settings).map(({ command }) => `hook: ${command}`),
    },
    {
      ...{ path: serversPath(context), syntax },
      add(settings) {
        if (!context.withTools) return [];
        if (settings.get(SERVER_PATH) !== undefined) {
          throw new CommandError(
            `${settings.path}: has another MCP server "${SERVER}"; rename it, or install with --no-tools; nothing was changed`,
          );
        }
        settings.insert(SERVER_PATH, (made) => {
          const args = [context.main, "mcp", "--read-only", ...markFlags(made)];
          // Without it, Claude Code may not show the tools to the model before it searches for them.
          return { type: "stdio", command: context.node, args, alwaysLoad: true };
        });
        return [{ what: `added the MCP server "${SERVER}" to read them`, isChange: true }];
      },
      remove(settings) {
        const made = serverMark(settings);
        if (made === undefined) return [];
        settings.remove(SERVER_PATH, made);
        return [`removed the MCP server "${SERVER}"`];
      },
      inspect: (settings) => (serverMark(settings) === undefined ? [] : [`MCP server "${SERVER}"`]),
    },
  ],
};

function settingsPath({ scope, cwd, home, env }: InstallContext): string {
  const folder =
    scope === "user" ? env["CLAUDE_CONFIG_DIR"] || join(home, ".claude") : join(cwd, ".claude");
  return join(folder, "settings.json");
}

function serversPath({ scope, cwd, home }: InstallContext): string {
  return scope === "user" ? join(home, ".claude.json") : join(cwd, ".mcp.json");
}

function commandOf(context: InstallContext, made: number): string {
  const reading = context.withTools
    ? ["--in-project", "--tool-prefix", CLAUDE_TOOL_PREFIX]
    : ["--root", ".offload"];
  return hookCommand(context, [...reading, ...excludeFlags(context.exclude)], made);
}

interface OwnHook {
  /** Where the hook is, or its group if that holds nothing else. */
  readonly path: SettingsPath;
  readonly made: number;
  readonly command: string;
}

function ownHooks(settings: Settings): OwnHook[] {
  const groups = settings.get(HOOKS);
  return (Array.isArray(groups) ? (groups as unknown[]) : []).flatMap((group, at) => {
    const hooks = isRecord(group) && Array.isArray(group["hooks"]) ? group["hooks"] : [];
    return (hooks as unknown[]).flatMap((hook, nth) => {
      const command = isRecord(hook) ? hook["command"] : undefined;
      const made = readHookMark(command);
      if (made === undefined) return [];
      const isAlone = hooks.length === 1;
      const path = isAlone ? [...HOOKS, at] : [...HOOKS, at, "hooks", nth];
      return [{ path, made: isAlone ? made : 0, command: String(command) }];
    });
  });
}

function serverMark(settings: Settings): number | undefined {
  const args = settings.get([...SERVER_PATH, "args"]);
  return Array.isArray(args) && args[1] === "mcp" ? readMark(args.at(-2), args.at(-1)) : undefined;
}
