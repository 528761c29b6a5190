import { getStaticTOMLValue, parseTOML, type AST } from "toml-eslint-parser";
import { eolOf, type SettingsPath, type Syntax } from "./settings.js";

/** TOML in all its forms: tables, dotted keys, inline tables. */
export const tomlSyntax: Syntax = {
  name: "TOML",

  parse: (text) => getStaticTOMLValue(parseTOML(text)),

  rangeOf(text, path) {
    const node = find(text, path)?.node;
    return node && rangeOf(node);
  },

  insertAfter(text, path, key, value) {
    const { pair } = find(text, path) ?? {};
    const last = pair?.key.keys.at(-1);
    if (!pair || !last) return undefined;
    // With the same keys before it, as in `mcp_servers.name.command`.
    const name = text.slice(pair.key.range[0], last.range[0]) + key;
    const separator = isInline(pair) ? ", " : eolOf(text) + indentAt(text, pair);
    const start = pair.value.range[1];
    return { start, end: start, text: `${separator}${name} = ${value}` };
  },

  cut(text, path) {
    const { node, pair } = find(text, path) ?? {};
    if (!pair || pair.value !== node) return undefined;
    const [start, end] = pair.range;
    const before = text.slice(0, start);
    const lead = (isInline(pair) ? /,\s*$/ : /(?:\r?\n)?[ \t]*$/).exec(before)?.[0] ?? "";
    const isFirst = isInline(pair) && lead === "";
    const after = isFirst ? (/^\s*,\s*/.exec(text.slice(end))?.[0].length ?? 0) : 0;
    return { start: start - lead.length, end: end + after, text: "" };
  },
};

interface Found {
  readonly node: AST.TOMLContentNode;
  /** The assignment that it is the value of, or a part of. */
  readonly pair: AST.TOMLKeyValue;
}

function find(text: string, path: SettingsPath): Found | undefined {
  const [root] = parseTOML(text).body;
  for (const entry of root.body) {
    const isTable = entry.type === "TOMLTable";
    const found = findIn(isTable ? entry.body : [entry], isTable ? entry.resolvedKey : [], path);
    if (found) return found;
  }
  return undefined;
}

function findIn(
  pairs: readonly AST.TOMLKeyValue[],
  above: SettingsPath,
  path: SettingsPath,
): Found | undefined {
  for (const pair of pairs) {
    const keys = [...above, ...pair.key.keys.map(nameOf)];
    if (keys.some((key, at) => key !== path[at])) continue;
    return findBelow(pair, pair.value, keys, path);
  }
  return undefined;
}

function findBelow(
  pair: AST.TOMLKeyValue,
  node: AST.TOMLContentNode,
  keys: SettingsPath,
  path: SettingsPath,
): Found | undefined {
  if (keys.length === path.length) return { node, pair };
  if (node.type === "TOMLInlineTable") return findIn(node.body, keys, path);
  const key = path[keys.length];
  const element = node.type === "TOMLArray" ? node.elements[Number(key)] : undefined;
  return element && findBelow(pair, element, [...keys, Number(key)], path);
}

function nameOf(key: AST.TOMLBare | AST.TOMLQuoted): string {
  return key.type === "TOMLBare" ? key.name : key.value;
}

function rangeOf({ range: [start, end] }: AST.TOMLNode) {
  return { start, end };
}

function isInline(pair: AST.TOMLKeyValue): boolean {
  return pair.parent.type === "TOMLInlineTable";
}

function indentAt(text: string, { range: [start] }: AST.TOMLKeyValue): string {
  return /[ \t]*$/.exec(text.slice(0, start))?.[0] ?? "";
}
