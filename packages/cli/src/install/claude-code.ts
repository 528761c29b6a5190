import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../command-error.js";
import { HOOK_CALL, HOOK_FIELDS } from "../hook/hook-call.js";
import {
  type Client,
  type Found,
  type InstallContext,
  type Mark,
  quotedFlags,
  settingFlags,
  foundHook,
  hookCommand,
  markFlags,
  parseMark,
  readHookMark,
  readMark,
} from "./client.js";
import { findHooks, type FoundHook } from "./command-hooks.js";
import { jsonSyntax as syntax } from "./json-syntax.js";
import { isRecord, Settings, type SettingsPath } from "./settings.js";

export const CLAUDE_SERVER = "offload";
export const CLAUDE_TOOL_PREFIX = `mcp__${CLAUDE_SERVER}__`;
/** The rule that allows all tools of our server, which only read. */
export const CLAUDE_ALLOW_RULE = `mcp__${CLAUDE_SERVER}`;
const HOOKS = ["hooks", "PostToolUse"];
const ALLOWED = ["permissions", "allow"];
/** The servers of a project's `.mcp.json` that need no question. */
const ENABLED = ["enabledMcpjsonServers"];
const SERVER_PATH = ["mcpServers", CLAUDE_SERVER];
/** The first version that was seen to take hooks which call a server; its settings are not valid in early ones. */
const MIN_CALLING_HOOKS = [2, 1, 197];
const TIMEOUT_SECONDS = 60;

/** Claude Code: a hook for every tool, and a server to read with, which answers the hook as well. */
export const claudeCode: Client = {
  name: "claude-code",
  title: "Claude Code",
  edits: (context) => [
    {
      ...{ path: settingsPath(context), syntax },
      add: (settings) => addSettings(settings, context),
      remove: removeSettings,
      inspect: (settings) => ownHooks(settings).map(({ hook }) => asFound(hook)),
    },
    {
      ...{ path: serversPath(context), syntax },
      add(settings) {
        if (!context.withTools) return [];
        if (settings.get(SERVER_PATH) !== undefined) {
          throw new CommandError(
            `${settings.path}: has another MCP server "${CLAUDE_SERVER}"; rename it, or install with --no-tools; nothing was changed`,
          );
        }
        settings.insert(SERVER_PATH, (made) => {
          const args = [context.main, "mcp", "--read-only", "--hook", ...markFlags(made)];
          // Without it, Claude Code may not show the tools to the model before it searches for them.
          return { type: "stdio", command: context.node, args, alwaysLoad: true };
        });
        return [{ what: `added the MCP server "${CLAUDE_SERVER}" to read them`, isChange: true }];
      },
      remove(settings) {
        const made = serverMark(settings);
        if (made === undefined) return [];
        settings.remove(SERVER_PATH, made);
        return [`removed the MCP server "${CLAUDE_SERVER}"`];
      },
      inspect(settings) {
        const server = ownServer(settings);
        if (!server) return [];
        const programs = [server.command, ...server.args.slice(0, 1)];
        return [{ what: `MCP server "${CLAUDE_SERVER}"`, programs }];
      },
    },
  ],
};

function settingsPath({ scope, cwd, home, env }: InstallContext): string {
  const folder =
    scope === "user" ? env["CLAUDE_CONFIG_DIR"] || join(home, ".claude") : join(cwd, ".claude");
  return join(folder, "settings.json");
}

function serversPath(context: InstallContext): string {
  return context.scope === "user" ? userStatePath(context) : join(context.cwd, ".mcp.json");
}

/** Where Claude Code keeps the user's servers, and what was decided about those of projects. */
export function userStatePath({ home, env }: Pick<InstallContext, "home" | "env">): string {
  return join(env["CLAUDE_CONFIG_DIR"] || home, ".claude.json");
}

function addSettings(settings: Settings, context: InstallContext) {
  const { withTools, scope } = context;
  const allowed = withTools ? addToList(settings, ALLOWED, CLAUDE_ALLOW_RULE) : undefined;
  const isAsked = withTools && scope === "project";
  const enabled = isAsked ? addToList(settings, ENABLED, CLAUDE_SERVER) : undefined;
  const version = withTools ? context.versionOf("claude") : undefined;
  const isCall = isAtLeast(version, MIN_CALLING_HOOKS);
  settings.insert([...HOOKS, -1], (made) => {
    const mark = markFlags(made, [allowed, enabled]);
    return {
      matcher: "*",
      hooks: [isCall ? callingHook(context, mark) : commandHook(context, mark)],
    };
  });
  const how = isCall
    ? "answered by the MCP server"
    : withTools
      ? `a command, since ${version === undefined ? "there is no claude on the PATH to ask for its version" : `${version} may not take another`}`
      : "a command";
  const notes = [`added a PostToolUse hook (${how}) that offloads very large tool results`];
  if (allowed !== undefined) {
    notes.push(`allowed the reading tools: permissions.allow has "${CLAUDE_ALLOW_RULE}"`);
  }
  if (enabled !== undefined)
    notes.push(`approved the MCP server "${CLAUDE_SERVER}" of this project`);
  return notes.map((what) => ({ what, isChange: true }));
}

/** Removed in the opposite order, since the first may have made the file. */
function removeSettings(settings: Settings): string[] {
  const own = ownHooks(settings);
  // From the end, so that indices stay right.
  for (const { path, isAlone, mark } of [...own].reverse()) {
    settings.remove(path, isAlone ? mark.made : 0);
    const [allowed, enabled] = mark.others;
    removeFromList(settings, ENABLED, CLAUDE_SERVER, enabled);
    removeFromList(settings, ALLOWED, CLAUDE_ALLOW_RULE, allowed);
  }
  return own.length === 0 ? [] : ["removed the hook and what allowed the reading tools"];
}

/** Adds a text to a list; `undefined` if it is there already, and so not ours. */
function addToList(settings: Settings, path: SettingsPath, text: string): number | undefined {
  const list = settings.get(path);
  if (Array.isArray(list) && list.includes(text)) return undefined;
  let containers: number | undefined;
  settings.insert([...path, -1], (made) => {
    containers = made;
    return text;
  });
  return containers;
}

function removeFromList(
  settings: Settings,
  path: SettingsPath,
  text: string,
  made: number | undefined,
): void {
  const list = settings.get(path);
  const at = Array.isArray(list) ? list.lastIndexOf(text) : -1;
  if (made !== undefined && at >= 0) settings.remove([...path, at], made);
}

function isAtLeast(version: string | undefined, least: readonly number[]): boolean {
  const parts = /^(\d+)\.(\d+)\.(\d+)/
    .exec(version ?? "")
    ?.slice(1)
    .map(Number);
  if (!parts) return false;
  const at = parts.findIndex((part, index) => part !== least[index]);
  return at === -1 || (parts[at] ?? 0) > (least[at] ?? 0);
}

/** It starts no process, and lets results through whole where the server is missing. */
function callingHook(context: InstallContext, mark: readonly string[]) {
  const fields = HOOK_FIELDS.map((name) => [name, `\${${name}}`] as const);
  const args = ["--tool-prefix", CLAUDE_TOOL_PREFIX, ...settingFlags(context), ...mark];
  const input = { ...Object.fromEntries(fields), args };
  return {
    type: "mcp_tool",
    server: CLAUDE_SERVER,
    tool: HOOK_CALL,
    input,
    timeout: TIMEOUT_SECONDS,
  };
}

function commandHook(context: InstallContext, mark: readonly string[]) {
  const reading = context.withTools
    ? ["--in-project", "--tool-prefix", CLAUDE_TOOL_PREFIX]
    : ["--root", ".offload"];
  const command = hookCommand(context, [...reading, ...quotedFlags(context)], mark);
  return { type: "command", command, timeout: TIMEOUT_SECONDS };
}

function asFound({ command }: FoundHook["hook"]): Found {
  if (typeof command === "string") return foundHook(command);
  return { what: `hook: ${CLAUDE_SERVER}/${HOOK_CALL}`, programs: [] };
}

/** Our hooks, whichever form they have. */
function ownHooks(settings: Settings): FoundHook[] {
  return findHooks(settings, HOOKS, (hook) => markOfCall(hook) ?? readHookMark(hook["command"]));
}

function markOfCall({ type, tool, input }: Readonly<Record<string, unknown>>): Mark | undefined {
  const args = isRecord(input) ? input["args"] : undefined;
  if (type !== "mcp_tool" || tool !== HOOK_CALL || !Array.isArray(args)) return undefined;
  return parseMark(args.at(-2), args.at(-1));
}

function serverMark(settings: Settings): number | undefined {
  const args = settings.get([...SERVER_PATH, "args"]);
  return Array.isArray(args) && args[1] === "mcp" ? readMark(args.at(-2), args.at(-1)) : undefined;
}

/** Our hooks in the settings of a scope. */
export function findClaudeHooks(context: InstallContext): FoundHook["hook"][] {
  return ownHooks(openSettings(settingsPath(context))).map(({ hook }) => hook);
}

interface OwnServer {
  readonly command: string;
  readonly args: readonly string[];
}

/** How the settings of a scope start our server; `undefined` where it is not listed. */
export function findClaudeServer(context: InstallContext): OwnServer | undefined {
  return ownServer(openSettings(serversPath(context)));
}

function ownServer(settings: Settings): OwnServer | undefined {
  if (serverMark(settings) === undefined) return undefined;
  const { command, args } = settings.get(SERVER_PATH) as Record<string, unknown>;
  return { command: String(command), args: (args as readonly unknown[]).map(String) };
}

function openSettings(path: string): Settings {
  return new Settings(path, syntax, existsSync(path) ? readFileSync(path, "utf8") : undefined);
}
