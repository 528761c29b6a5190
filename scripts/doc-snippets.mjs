// Finds what can be checked in a Markdown page: code blocks, which it type-checks, links and headings.

import { join, resolve } from "node:path";
import { fileURLToPath, URL } from "node:url";
import ts from "typescript";

/**
 * @typedef {object} Snippet
 * @property {string} path The page.
 * @property {number} line The line of the page on which the code begins, from 1.
 * @property {string} setup Code from a comment before the block that a reader need not see.
 * @property {string} code
 * @property {boolean} runs False for a block that is only type-checked.
 *
 * @typedef {{ path: string, line: number, target: string }} Link
 */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FENCE = /^(?<mark>`{3,}|~{3,})(?<info>[^`]*)$/;
const SETUP = /<!-- doc-setup:(?<setup>[^]*?)-->\s*$/;

/**
 * The `ts` blocks of a page. A block marked `ts no-run` is not executed. A comment
 * `<!-- doc-setup: … -->` right before a block holds code that goes in front of it.
 *
 * @param {string} path
 * @param {string} text
 * @returns {Snippet[]}
 */
export function extractSnippets(path, text) {
  /** @type {Snippet[]} */
  const snippets = [];
  for (const { info, code, line, before } of splitFences(text).blocks) {
    const [language, ...flags] = info.trim().split(/\s+/);
    if (language !== "ts") continue;
    const setup = SETUP.exec(before)?.groups?.["setup"]?.trim() ?? "";
    snippets.push({ path, line, setup, code, runs: !flags.includes("no-run") });
  }
  return snippets;
}

/** @param {Snippet} snippet The code as one module. */
export function toModule({ setup, code }) {
  return setup === "" ? code : `${setup}\n${code}`;
}

/** What comes before the target of a link or an image, and the target. */
const TARGETS = [
  /(\]\(\s*<?)([^\s)>]+)/g,
  /(\b(?:src|srcset|href)=")([^"]+)/g,
  /(^\s*\[[^\]]+\]:\s+)(\S+)/g,
];

/**
 * The targets of links and images outside of code.
 *
 * @param {string} path
 * @param {string} text
 * @returns {Link[]}
 */
export function extractLinks(path, text) {
  return splitFences(text).lines.flatMap(({ text, line }) => {
    const prose = text.replace(/`[^`]*`/g, "");
    const targets = TARGETS.flatMap((pattern) => [...prose.matchAll(pattern)]);
    return targets.map(([, , target = ""]) => ({ path, line, target }));
  });
}

/**
 * The anchors of a page: those of its headings, as GitHub makes them, and those that it names itself.
 *
 * @param {string} text
 * @returns {Set<string>}
 */
export function extractAnchors(text) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  const anchors = splitFences(text).lines.flatMap(({ text }) => {
    const heading = /^#{1,6}\s+(.+?)\s*#*$/.exec(text)?.[1];
    if (heading === undefined) return [];
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
      .replaceAll(" ", "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return [count === 0 ? slug : `${slug}-${count}`];
  });
  return new Set([...anchors, ...[...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = ""]) => id)]);
}

/**
 * A page's fenced blocks, and its lines outside of them.
 *
 * @param {string} text
 */
function splitFences(text) {
  /** @type {{ info: string, code: string, line: number, before: string }[]} */
  const blocks = [];
  /** @type {{ text: string, line: number }[]} */
  const lines = [];
  /** @type {{ mark: string, info: string, line: number, code: string[] } | undefined} */
  let open;
  let before = "";
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (open) {
      if (line.startsWith(open.mark) && line.trim() === open.mark) {
        blocks.push({ info: open.info, code: open.code.join("\n"), line: open.line, before });
        before = "";
        open = undefined;
      } else open.code.push(line);
      continue;
    }
    const fence = FENCE.exec(line)?.groups;
    if (fence) {
      open = { mark: fence["mark"] ?? "", info: fence["info"] ?? "", line: index + 2, code: [] };
    } else {
      before += `${line}\n`;
      lines.push({ text: line, line: index + 1 });
    }
  }
  return { blocks, lines };
}

/**
 * All blocks in one program, each as its own module of the folder, which exists only in memory.
 *
 * @param {readonly Snippet[]} snippets
 * @param {string} folder
 * @returns {string[]}
 */
export function findTypeErrors(snippets, folder) {
  const config = ts.readConfigFile(join(ROOT, "tsconfig.json"), (path) => ts.sys.readFile(path));
  const { options } = ts.convertCompilerOptionsFromJson(
    /** @type {{ compilerOptions: unknown }} */ (config.config).compilerOptions,
    ROOT,
  );
  // The package's entries, from their source, since there may be no build yet; absolute, since the
  // blocks may be in another folder.
  const { paths = {} } = /** @type {{ paths?: Record<string, string[]> }} */ (options);
  options.paths = Object.fromEntries(
    Object.entries(paths).map(([name, targets]) => [name, targets.map((path) => join(ROOT, path))]),
  );
  const modules = new Map(
    snippets.map((snippet, index) => [join(folder, `doc-snippet-${index}.ts`), snippet]),
  );
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => modules.has(resolve(path)) || fileExists(path);
  host.readFile = (path) => {
    const snippet = modules.get(resolve(path));
    return snippet ? toModule(snippet) : readFile(path);
  };
  const program = ts.createProgram([...modules.keys()], options, host);
  return [...modules].flatMap(([path, snippet]) => {
    const file = program.getSourceFile(path);
    const diagnostics = [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ];
    return diagnostics.map((diagnostic) => {
      const setupLines = toModule(snippet).split("\n").length - snippet.code.split("\n").length;
      const at = file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? 0;
      const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, " ");
      return `${snippet.path}:${snippet.line + at - setupLines}: ${message}`;
    });
  });
}
