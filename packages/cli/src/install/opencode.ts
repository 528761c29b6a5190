import { CommandError } from "../command-error.js";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Client, InstallContext } from "./client.js";
import { jsonSyntax as syntax } from "./json-syntax.js";
import type { Settings, SettingsPath } from "./settings.js";

/** Our plugin, whoever added it. */
const PLUGIN = /^context-offload\/opencode$|[\\/]integrations[\\/]opencode[\\/]index\.js$/;

/** OpenCode: a plugin, which reaches every tool. */
export const opencode: Client = {
  name: "opencode",
  title: "OpenCode",
  edits: (context) => [
    {
      ...{ path: configPath(context), syntax },
      add(settings) {
        if (findPlugins(settings).length > 0) {
          return [{ what: "has the plugin already", isChange: false }];
        }
        const { exclude, minTokens } = context;
        if (minTokens !== undefined) {
          throw new CommandError("install opencode: its plugin has no --min-tokens; leave it out");
        }
        const plugin = pathToFileURL(context.opencodePlugin()).href;
        let mark = 0;
        settings.insert(["plugin", -1], (made) => {
          mark = made;
          return exclude.length === 0 ? plugin : [plugin, { excludeTools: exclude }];
        });
        const [added] = findPlugins(settings);
        if (added) settings.replace(added.path, markedText(plugin, mark), plugin);
        return [{ what: "added the plugin, which offloads large tool results", isChange: true }];
      },
      remove(settings) {
        const own = findPlugins(settings).filter(({ made }) => made !== undefined);
        // From the end, so that indices stay right.
        for (const { path, made } of own.reverse()) settings.remove(path.slice(0, 2), made);
        return own.length === 0 ? [] : ["removed the plugin"];
      },
      inspect: (settings) =>
        findPlugins(settings).map(({ plugin }) => ({
          what: `plugin: ${plugin}`,
          programs: plugin.startsWith("file:") ? [fileURLToPath(plugin)] : [],
        })),
    },
  ],
};

/** The file may have comments, and then another name. */
function configPath({ scope, cwd, home, env }: InstallContext): string {
  const config = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const folder = scope === "user" ? join(config, "opencode") : cwd;
  const commented = join(folder, "opencode.jsonc");
  return existsSync(commented) ? commented : join(folder, "opencode.json");
}

interface Plugin {
  readonly path: SettingsPath;
  readonly plugin: string;
  /** For a plugin that `install` added: how many containers were made for it. */
  readonly made: number | undefined;
}

function findPlugins(settings: Settings): Plugin[] {
  const plugins = settings.get(["plugin"]);
  return (Array.isArray(plugins) ? (plugins as unknown[]) : []).flatMap((entry, at) => {
    // A plugin with options is a list of both.
    const path = Array.isArray(entry) ? ["plugin", at, 0] : ["plugin", at];
    const plugin = Array.isArray(entry) ? (entry[0] as unknown) : entry;
    if (typeof plugin !== "string" || !PLUGIN.test(plugin)) return [];
    return [{ path, plugin, made: readSpelling(plugin, settings.textOf(path) ?? "") }];
  });
}

/**
 * The address of a plugin has no room for a mark: OpenCode passes it to `import`, and takes no other keys. So the mark
 * is in the spelling, `\/` for as many of the first slashes as there were containers made, and one more.
 */
function markedText(plugin: string, made: number): string {
  let left = made + 1;
  return JSON.stringify(plugin).replaceAll("/", (slash) => (left-- > 0 ? "\\/" : slash));
}

function readSpelling(plugin: string, text: string): number | undefined {
  return [0, 1, 2, 3].find((made) => markedText(plugin, made) === text);
}
