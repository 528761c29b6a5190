/**
 * What the reports of the test runner say:
 *
 *   node scripts/test-report.mjs totals    the last line of a run: `tests: N passed, N failed`
 *   node scripts/test-report.mjs slowest   the ten files that took longest
 *   node scripts/test-report.mjs proofs    fails for a requirement without a test that ran and passed
 */
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @typedef {object} TestFile The part of Vitest's JSON report that is used.
 * @property {string} name
 * @property {string} status
 * @property {number} startTime
 * @property {number} endTime
 * @property {readonly TestOutcome[]} assertionResults
 *
 * @typedef {{ status: string, title: string, ancestorTitles: readonly string[] }} TestOutcome
 *
 * @typedef {{ path: string, text: string }} Page A page of the manifest, and where it is.
 * @typedef {Readonly<Record<string, readonly string[]>>} Proofs The tests that prove a requirement, by its id.
 */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const REPORTS = join(ROOT, "reports");
const MANIFEST = "docs/requirements";
const ID = /^(?:\d{3}|DESIGN)(?:-[A-Za-z0-9]+)+$/;
/** What Vitest fills in for each case: `%s`, `$name`, and `…` for what a template inserts. */
const FILLED_IN = /%[a-zA-Z#%]|\$[\w.]+|…/;

/** @param {readonly TestFile[]} files */
export function countTests(files) {
  const outcomes = files.flatMap(({ assertionResults }) => assertionResults);
  const count = (/** @type {string} */ status) =>
    outcomes.filter((outcome) => outcome.status === status).length;
  // A file that could not be loaded has no tests; it counts as one failed test.
  const broken = files.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  return `tests: ${count("passed")} passed, ${count("failed") + broken.length} failed`;
}

/** @param {readonly TestFile[]} files */
export function listSlowest(files) {
  const lines = files
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, 10)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${pathOf(name)}`);
  return ["The ten slowest test files:", ...lines].join("\n");
}

/**
 * Every disagreement between the manifest, the list of proofs and what was run, one sentence each.
 *
 * @param {readonly Page[]} pages
 * @param {Proofs} proofs
 * @param {readonly TestFile[]} files
 */
export function findGaps(pages, proofs, files) {
  const requirements = pages.flatMap(requirementsOf);
  const defined = new Map(requirements.map(({ id, path }) => [id, path]));
  const ran = new Map(files.map(({ name, assertionResults }) => [pathOf(name), assertionResults]));
  const twice = requirements
    .filter(({ id }, at) => requirements.findIndex((one) => one.id === id) < at)
    .map(({ id, path }) => `${id} of ${path} is defined a second time`);
  const unknown = Object.keys(proofs)
    .filter((id) => !defined.has(id))
    .map((id) => `${id} is proven, but not defined anywhere`);
  const unproven = [...defined].flatMap(([id, path]) => {
    const cited = (proofs[id] ?? []).map((citation) => ({
      citation,
      outcomes: outcomesOf(citation, ran),
    }));
    const missing = cited.filter(({ outcomes }) => outcomes.length === 0);
    if (missing.length > 0)
      return missing.map(({ citation }) => `${id} cites a test that does not exist: ${citation}`);
    const passed = cited
      .flatMap(({ outcomes }) => outcomes)
      .some(({ status }) => status === "passed");
    return passed ? [] : [`${id} of ${path} has no test that ran and passed`];
  });
  return [...twice, ...unknown, ...unproven];
}

/**
 * The first cells of the rows of a page's tables.
 *
 * @param {Page} page
 */
function requirementsOf({ path, text }) {
  return text
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|")[1]?.trim() ?? "")
    .filter((cell) => cell !== "id" && !/^:?-+:?$/.test(cell))
    .map((id) => {
      if (!ID.test(id)) throw new Error(`${path}: "${id}" is not the id of a requirement`);
      return { id, path };
    });
}

/**
 * A citation names a file and a title, of a test or of a group around it.
 *
 * @param {string} citation
 * @param {ReadonlyMap<string, readonly TestOutcome[]>} ran
 */
function outcomesOf(citation, ran) {
  const [path = "", ...titles] = citation.split(" › ");
  const pieces = titles.join(" › ").split(FILLED_IN);
  const literal = pieces.map((piece) => piece.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const title = new RegExp(`^${literal.join("[^]*")}$`);
  return (ran.get(path) ?? []).filter((outcome) =>
    [...outcome.ancestorTitles, outcome.title].some((one) => title.test(one)),
  );
}

/** @param {string} name */
function pathOf(name) {
  return relative(ROOT, name).replaceAll("\\", "/");
}

/** @returns {Promise<TestFile[]>} */
export async function readReports() {
  const names = (await readdir(REPORTS)).filter((name) => name.endsWith(".json"));
  const texts = await Promise.all(names.map((name) => readFile(join(REPORTS, name), "utf8")));
  return texts.flatMap((text) => JSON.parse(text).testResults);
}

/** @returns {Promise<Page[]>} */
async function readManifest() {
  const names = await readdir(join(ROOT, MANIFEST));
  const pages = names.filter((name) => name.endsWith(".md") && name !== "README.md");
  return Promise.all(
    pages.map(async (name) => {
      const path = `${MANIFEST}/${name}`;
      return { path, text: await readFile(join(ROOT, path), "utf8") };
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [what] = process.argv.slice(2);
  const testResults = await readReports().catch((error) => {
    console.error(`There is no report of the test runner: ${String(error)}`);
    process.exitCode = 1;
    return [{ name: "", status: "failed", startTime: 0, endTime: 0, assertionResults: [] }];
  });
  if (what === "totals") console.log(countTests(testResults));
  else if (what === "slowest") console.log(listSlowest(testResults));
  else {
    const pages = await readManifest();
    const proofs = JSON.parse(await readFile(join(ROOT, "tests/proofs.json"), "utf8"));
    const gaps = findGaps(pages, proofs, testResults);
    for (const gap of gaps) console.error(gap);
    console.log(`requirements: ${Object.keys(proofs).length}, ${gaps.length} gaps`);
    if (gaps.length > 0) process.exitCode = 1;
  }
}
