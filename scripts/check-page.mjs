// Type-checks the code on a drop-in's page with the framework that is installed in its folder of
// integrations/, so that what is made for copying compiles.
//
//   node scripts/check-page.mjs <name>

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, URL } from "node:url";
import { extractSnippets, findTypeErrors } from "./doc-snippets.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const [name = ""] = process.argv.slice(2);
const page = `docs/integrations/${name}.md`;
// The previous version of a framework has no page of its own.
if (existsSync(join(ROOT, page))) {
  const text = readFileSync(join(ROOT, page), "utf8");
  const snippets = extractSnippets(page, text);
  const problems = findTypeErrors(snippets, join(ROOT, "integrations", name));
  for (const problem of problems) console.error(problem);
  console.log(`${page}: ${snippets.length} code blocks, ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}
