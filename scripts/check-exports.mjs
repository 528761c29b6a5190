/** The packed package as its users meet it: publint, attw, and `exports` against what was built. */
import { readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runOrThrow } from "./run-command.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (/** @type {string} */ name) => join(root, "node_modules", ".bin", name);

await runOrThrow("npm", ["run", "--silent", "build"], { cwd: root });

const { exports } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
for (const [entry, targets] of Object.entries(exports)) {
  for (const target of Object.values(typeof targets === "string" ? { targets } : targets)) {
    await stat(join(root, target)).catch(() => {
      throw new Error(`exports["${entry}"] names ${target}, which the build did not make`);
    });
  }
}

const [{ filename }] = JSON.parse(
  await runOrThrow("npm", ["pack", "--json", "--pack-destination", tmpdir()], { cwd: root }),
);
const tarball = join(tmpdir(), filename);
try {
  process.stdout.write(await runOrThrow(bin("publint"), ["--strict", tarball]));
  await runOrThrow(bin("attw"), ["--profile", "esm-only", tarball]);
} finally {
  await rm(tarball, { force: true });
}
console.log("exports: every entry is built, and publint and attw have nothing to say");
