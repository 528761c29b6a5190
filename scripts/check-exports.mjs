/** Checks the packed packages as users get them: publint, attw, and `exports` against what was built. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PACKAGES, packPackage } from "./packed-package.mjs";
import { runOrThrow } from "./run-command.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (/** @type {string} */ name) => join(root, "node_modules", ".bin", name);

await runOrThrow("npm", ["run", "--silent", "build"], { cwd: root });
const folder = await mkdtemp(join(tmpdir(), "context-offload-exports-"));
try {
  for (const directory of PACKAGES) {
    const { tarball, files } = await packPackage(folder, directory);
    const manifest = await readFile(join(root, directory, "package.json"), "utf8");
    const { name, exports } = JSON.parse(manifest);
    for (const [entry, targets] of Object.entries(exports)) {
      for (const target of Object.values(typeof targets === "string" ? { targets } : targets)) {
        if (files.includes(target.replace("./", ""))) continue;
        throw new Error(`${name} exports["${entry}"] as ${target}, which is not in what is packed`);
      }
    }
    process.stdout.write(await runOrThrow(bin("publint"), ["--strict", tarball]));
    // The command exports nothing that could have types.
    if (exports["."]) await runOrThrow(bin("attw"), ["--profile", "esm-only", tarball]);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log("exports: every entry is packed, and publint and attw have nothing to say");
