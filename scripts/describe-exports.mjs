// Reads what a module exports from its TypeScript source: names, kinds, members and their comments.

import ts from "typescript";

/** How a comment names a default: "Default 1,000." or "Default: the workspace's counter." */
const DEFAULT = /\bDefault:? (?<value>(?:`[^`]*`|[^.;:`]|\.\d)+)[.;:]?(?= |$)/;

const HIDDEN = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;

/**
 * @typedef {object} Member
 * @property {string} name
 * @property {string} type As the source writes it.
 * @property {boolean} isOptional
 * @property {string} text The comment, in one line.
 * @property {string | undefined} fallback Its default, if the comment names one.
 *
 * @typedef {object} Export
 * @property {string} id The same for what several entries export.
 * @property {string} name
 * @property {"function" | "object" | "class" | "type"} kind
 * @property {string} signature
 * @property {string} text
 * @property {readonly Member[]} members
 */

/**
 * @param {ts.Program} program
 * @param {string} path
 * @returns {Export[]}
 */
export function describeExports(program, path) {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const module = file && checker.getSymbolAtLocation(file);
  if (module === undefined) return [];
  return checker.getExportsOfModule(module).flatMap((exported) => {
    const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
    const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
    const declaration = symbol.declarations?.[0];
    if (declaration === undefined) return [];
    const id = `${declaration.getSourceFile().fileName}:${declaration.pos}`;
    return [{ id, ...describe(checker, exported.name, symbol, declaration) }];
  });
}

/**
 * @param {ts.TypeChecker} checker
 * @param {string} name
 * @param {ts.Symbol} symbol
 * @param {ts.Declaration} declaration
 * @returns {Omit<Export, "id">}
 */
function describe(checker, name, symbol, declaration) {
  const text = commentOf(checker, symbol);
  if (ts.isFunctionDeclaration(declaration)) {
    const signature = (symbol.declarations ?? []).filter(hasNoBody).map(headOf).join("\n");
    return {
      name,
      kind: "function",
      signature: signature || headOf(declaration),
      text,
      members: [],
    };
  }
  if (ts.isVariableDeclaration(declaration)) {
    const type = checker.getTypeOfSymbolAtLocation(symbol, declaration);
    const shown = declaration.type ? sourceOf(declaration.type) : checker.typeToString(type);
    const isTable = name === "DEFAULTS";
    const members = isTable ? type.getProperties().flatMap((one) => memberOf(checker, one)) : [];
    return { name, kind: "object", signature: isTable ? "" : shown, text, members };
  }
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const members = listProperties(type).flatMap((one) => memberOf(checker, one));
  if (ts.isClassDeclaration(declaration)) {
    const own = checker.getTypeOfSymbolAtLocation(symbol, declaration).getProperties();
    const declared = own.filter((one) => one.valueDeclaration?.parent === declaration);
    const statics = declared.flatMap((one) => memberOf(checker, one));
    const named = statics.map((one) => ({ ...one, name: `static ${one.name}` }));
    return { name, kind: "class", signature: "", text, members: [...members, ...named] };
  }
  const isAlias = ts.isTypeAliasDeclaration(declaration);
  const signature = isAlias
    ? members.length === 0
      ? sourceOf(declaration.type)
      : ""
    : callsOf(declaration).join(" & ");
  return { name, kind: "type", signature, text, members };
}

/**
 * The properties of an object type; for a union, those that any of its members has.
 *
 * @param {ts.Type} type
 * @returns {ts.Symbol[]}
 */
function listProperties(type) {
  if (type.isUnion()) {
    const parts = type.types.map(listProperties);
    if (parts.some((part) => part.length === 0)) return [];
    return [...new Map(parts.flat().map((symbol) => [symbol.name, symbol])).values()];
  }
  const isObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
  return isObject ? type.getProperties() : [];
}

/**
 * How an interface can be called, if it can.
 *
 * @param {ts.Declaration} declaration
 */
function callsOf(declaration) {
  if (!ts.isInterfaceDeclaration(declaration)) return [];
  return declaration.members.filter(ts.isCallSignatureDeclaration).map((call) =>
    sourceOf(call)
      .replace(/;$/, "")
      .replace(/\): (?=[^)]*$)/, ") => "),
  );
}

/** @param {ts.TypeChecker} checker @param {ts.Symbol} symbol @returns {Member[]} */
function memberOf(checker, symbol) {
  const node = symbol.valueDeclaration ?? symbol.declarations?.[0];
  // What the language itself provides, such as the name and the stack of an error, is not listed.
  if (node === undefined || !node.getSourceFile().fileName.includes("/src/")) return [];
  const isPrivate = node.getText().startsWith("#") || /^readonly #/.test(node.getText());
  if (isPrivate || ts.getCombinedModifierFlags(node) & HIDDEN) return [];
  const tag = symbol.getJsDocTags(checker).find(({ name }) => /^default(Value)?$/.test(name));
  const comment = commentOf(checker, symbol);
  return [
    {
      name: symbol.name,
      type: typeOf(checker, symbol, node),
      isOptional: (symbol.flags & ts.SymbolFlags.Optional) !== 0,
      text: comment.replace(DEFAULT, "").replace(/\s+/g, " ").trim(),
      fallback:
        tag?.text?.map((part) => part.text).join("") ??
        DEFAULT.exec(comment)?.groups?.["value"] ??
        /(?<value>`[^`]+`), the default\b/.exec(comment)?.groups?.["value"],
    },
  ];
}

/** @param {ts.TypeChecker} checker @param {ts.Symbol} symbol @param {ts.Declaration} node */
function typeOf(checker, symbol, node) {
  if (ts.isMethodSignature(node) || ts.isMethodDeclaration(node)) {
    return headOf(node).replace(/^(?:static |async )*\w+/, "");
  }
  if (ts.isPropertyAssignment(node)) return sourceOf(node.initializer).replaceAll("_", ",");
  const declared =
    ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) || ts.isParameter(node);
  if (declared && node.type) return sourceOf(node.type).replace(/ \| undefined$/, "");
  return checker.typeToString(checker.getTypeOfSymbolAtLocation(symbol, node));
}

/** @param {ts.TypeChecker} checker @param {ts.Symbol} symbol */
function commentOf(checker, symbol) {
  const parts = symbol.getDocumentationComment(checker);
  return ts
    .displayPartsToString(parts)
    .replace(/\s+/g, " ")
    .replace(/^\s*- /, "")
    .trim();
}

/** A function without its body, on one line. */
function headOf(/** @type {ts.Node} */ node) {
  const body = /** @type {{ body?: ts.Node }} */ (node).body;
  const end = body ? body.getStart() : node.getEnd();
  const text = node.getSourceFile().text.slice(node.getStart(), end);
  return collapse(text.replace(/^export (?:declare )?(?:async )?function /, "").replace(/;$/, ""));
}

/** @param {ts.Node} node */
function sourceOf(node) {
  return collapse(node.getText());
}

/** @param {string} text */
function collapse(text) {
  return text
    .replace(/\/\*\*[^]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/\s+/g, " ")
    .replace(/^\| /, "")
    .replace(/([([<]) /g, "$1")
    .replace(/,? ([)\]>])(?!=)/g, "$1")
    .replaceAll("= >", "=>")
    .replaceAll("readonly ", "")
    .replace(/(\w\?: [^;,()]+?) \| undefined/g, "$1")
    .trim();
}

/** An overload, rather than the implementation. */
function hasNoBody(/** @type {ts.Declaration} */ node) {
  return ts.isFunctionDeclaration(node) && node.body === undefined;
}
