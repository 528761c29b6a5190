// Type-checks code blocks of the documentation with the packages that are installed in a folder.

import { join, resolve } from "node:path";
import { fileURLToPath, URL } from "node:url";
import ts from "typescript";
import { toModule } from "./doc-snippets.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * All blocks in one program, each as its own module of the folder, which exists only in memory.
 *
 * @param {readonly import("./doc-snippets.mjs").Snippet[]} snippets
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
