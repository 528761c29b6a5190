import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Client, InstallContext } from "./client.js";
import { JsonFile } from "./edit-json.js";

const OWN = /context-offload.*opencode|[\\/]integrations[\\/]opencode[\\/]index\.js$/;

/** OpenCode: a plugin, which reaches every tool. */
export const opencode: Client = {
  name: "opencode",
  title: "OpenCode",

  async install(context) {
    const file = await openConfig(context);
    const { path } = file;
    if (pluginsOf(file).some((plugin) => OWN.test(plugin))) {
      return [{ path, what: "has the plugin already", isChange: false }];
    }
    const { exclude } = context;
    const plugin = pathToFileURL(context.opencodePlugin()).href;
    const value = exclude.length === 0 ? plugin : [plugin, { excludeTools: exclude }];
    file.insert(["plugin", -1], value);
    await file.save();
    const what = "added the plugin, which offloads large tool results";
    return [{ path, what, isChange: true }];
  },

  async uninstall(context) {
    const file = await openConfig(context);
    const at = pluginsOf(file).findIndex((plugin) => OWN.test(plugin));
    if (at === -1) return [];
    file.remove(["plugin", at]);
    await file.save();
    return [{ path: file.path, what: "removed the plugin", isChange: true }];
  },

  async inspect(context) {
    const file = await openConfig(context);
    return pluginsOf(file)
      .filter((plugin) => OWN.test(plugin))
      .map((plugin) => ({ path: file.path, what: `plugin: ${plugin}`, isChange: false }));
  },
};

/** The file may have comments, and then another name. */
async function openConfig({ scope, cwd, home, env }: InstallContext): Promise<JsonFile> {
  const config = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const folder = scope === "user" ? join(config, "opencode") : cwd;
  const commented = await JsonFile.read(join(folder, "opencode.jsonc"));
  return commented.exists ? commented : JsonFile.read(join(folder, "opencode.json"));
}

function pluginsOf(file: JsonFile): string[] {
  const plugins = file.get(["plugin"]);
  // A plugin with options is an array of both.
  return Array.isArray(plugins) ? plugins.map((plugin: unknown) => String([plugin].flat()[0])) : [];
}
