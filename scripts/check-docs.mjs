// Type-checks the code in the documentation, and checks its links, the defaults that it quotes, its
// figures and the pages of the public interface.

import { existsSync } from "node:fs";
import { access, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath, URL } from "node:url";
import ts from "typescript";
import {
  growthTables,
  listingTable,
  renderFigures,
  serverTable,
  storesTable,
} from "../bench/harness.mjs";
import { extractAnchors, extractLinks, extractSnippets, findTypeErrors } from "./doc-snippets.mjs";
import { runOrThrow } from "./run-command.mjs";

/** @typedef {{ path: string, text: string }} Page */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ROOT_PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "CODE_OF_CONDUCT.md",
  "packages/cli/README.md",
  "packages/mcp/README.md",
  "packages/replay/README.md",
];

/** How the pages quote a default: `DEFAULTS.name`, optionally followed by its value in brackets or in the next cell. */
const QUOTED_DEFAULT = /`DEFAULTS\.(\w+)`(?:\s*[|(]\s*`?([\d.,]+)`?\s*[|)])?/g;

const pages = await readPages();
const snippets = pages
  .filter(({ path }) => !isCheckedElsewhere(path))
  .flatMap(({ path, text }) => extractSnippets(path, text));
const problems = [
  ...findTypeErrors(snippets, ROOT),
  ...(await findDeadLinks(pages)),
  ...(await findWrongDefaults(pages)),
  ...(await findOldFigures(pages)),
  ...(await findOldApiPages(pages)),
];
for (const problem of problems) console.error(problem);
console.log(
  `docs: ${pages.length} pages, ${snippets.length} code blocks, ${problems.length} problems`,
);
if (problems.length > 0) process.exitCode = 1;

/**
 * The frameworks of the pages on integrations are not installed with this repository; see check-page.mjs.
 *
 * @param {string} path
 */
function isCheckedElsewhere(path) {
  // Examples in comments are pieces of programs.
  if (path.startsWith("docs/api/")) return true;
  if (dirname(path) !== "docs/integrations") return false;
  return existsSync(join(ROOT, "integrations", basename(path, ".md"), "package.json"));
}

/** @returns {Promise<Page[]>} */
async function readPages() {
  const docs = (await listPages(join(ROOT, "docs"))).map((path) => `docs/${path}`);
  const paths = [...ROOT_PAGES, ...docs];
  return Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(ROOT, path), "utf8") })),
  );
}

/** @param {string} folder */
async function listPages(folder) {
  const entries = await readdir(folder, { recursive: true });
  const pages = entries.filter((entry) => entry.endsWith(".md"));
  return pages.map((path) => path.replaceAll("\\", "/")).sort();
}

/**
 * @param {readonly Page[]} pages
 * @returns {Promise<string[]>}
 */
async function findDeadLinks(pages) {
  const anchors = new Map(pages.map(({ path, text }) => [path, extractAnchors(text)]));
  const links = pages.flatMap(({ path, text }) => extractLinks(path, text));
  const findings = await Promise.all(
    links.map(async ({ path, line, target }) => {
      if (/^[a-z][a-z+.-]*:/i.test(target)) return [];
      const [file = "", anchor] = target.split("#");
      const goal = file === "" ? join(ROOT, path) : join(ROOT, dirname(path), file);
      const there = await access(goal).then(
        () => true,
        () => false,
      );
      if (!there) return [`${path}:${line}: the target of the link ${target} does not exist`];
      const known = anchors.get(relative(ROOT, goal).replaceAll("\\", "/"));
      if (anchor === undefined || known?.has(anchor)) return [];
      return [`${path}:${line}: the heading in the link ${target} does not exist`];
    }),
  );
  return findings.flat();
}

/**
 * @param {readonly Page[]} pages
 * @returns {Promise<string[]>}
 */
async function findWrongDefaults(pages) {
  const source = await readFile(join(ROOT, "src/core/defaults.ts"), "utf8");
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ES2022, target: ts.ScriptTarget.ES2022 },
  });
  const module = /** @type {{ DEFAULTS: Record<string, number> }} */ (
    await import(`data:text/javascript,${encodeURIComponent(outputText)}`)
  );
  return pages.flatMap(({ path, text }) =>
    [...text.matchAll(QUOTED_DEFAULT)].flatMap(([, name = "", quoted]) => {
      const value = module.DEFAULTS[name];
      if (value === undefined) return [`${path}: there is no DEFAULTS.${name}`];
      if (quoted === undefined || Number(quoted.replaceAll(",", "")) === value) return [];
      return [`${path}: DEFAULTS.${name} is ${value}, not ${quoted}`];
    }),
  );
}

/**
 * The figures on the pages are exactly those of the last recorded runs.
 *
 * @param {readonly Page[]} pages
 */
async function findOldFigures(pages) {
  const readJson = async (/** @type {string} */ path) =>
    JSON.parse(await readFile(join(ROOT, path), "utf8"));
  const { results, listings } = await readJson("bench/stores.json");
  const growth = await readJson("bench/stores-growth.json");
  const quoted = [
    [
      "docs/performance.md",
      "bench/results.json",
      renderFigures(await readJson("bench/results.json")),
    ],
    ["docs/stores.md", "bench/stores.json", storesTable(results)],
    ["docs/stores.md", "bench/stores.json", listingTable(listings)],
    ["docs/stores.md", "bench/stores-growth.json", growthTables(growth.figures)],
    [
      "docs/server.md",
      "bench/server.json",
      serverTable((await readJson("bench/server.json")).results),
    ],
  ];
  return quoted.flatMap(([path, source, figures]) => {
    const page = pages.find((each) => each.path === path);
    const isSame = withoutAlignment(page?.text).includes(withoutAlignment(figures));
    return isSame ? [] : [`${path}: figures differ from ${source}`];
  });
}

/**
 * The pages of the public interface are those that typedoc makes of the comments.
 *
 * @param {readonly Page[]} pages
 */
async function findOldApiPages(pages) {
  const folder = await mkdtemp(join(tmpdir(), "context-offload-api-"));
  try {
    const typedoc = join(ROOT, "node_modules", "typedoc", "bin", "typedoc");
    await runOrThrow(process.execPath, [typedoc, "--out", folder], { cwd: ROOT });
    const made = await Promise.all(
      (await listPages(folder)).map(async (path) => ({
        path: `docs/api/${path}`,
        text: await readFile(join(folder, path), "utf8"),
      })),
    );
    const kept = pages.filter(({ path }) => path.startsWith("docs/api/"));
    const textOf = (/** @type {readonly Page[]} */ from) =>
      new Map(from.map(({ path, text }) => [path, text]));
    const [madeText, keptText] = [textOf(made), textOf(kept)];
    return [...new Set([...madeText.keys(), ...keptText.keys()])]
      .filter((path) => madeText.get(path) !== keptText.get(path))
      .map((path) => `${path}: differs from the comments in src; run npm run docs:api`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A formatter may align the cells of a table; only their text is compared. */
function withoutAlignment(text = "") {
  return text.replace(/ +/g, " ").replace(/-{3,}/g, "---");
}
