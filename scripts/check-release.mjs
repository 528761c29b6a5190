/** Fails while something that a published package needs is undecided. */
import { fileURLToPath } from "node:url";
import { findMissing, readRepository } from "./repository-address.mjs";

const problems = findMissing(await readRepository(fileURLToPath(new URL("..", import.meta.url))));
for (const problem of problems) console.error(problem);
console.log(
  problems.length === 0 ? "release: ready" : `release: ${problems.length} things to decide first`,
);
if (problems.length > 0) process.exitCode = 1;
