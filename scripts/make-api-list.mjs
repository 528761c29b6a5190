// Makes the list of the public interface from the declarations: every export, every option, its
// default and its comment. Run as a program, it writes the page.

import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
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

const ENTRIES = [
  { name: "context-offload", path: "src/index.ts" },
  { name: "context-offload/policies", path: "src/policies.ts" },
  { name: "context-offload/testing", path: "src/testing/index.ts" },
];

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
  const config = ts.readConfigFile(join(ROOT, "tsconfig.json"), (path) => ts.sys.readFile(path));
  const { options } = ts.convertCompilerOptionsFromJson(
    /** @type {{ compilerOptions: unknown }} */ (config.config).compilerOptions,
    ROOT,
  );
  const entries = ENTRIES.map(({ name, path }) => ({ name, path: join(ROOT, path) }));
  const present = entries.filter(({ path }) => existsSync(path));
  const program = ts.createProgram(
    present.map(({ path }) => path),
    options,
  );
  const parts = present.flatMap(({ name, path }) => {
    const exports = describeExports(program, path);
    return [
      `## ${name}`,
      ...SECTIONS.flatMap(([kind, title]) => renderSection(exports, kind, title)),
    ];
  });
  const page = [INTRODUCTION, ...parts].join("\n\n");
  const style = await prettier.resolveConfig(join(ROOT, API_PAGE));
  return prettier.format(page, { ...style, parser: "markdown" });
}

/** @param {readonly Export[]} exports @param {Export["kind"]} kind @param {string} title */
function renderSection(exports, kind, title) {
  const chosen = exports.filter((one) => one.kind === kind);
  if (chosen.length === 0) return [];
  const sorted = [...chosen].sort((one, other) => (one.name < other.name ? -1 : 1));
  return [`### ${title}`, ...sorted.flatMap(renderExport)];
}

/** @param {Export} exported */
function renderExport({ name, kind, signature, text, members }) {
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

/** Markup in a comment is meant as text; on the page it would disappear. */
function escapeText(/** @type {string} */ text) {
  return text.replace(/(?<!`)<(?![^`]*`)/g, "&lt;");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await writeFile(join(ROOT, API_PAGE), await makeApiList());
  console.log(`${API_PAGE} written`);
}
