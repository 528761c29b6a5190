import { fileURLToPath } from "node:url";
import { clinePluginPath } from "../hook/cline-plugin.js";
import {
  type InstallContext,
  type SettingsEdit,
  foundHook,
  hookCommand,
  markFlags,
  quotedFlags,
} from "./client.js";
import { markedEntries, removeMarked } from "./command-hooks.js";
import { jsonSyntax as syntax } from "./json-syntax.js";

const PLUGINS = ["cline", "plugins"];
/** Files can be read again in parts, and are needed whole to edit them. */
const KEPT = ["read_files"];

/** The plugin of Cline's command line, in a folder of its own among those that Cline looks for plugins in. */
export function clinePlugin(context: InstallContext): SettingsEdit {
  return {
    ...{ path: clinePluginPath(context.env, context.home), syntax },
    add(settings) {
      const exclude = [...new Set([...KEPT, ...context.exclude])];
      settings.insert([...PLUGINS, -1], (made) => {
        // The answer for Codex is nothing but the text.
        const flags = ["--agent", "codex", "--root", ".offload"];
        const all = [...flags, ...quotedFlags({ ...context, exclude })];
        const command = hookCommand(context, all, markFlags(made));
        return { paths: [PLUGIN_FILE], command };
      });
      const what = `added a plugin that offloads very large tool results, except those of ${exclude.join(", ")}; Cline CLI 3.0.65 uses its answers, older versions may not`;
      return [{ what, isChange: true }];
    },
    remove: (settings) =>
      removeMarked(settings, PLUGINS, "command") ? ["removed the plugin"] : [],
    inspect: (settings) =>
      markedEntries(settings, PLUGINS, "command").flatMap(({ command, entry }) => {
        const programs = Array.isArray(entry["paths"]) ? entry["paths"].map(String) : [];
        return [{ what: `plugin: ${programs.join(", ")}`, programs }, foundHook(command)];
      }),
  };
}

const PLUGIN_FILE = fileURLToPath(new URL("../hook/cline-plugin.js", import.meta.url));
