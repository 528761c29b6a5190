import { createRequire } from "node:module";
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { runOrThrow } from "../scripts/run-command.mjs";

const folder = fileURLToPath(new URL("peers/", import.meta.url));

/** The path of ripgrep, which is installed on first use. */
export async function ripgrepPath() {
  const installed = await stat(`${folder}node_modules`).catch(() => undefined);
  if (!installed) await runOrThrow("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder });
  const { rgPath } = createRequire(`${folder}package.json`)("@vscode/ripgrep");
  return rgPath;
}
