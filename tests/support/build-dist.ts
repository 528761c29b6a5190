import { fileURLToPath } from "node:url";
import { runOrThrow } from "../../scripts/run-command.mjs";

/** Child processes and the packed package run what is built; tests must not meet an old build. */
export default async function buildDist(): Promise<void> {
  await runOrThrow("npm", ["run", "--silent", "build"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
  });
}
