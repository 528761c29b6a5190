import { access } from "node:fs/promises";
import { join } from "node:path";

/** The environment variable that switches offloading off, by the values `off`, `0`, `false` and `no`. */
export const OFF_VARIABLE = "CONTEXT_OFFLOAD";
/** The file in the root of a workspace that switches offloading off while it exists. */
export const OFF_FILE = "off";

/**
 * Whether offloading is switched off, for everything or for the workspace in this folder. Looked up
 * at each call, so that the switch works at once; this file imports nothing that is slow to load.
 */
export async function isSwitchedOff(
  root: string | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<boolean> {
  if (/^(?:off|0|false|no)$/i.test(env[OFF_VARIABLE]?.trim() ?? "")) return true;
  if (root === undefined) return false;
  return access(join(root, OFF_FILE)).then(
    () => true,
    () => false,
  );
}
