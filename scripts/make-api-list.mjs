// Makes the list of the public interface from the declarations: every export, every option, its
// default and its comment. Run as a program, it writes the page.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL, URL } from "node:url";
import prettier from "prettier";
import ts from "typescript";
import { describeExports } from "./describe-exports.mjs";

/**
 * @typedef {import("./describe-exports.mjs").Export} Export
 * @typedef {import("./describe-exports.mjs").Member} Member
 */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
export const API_PAGE = "docs/api.md";

/** @type {[Export["kind"], string][]} */
const SECTIONS = [
  ["function", "Functions"],
  ["object", "Objects"],
  ["class", "Classes"],
  ["type", "Types"],
];

const INTRODUCTION = `# API

Every export of the package with its members, options and defaults. This page is made from the
declarations by \`node scripts/make-api-list.mjs\`; do not edit it. The [other pages](README.md) explain
how the parts work together.
`;

/** @returns {Promise<string>} The page, formatted. */
export async function makeApiList() {
  const entries = await readInterface();
  const overview = entries.map(({ name }) => `- ${linkTo(name)}`);
  /** @type {Map<string, string>} */
  const seen = new Map();
  const parts = entries.flatMap(({ name, exports }) => {
    const body = SECTIONS.flatMap(([kind, title]) => renderSection(exports, kind, title, seen));
    for (const { id } of exports) if (!seen.has(id)) seen.set(id, name);
    return [`## ${name}`, ...body];
  });
  const page = [INTRODUCTION, overview.join("\n"), ...parts].join("\n\n");
  const style = await prettier.resolveConfig(join(ROOT, API_PAGE));
  return prettier.format(page, { ...style, parser: "markdown" });
}

/**
 * What each entry of the package exports.
 *
 * @returns {Promise<{ name: string, exports: Export[] }[]>}
 */
export async function readInterface() {
  const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const entries = Object.entries(manifest.exports).flatMap(([entry, { types }]) => {
    if (types === undefined) return [];
    const path = join(ROOT, types.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts"));
    return [{ name: entry.replace(".", manifest.name), path }];
  });
  const config = ts.readConfigFile(join(ROOT, "tsconfig.json"), (path) => ts.sys.readFile(path));
  const { options } = ts.convertCompilerOptionsFromJson(
    /** @type {{ compilerOptions: unknown }} */ (config.config).compilerOptions,
    ROOT,
  );
  const program = ts.createProgram(
    entries.map(({ path }) => path),
    options,
  );
  return entries.map(({ name, path }) => ({ name, exports: describeExports(program, path) }));
}

/**
 * @param {readonly Export[]} exports
 * @param {Export["kind"]} kind
 * @param {string} title
 * @param {ReadonlyMap<string, string>} seen The entry that has listed an export already.
 */
function renderSection(exports, kind, title, seen) {
  const chosen = exports.filter((one) => one.kind === kind);
  if (chosen.length === 0) return [];
  const sorted = [...chosen].sort((one, other) => (one.name < other.name ? -1 : 1));
  return [`### ${title}`, ...sorted.flatMap((one) => renderExport(one, seen.get(one.id)))];
}

/** @param {Export} exported @param {string | undefined} entry Where it is listed already. */
function renderExport({ name, kind, signature, text, members }, entry) {
  if (entry !== undefined) return [`#### ${name}`, `The same as in ${linkTo(entry)}.`];
  const code = kind === "type" && signature !== "" ? `type ${name} = ${signature}` : signature;
  return [
    `#### ${name}`,
    ...(text === "" ? [] : [escapeText(text)]),
    ...(code === "" ? [] : [`\`\`\`text\n${code}\n\`\`\``]),
    ...(members.length === 0 ? [] : [renderMembers(members, kind === "object" ? "value" : "type")]),
  ];
}

/** @param {readonly Member[]} members @param {string} second The title of the second column. */
function renderMembers(members, second) {
  const hasOptions = members.some(({ isOptional }) => isOptional);
  const head = hasOptions ? ["name", second, "default", ""] : ["name", second, ""];
  const rows = members.map(({ name, type, isOptional, fallback, text }) => {
    const value = fallback ?? (isOptional ? "none" : "required");
    const cells = [`\`${name}\``, `\`${type}\``, ...(hasOptions ? [value] : []), escapeText(text)];
    return cells.map((cell) => cell.replaceAll("|", "\\|"));
  });
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

/** @param {string} entry */
function linkTo(entry) {
  return `[${entry}](#${entry.replaceAll("/", "")})`;
}

/** Markup in a comment is meant as text; on the page it would disappear. */
function escapeText(/** @type {string} */ text) {
  return text.replace(/(?<!`)<(?![^`]*`)/g, "&lt;");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await writeFile(join(ROOT, API_PAGE), await makeApiList());
  console.log(`${API_PAGE} written`);
}
