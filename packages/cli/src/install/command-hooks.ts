import { join } from "node:path";
import {
  type EditNote,
  type InstallContext,
  type Mark,
  type SettingsEdit,
  foundHook,
  quotedFlags,
  hookCommand,
  markFlags,
  readHookMark,
} from "./client.js";
import { jsonSyntax as syntax } from "./json-syntax.js";
import { isRecord, type Settings, type SettingsPath } from "./settings.js";

/** A client that starts a command after each tool call, and how its settings name it. */
interface HookedClient {
  readonly event: string;
  /** The flags of the hook. */
  readonly flags: readonly string[];
  /** In the client's own unit. */
  readonly timeout: number;
  /** What a person has to know or do. */
  readonly note: string;
  path(context: InstallContext): string;
}

const CLIENTS = {
  codex: {
    event: "PostToolUse",
    flags: ["--agent", "codex", "--root", ".offload"],
    timeout: 60,
    note: "Codex runs it once you have trusted it: it asks when it starts; or type /hooks",
    path: ({ home, env }) => join(env["CODEX_HOME"] || join(home, ".codex"), "hooks.json"),
  },
  gemini: {
    event: "AfterTool",
    // Its tools read nothing that git ignores, but the files in its own folder for the project.
    flags: ["--in-transcripts", "--root", "offload"],
    timeout: 60_000,
    note: "its workspaces are in ~/.gemini/tmp/<project>/offload; Gemini CLI 0.61 uses its answers, older versions may not",
    path: ({ scope, home, cwd }) => join(scope === "user" ? home : cwd, ".gemini", "settings.json"),
  },
  qwen: {
    event: "PostToolUse",
    flags: ["--agent", "qwen", "--in-transcripts", "--root", "offload"],
    timeout: 60_000,
    note: "its workspaces are in ~/.qwen/projects/<project>/offload; Qwen Code 0.24 uses its answers, older versions may not",
    path: ({ scope, home, cwd }) => join(scope === "user" ? home : cwd, ".qwen", "settings.json"),
  },
} satisfies Record<string, HookedClient>;

/** The hook of a client that starts it as a command, in groups as Claude Code has them. */
export function commandHook(name: keyof typeof CLIENTS, context: InstallContext): SettingsEdit {
  const client: HookedClient = CLIENTS[name];
  const groups = ["hooks", client.event];
  return {
    ...{ path: client.path(context), syntax },
    add(settings): EditNote[] {
      settings.insert([...groups, -1], (made) => {
        const flags = [...client.flags, ...quotedFlags(context)];
        const command = hookCommand(context, flags, markFlags(made));
        return { matcher: "*", hooks: [{ type: "command", command, timeout: client.timeout }] };
      });
      const what = `added the hook ${client.event}, which offloads very large tool results; ${client.note}`;
      return [{ what, isChange: true }];
    },
    remove(settings) {
      const own = findHooks(settings, groups, (hook) => readHookMark(hook["command"]));
      // From the end, so that indices stay right.
      for (const { path, isAlone, mark } of [...own].reverse()) {
        settings.remove(path, isAlone ? mark.made : 0);
      }
      return own.length === 0 ? [] : ["removed the hook"];
    },
    inspect: (settings) =>
      findHooks(settings, groups, (hook) => readHookMark(hook["command"])).map(({ hook }) =>
        foundHook(String(hook["command"])),
      ),
  };
}

/** The entries of a list whose command, under this key, bears our mark. */
export function markedEntries(settings: Settings, list: SettingsPath, key: string) {
  const entries = settings.get(list);
  return (Array.isArray(entries) ? (entries as unknown[]) : []).flatMap((entry, at) => {
    if (!isRecord(entry)) return [];
    const mark = readHookMark(entry[key]);
    return mark === undefined ? [] : [{ at, entry, mark, command: String(entry[key]) }];
  });
}

/** Removes them; whether there were any. */
export function removeMarked(
  settings: Settings,
  list: SettingsPath,
  key: string,
  companions?: Readonly<Record<string, unknown>>,
): boolean {
  const own = markedEntries(settings, list, key);
  // From the end, so that indices stay right.
  for (const { at, mark } of [...own].reverse()) {
    settings.remove([...list, at], mark.made, companions);
  }
  return own.length > 0;
}

export interface FoundHook {
  /** Where the hook is, or its group if that holds nothing else. */
  readonly path: SettingsPath;
  readonly isAlone: boolean;
  readonly mark: Mark;
  readonly hook: Readonly<Record<string, unknown>>;
}

/** The hooks of an event that bear our mark. */
export function findHooks(
  settings: Settings,
  event: SettingsPath,
  markOf: (hook: FoundHook["hook"]) => Mark | undefined,
): FoundHook[] {
  const groups = settings.get(event);
  return (Array.isArray(groups) ? (groups as unknown[]) : []).flatMap((group, at) => {
    const hooks = isRecord(group) && Array.isArray(group["hooks"]) ? group["hooks"] : [];
    return (hooks as unknown[]).flatMap((hook, nth) => {
      const mark = isRecord(hook) ? markOf(hook) : undefined;
      if (!mark || !isRecord(hook)) return [];
      const isAlone = hooks.length === 1;
      return [
        { path: isAlone ? [...event, at] : [...event, at, "hooks", nth], isAlone, mark, hook },
      ];
    });
  });
}
