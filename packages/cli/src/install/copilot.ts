import { join } from "node:path";
import {
  type Client,
  type InstallContext,
  excludeFlags,
  hookCommand,
  isOwnHook,
} from "./client.js";
import { JsonFile } from "./edit-json.js";

const EVENT = ["hooks", "postToolUse"];
/** Files can be viewed again in parts, and are needed whole to edit them. */
const KEPT = ["view"];

/** Copilot CLI: a hook for every tool, whose references give file paths that its own tools can read. */
export const copilot: Client = {
  name: "copilot",
  title: "Copilot CLI",

  async install(context) {
    const file = await JsonFile.read(settingsPath(context));
    removeHooks(file);
    const exclude = [...new Set([...KEPT, ...context.exclude])];
    const bash = hookCommand(context, ["--root", ".offload", ...excludeFlags(exclude)]);
    const entry = { type: "command", bash, powershell: `& ${bash}`, timeoutSec: 60 };
    if (!file.exists && context.scope === "user") file.insert(["version"], 1);
    file.insert([...EVENT, -1], entry);
    await file.save();
    const what = `added a postToolUse hook that offloads large tool results, except those of ${exclude.join(", ")}; Copilot CLI 1.0.102 uses its answers, older versions may not`;
    return [{ path: file.path, what, isChange: true }];
  },

  async uninstall(context) {
    const file = await JsonFile.read(settingsPath(context));
    if (removeHooks(file) === 0) return [];
    if (context.scope === "user" && file.get(["hooks"]) === undefined) file.remove(["version"]);
    await file.save();
    return [{ path: file.path, what: "removed the hook", isChange: true }];
  },

  async inspect(context) {
    const file = await JsonFile.read(settingsPath(context));
    return ownHooks(file).map(({ command }) => ({
      ...{ path: file.path, what: `hook: ${command}`, isChange: false },
    }));
  },
};

/** Settings that are not shared by git, since they have paths of this computer. */
function settingsPath({ scope, cwd, home, env }: InstallContext): string {
  return scope === "user"
    ? join(env["COPILOT_HOME"] || join(home, ".copilot"), "hooks", "context-offload.json")
    : join(cwd, ".github", "copilot", "settings.local.json");
}

function ownHooks(file: JsonFile): { readonly at: number; readonly command: string }[] {
  const entries = file.get(EVENT);
  return (Array.isArray(entries) ? (entries as { readonly bash?: unknown }[]) : []).flatMap(
    ({ bash }, at) => (isOwnHook(bash) ? [{ at, command: String(bash) }] : []),
  );
}

/** From the end, so that indices stay right. */
function removeHooks(file: JsonFile): number {
  const own = ownHooks(file);
  for (const { at } of [...own].reverse()) file.remove([...EVENT, at]);
  return own.length;
}
