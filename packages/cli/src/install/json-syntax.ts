import {
  findNodeAtLocation,
  parse,
  parseTree,
  printParseErrorCode,
  stripComments,
  type Node,
  type ParseError,
} from "jsonc-parser";
import { eolOf, type SettingsPath, type Syntax } from "./settings.js";

const OPTIONS = { allowTrailingComma: true };

/** JSON, with comments and trailing commas where a file has them; none are added. */
export const jsonSyntax: Syntax = {
  name: "JSON",

  parse(text) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      if (stripComments(text).trim() === "") return undefined;
    }
    const errors: ParseError[] = [];
    const data: unknown = parse(text, errors, OPTIONS);
    const [first] = errors;
    if (first) throw new SyntaxError(`${printParseErrorCode(first.error)} at ${first.offset}`);
    return data;
  },

  rangeOf(text, path) {
    const node = find(text, path);
    return node && { start: node.offset, end: endOf(node) };
  },

  insertAfter(text, path, key, value) {
    const sibling = find(text, path);
    if (!sibling) return undefined;
    const start = endOf(sibling);
    return { start, end: start, text: `, ${JSON.stringify(key)}: ${value}` };
  },

  append(text, container, key, value) {
    const node = find(text, container) as Node;
    const last = node.children?.at(-1);
    const indent = indentAt(text, (last ?? node).offset);
    const unit = indent.includes("\t") ? "\t" : "  ";
    const inside = last ? indent : indent + unit;
    const name = key === -1 ? "" : `${JSON.stringify(key)}: `;
    const lines = name + JSON.stringify(value, null, unit).replaceAll("\n", `\n${inside}`);
    // In an empty container, right after its bracket: what else is in it is kept when the value goes.
    const start = last ? endOf(last) : node.offset + 1;
    const body = (last ? `,\n${inside}${lines}` : lines).replaceAll("\n", eolOf(text));
    return { start, end: start, text: body };
  },

  cut(text, path) {
    const value = find(text, path);
    const node = value?.parent?.type === "property" ? value.parent : value;
    const siblings = node?.parent?.children;
    if (!node || !siblings) return undefined;
    const at = siblings.indexOf(node);
    const [before, after] = [siblings[at - 1], siblings[at + 1]];
    const start = before ? endOf(before) : node.offset;
    const end = before || !after ? endOf(node) : after.offset;
    // The comma goes with it, and the blanks; comments, which are somebody's, are kept.
    const gap = before ? text.slice(start, node.offset) : text.slice(endOf(node), end);
    if (!/[^\s,]/.test(gap)) return { start, end, text: "" };
    const comma = stripComments(text, " ").indexOf(",", before ? start : endOf(node));
    const kept = before
      ? text.slice(start, comma) + text.slice(comma + 1, node.offset)
      : text.slice(endOf(node), comma) + text.slice(comma + 1, end);
    return { start, end, text: kept };
  },
};

function find(text: string, path: SettingsPath): Node | undefined {
  const root = parseTree(text, [], OPTIONS);
  return root && (path.length === 0 ? root : findNodeAtLocation(root, [...path]));
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** The blanks before the line of an offset. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? "";
}
