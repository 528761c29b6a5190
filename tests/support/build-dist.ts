import { fileURLToPath } from "node:url";
import { runOrThrow } from "../../scripts/run-command.mjs";

/** Several projects of one run ask for the build, each with a copy of this module. */
const shared = globalThis as { contextOffloadBuild?: Promise<string> };

/** Child processes and the packed package run what is built; tests must not meet an old build. */
export default async function buildDist(): Promise<void> {
  // A run that another run started must not build beneath it.
  if (process.env["CONTEXT_OFFLOAD_IS_BUILT"] === "true") return;
  shared.contextOffloadBuild ??= runOrThrow("npm", ["run", "--silent", "build"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
  });
  await shared.contextOffloadBuild;
}
