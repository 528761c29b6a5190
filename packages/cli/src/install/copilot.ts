import { join } from "node:path";
import {
  type Client,
  type InstallContext,
  foundHook,
  quotedFlags,
  hookCommand,
  markFlags,
} from "./client.js";
import { markedEntries, removeMarked } from "./command-hooks.js";
import { jsonSyntax as syntax } from "./json-syntax.js";

const EVENT = ["hooks", "postToolUse"];
/** Files can be viewed again in parts, and are needed whole to edit them. */
const KEPT = ["view"];
/** What a file of hooks must have besides them; the settings of a project need none. */
const VERSION = { version: 1 };

/** Copilot CLI: a hook for every tool, whose references give file paths that its own tools can read. */
export const copilot: Client = {
  name: "copilot",
  title: "Copilot CLI",
  edits: (context) => [
    {
      ...{ path: settingsPath(context), syntax },
      add(settings) {
        const exclude = [...new Set([...KEPT, ...context.exclude])];
        const isNew = settings.get([]) === undefined;
        settings.insert([...EVENT, -1], (made) => {
          const flags = ["--root", ".offload", ...quotedFlags({ ...context, exclude })];
          const bash = hookCommand(context, flags, markFlags(made));
          return { type: "command", bash, powershell: `& ${bash}`, timeoutSec: 60 };
        });
        if (isNew && context.scope === "user") settings.insert(["version"], () => VERSION.version);
        const what = `added a postToolUse hook that offloads large tool results, except those of ${exclude.join(", ")}; Copilot CLI 1.0.102 uses its answers, older versions may not`;
        return [{ what, isChange: true }];
      },
      remove(settings) {
        const companions = context.scope === "user" ? VERSION : {};
        return removeMarked(settings, EVENT, "bash", companions) ? ["removed the hook"] : [];
      },
      inspect: (settings) =>
        markedEntries(settings, EVENT, "bash").map(({ command }) => foundHook(command)),
    },
  ],
};

/** Settings that are not shared by git, since they have paths of this computer. */
function settingsPath({ scope, cwd, home, env }: InstallContext): string {
  return scope === "user"
    ? join(env["COPILOT_HOME"] || join(home, ".copilot"), "hooks", "context-offload.json")
    : join(cwd, ".github", "copilot", "settings.local.json");
}
