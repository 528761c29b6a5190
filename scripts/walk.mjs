/**
 * Prints what one offload touches: the files and named functions that are called between
 * `offloader.offload(…)` and its end, in which order the folders of `src/` are entered, and how deep
 * the stack gets. For people who want to see whether the path of a result can be followed.
 *
 * `node scripts/walk.mjs [--list] [--stack] [root]` also lists the functions in order of their first
 * call, or the deepest stack; `root` is another checkout of this repository.
 */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import ts from "typescript";

const { values: flags, positionals } = parseArgs({
  options: { list: { type: "boolean" }, stack: { type: "boolean" } },
  allowPositionals: true,
});
const root = resolve(positionals[0] ?? fileURLToPath(new URL("..", import.meta.url)));
const made = await mkdtemp(join(tmpdir(), "context-offload-walk-"));
try {
  await compile(join(root, "src"), join(made, "src"));
  const walk = await record(made);
  await print(walk);
} finally {
  await rm(made, { recursive: true, force: true });
}

/**
 * Every source file as plain JavaScript that notes each call of a named function.
 *
 * @param {string} from
 * @param {string} to
 */
async function compile(from, to) {
  await mkdir(to, { recursive: true });
  await writeFile(join(made, "package.json"), '{ "type": "module" }');
  for (const path of await readdir(from, { recursive: true })) {
    const target = join(to, path);
    if (!path.endsWith(".ts")) {
      if (path.endsWith(".js")) await cp(join(from, path), target);
      continue;
    }
    const { outputText } = ts.transpileModule(await readFile(join(from, path), "utf8"), {
      fileName: path,
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
      transformers: { before: [noteCalls(path.replaceAll("\\", "/"))] },
    });
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target.replace(/\.ts$/, ".js"), outputText);
  }
}

/**
 * @param {string} path
 * @returns {ts.TransformerFactory<ts.SourceFile>}
 */
function noteCalls(path) {
  return (context) => (file) => {
    const { factory } = context;
    /** @param {string} name */
    const note = (name) =>
      factory.createCallExpression(factory.createIdentifier("globalThis.noteCall"), undefined, [
        factory.createStringLiteral(path),
        factory.createStringLiteral(name),
      ]);
    /** @type {(node: ts.Node) => ts.Node} */
    const visit = (node) => {
      const name = nameOf(node, file);
      const visited = ts.visitEachChild(node, visit, context);
      if (name === undefined || !("body" in visited) || !visited.body) return visited;
      if (ts.isArrowFunction(visited) && !ts.isBlock(visited.body)) {
        const body = factory.createParenthesizedExpression(
          factory.createComma(note(name), visited.body),
        );
        return withBody(factory, visited, body);
      }
      const block = /** @type {ts.Block} */ (visited.body);
      const statement = factory.createExpressionStatement(note(name));
      const hasSuper = ts.isConstructorDeclaration(node) && /\bsuper\(/.test(node.getText(file));
      const body = factory.updateBlock(
        block,
        hasSuper ? [...block.statements, statement] : [statement, ...block.statements],
      );
      return withBody(factory, /** @type {ts.FunctionLikeDeclaration} */ (visited), body);
    };
    return ts.visitEachChild(file, visit, context);
  };
}

/**
 * @param {ts.NodeFactory} factory
 * @param {ts.FunctionLikeDeclaration} node
 * @param {ts.ConciseBody} body
 * @returns {ts.Node}
 */
function withBody(factory, node, body) {
  const { typeParameters, parameters, type } = node;
  const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
  if (ts.isArrowFunction(node)) {
    const arrow = node.equalsGreaterThanToken;
    return factory.updateArrowFunction(
      node,
      modifiers,
      typeParameters,
      parameters,
      type,
      arrow,
      body,
    );
  }
  const block = /** @type {ts.Block} */ (body);
  if (ts.isFunctionDeclaration(node)) {
    const { asteriskToken, name } = node;
    return factory.updateFunctionDeclaration(
      node,
      modifiers,
      asteriskToken,
      name,
      typeParameters,
      parameters,
      type,
      block,
    );
  }
  if (ts.isFunctionExpression(node)) {
    const { asteriskToken, name } = node;
    return factory.updateFunctionExpression(
      node,
      modifiers,
      asteriskToken,
      name,
      typeParameters,
      parameters,
      type,
      block,
    );
  }
  if (ts.isMethodDeclaration(node)) {
    const { asteriskToken, name, questionToken } = node;
    return factory.updateMethodDeclaration(
      node,
      modifiers,
      asteriskToken,
      name,
      questionToken,
      typeParameters,
      parameters,
      type,
      block,
    );
  }
  if (ts.isConstructorDeclaration(node)) {
    return factory.updateConstructorDeclaration(node, modifiers, parameters, block);
  }
  if (ts.isGetAccessorDeclaration(node)) {
    return factory.updateGetAccessorDeclaration(
      node,
      modifiers,
      node.name,
      parameters,
      type,
      block,
    );
  }
  if (ts.isSetAccessorDeclaration(node)) {
    return factory.updateSetAccessorDeclaration(node, modifiers, node.name, parameters, block);
  }
  return node;
}

/**
 * The name of a function, its class before it; `undefined` for one without a name, such as an
 * argument of a call.
 *
 * @param {ts.Node} node
 * @param {ts.SourceFile} file
 */
function nameOf(node, file) {
  const { parent } = node;
  if (ts.isConstructorDeclaration(node)) return `new ${node.parent.name?.text ?? "class"}`;
  if (ts.isFunctionDeclaration(node)) return node.name?.text ?? "default";
  if (ts.isMethodDeclaration(node) || ts.isAccessor(node)) {
    const owner = ts.isClassLike(parent) ? `${parent.name?.text ?? "class"}.` : "";
    return `${owner}${node.name.getText(file)}`;
  }
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return undefined;
  const isNamed =
    ts.isVariableDeclaration(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isPropertyDeclaration(parent);
  return isNamed && parent.initializer === node ? parent.name.getText(file) : undefined;
}

/**
 * Runs one offload with a log of 60 kB in a file workspace.
 *
 * @param {string} folder
 */
async function record(folder) {
  /** @type {Map<string, string>} */
  const first = new Map();
  /** @type {string[]} */
  let deepest = [];
  let isOn = false;
  const sources = pathToFileURL(join(folder, "src")).href;
  Error.stackTraceLimit = Infinity;
  const framesOfSource = (/** @type {unknown} */ _, /** @type {NodeJS.CallSite[]} */ sites) =>
    sites.flatMap((site) => {
      const path = site.getFileName() ?? "";
      // What comes after an await is called by nobody that still waits on the stack.
      const isAsync = /** @type {{ isAsync?: () => boolean }} */ (site).isAsync?.() === true;
      if (!path.startsWith(sources) || isAsync) return [];
      const name = site.getFunctionName() ?? "(anonymous)";
      return [`${path.slice(sources.length + 1)} ${name}`];
    });
  Object.assign(globalThis, {
    /** @type {(path: string, name: string) => void} */
    noteCall(path, name) {
      if (!isOn) return;
      const key = `${path} ${name}`;
      if (!first.has(key)) first.set(key, path);
      const { prepareStackTrace } = Error;
      Error.prepareStackTrace = framesOfSource;
      const frames = /** @type {string[]} */ (/** @type {unknown} */ (new Error().stack));
      Error.prepareStackTrace = prepareStackTrace;
      if (frames.length > deepest.length) deepest = frames.reverse();
    },
  });
  const entry = await import(pathToFileURL(join(folder, "src", "index.js")).href);
  const workspace = entry.createWorkspace({ root: join(folder, "workspace") });
  const offloader = entry.createOffloader({ workspace, sessionId: "walk", format: "anthropic" });
  const lines = [];
  for (let line = 1; lines.join("\n").length < 60_000; line += 25) {
    for (let at = line; at < line + 25; at++) {
      const level = at % 97 === 0 ? "ERROR" : at % 11 === 0 ? "WARN" : "INFO";
      lines.push(
        `2026-01-05T10:${String(at % 60).padStart(2, "0")}:07Z ${level} worker-${at % 4} request ${at} took ${(at * 37) % 400} ms`,
      );
    }
  }
  const call = { type: "tool_use", id: "toolu_01", name: "read_log", input: { path: "app.log" } };
  const result = { type: "tool_result", tool_use_id: "toolu_01", content: lines.join("\n") };
  const history = [
    { role: "user", content: "Why is the service slow?" },
    { role: "assistant", content: [{ type: "text", text: "I look at its log." }, call] },
    { role: "user", content: [result] },
  ];
  isOn = true;
  const { report } = await offloader.offload(history);
  isOn = false;
  await workspace.close();
  if (report.totals.offloaded !== 1) throw new Error("The log was not offloaded.");
  return { functions: [...first.keys()], files: [...first.values()], deepest };
}

/** @param {{ functions: string[]; files: string[]; deepest: string[] }} walk */
async function print({ functions, files, deepest }) {
  const digest = "core/lib/digest/";
  const own = functions.filter((key) => key.startsWith(digest)).length;
  const digestFiles = new Set(files.filter((path) => path.startsWith(digest))).size;
  const rows = [
    ["files touched", `${new Set(files).size}, ${digestFiles} of them in ${digest}`],
    ["named functions called", `${functions.length}, ${own} of them in ${digest}`],
    ["folder changes, in order of first call", countChanges(files)],
    ["deepest stack", deepest.length],
    ["folder changes on the deepest stack", countChanges(deepest)],
    ["names at the root entry", (await namesOf(join(root, "src", "index.ts"))).size],
    ["files in src/", await countFiles("src", /\.ts$/)],
    [
      "files in scripts/ and bench/",
      (await countFiles("scripts", /js$/)) + (await countFiles("bench", /js$/)),
    ],
  ];
  if (flags.list) console.log(`${functions.join("\n")}\n`);
  if (flags.stack) console.log(`${deepest.join("\n")}\n`);
  for (const [name, value] of rows) console.log(`${String(name).padEnd(42)}${value}`);
}

/** @param {readonly string[]} paths */
function countChanges(paths) {
  const folders = paths.map((path) => dirname(path.split(" ")[0] ?? ""));
  return folders.filter((folder, at) => at > 0 && folder !== folders[at - 1]).length;
}

/**
 * The names that a module exports, types included.
 *
 * @param {string} path
 * @returns {Promise<Set<string>>}
 */
async function namesOf(path) {
  const file = ts.createSourceFile(path, await readFile(path, "utf8"), ts.ScriptTarget.Latest);
  const names = new Set();
  for (const node of file.statements) {
    if (ts.isExportDeclaration(node)) {
      const { exportClause, moduleSpecifier } = node;
      if (exportClause && ts.isNamedExports(exportClause)) {
        for (const { name } of exportClause.elements) names.add(name.text);
      } else if (moduleSpecifier && ts.isStringLiteral(moduleSpecifier)) {
        const source = join(dirname(path), moduleSpecifier.text.replace(/js$/, "ts"));
        for (const name of await namesOf(source)) names.add(name);
      }
    } else if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) {
      const isExported = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
      if (isExported && node.name) names.add(node.name.text);
    }
  }
  return names;
}

/**
 * @param {string} folder
 * @param {RegExp} name
 */
async function countFiles(folder, name) {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => {
    const path = relative(root, join(entry.parentPath ?? entry.path, entry.name));
    return entry.isFile() && name.test(entry.name) && !path.includes("node_modules");
  }).length;
}
