import type { InstallContext } from "./client.js";

/** Ours, wherever it was installed from and whoever moved it since. */
const OWN_COMMAND = /context-offload|[\\/]hook\.js"? .*--(?:tool-prefix|root)/;

/** The command line that starts the hook. */
export function hookCommand({ node, hook }: InstallContext, flags: readonly string[]): string {
  return [quoted(node), quoted(hook), ...flags].join(" ");
}

export function isOwnHook(command: unknown): boolean {
  return typeof command === "string" && OWN_COMMAND.test(command);
}

/** The flag for tools whose results are kept. */
export function excludeFlags(tools: readonly string[]): string[] {
  return tools.length === 0 ? [] : ["--exclude", quoted(tools.join(","))];
}

function quoted(path: string): string {
  return `"${path.replaceAll('"', '\\"')}"`;
}
