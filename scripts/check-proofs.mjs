/** Fails for every requirement without a test that ran and passed: `node scripts/check-proofs.mjs <report>`. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findGaps, readProofs, readRequirements } from "./requirements.mjs";

const [file = "reports/vitest.json"] = process.argv.slice(2);
const folder = fileURLToPath(new URL("../docs/requirements", import.meta.url));
const pages = (await readdir(folder)).filter(
  (name) => name.endsWith(".md") && name !== "README.md",
);
const requirements = readRequirements(
  await Promise.all(
    pages.map(async (name) => ({
      path: `docs/requirements/${name}`,
      text: await readFile(join(folder, name), "utf8"),
    })),
  ),
);
const proofs = readProofs(JSON.parse(await readFile(file, "utf8")));
const gaps = findGaps(requirements, proofs, "has no test that ran and passed");
for (const gap of gaps) console.error(gap);
console.log(`requirements: ${requirements.length}, ${gaps.length} of them unproven`);
if (gaps.length > 0) process.exitCode = 1;
