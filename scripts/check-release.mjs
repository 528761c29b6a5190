/**
 * Refuses a release while something that users need is undecided: where the repository is, and where to report a
 * vulnerability. Both are plain fields of package.json. It is also the script `prepublishOnly` of each package.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PACKAGES } from "./packed-package.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const problems = [];
for (const directory of PACKAGES) {
  const path = join(directory, "package.json");
  const { repository, bugs } = JSON.parse(await readFile(join(root, path), "utf8"));
  const url = "git+https://<host>/<owner>/<name>.git";
  if (!/^git\+https:\/\/\S+\.git$/.test(repository?.url ?? "")) {
    problems.push(`${path}: repository.url is missing. Write the address, such as ${url}.`);
  } else if ((repository.directory ?? "") !== directory) {
    problems.push(`${path}: repository.directory must be ${JSON.stringify(directory)}.`);
  }
  if (directory === "" && !/^\S+@\S+$/.test(bugs?.email ?? "")) {
    problems.push(`${path}: bugs.email is missing. Write where to report a vulnerability.`);
  }
}
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? "release: ready" : `release: ${problems.length} to decide`);
if (problems.length > 0) process.exitCode = 1;
