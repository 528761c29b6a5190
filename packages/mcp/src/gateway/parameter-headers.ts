import { asParams, asText, type Params } from "./json-rpc.js";

/** Marks a parameter that is repeated in a header of the request, for whatever stands before a server. */
const MARK = "x-mcp-header";
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TYPES: readonly unknown[] = ["string", "integer", "boolean"];
/** What a header can hold as it is; anything else is encoded, and what looks encoded as well. */
const PLAIN = /^(?:[!-~](?:[ \t!-~]*[!-~])?)?$/;
const ENCODED = /^=\?base64\?.*\?=$/s;

/** The headers of a call of this tool: its marked parameters, as the revision 2026-07-28 asks of clients over HTTP. */
export function parameterHeaders(definition: Params, input: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { name, path } of marksIn(definition["inputSchema"])) {
    let value = input;
    for (const key of path) {
      value = Object.hasOwn(asParams(value), key) ? asParams(value)[key] : undefined;
    }
    if (!["string", "number", "boolean"].includes(typeof value)) continue;
    const text = String(value);
    const isPlain = PLAIN.test(text) && !ENCODED.test(text);
    headers[`Mcp-Param-${name}`] = isPlain
      ? text
      : `=?base64?${Buffer.from(text).toString("base64")}?=`;
  }
  return headers;
}

/** Why a tool must not be used over HTTP; `undefined` for one that may be. */
export function findInvalidHeader(definition: Params): string | undefined {
  const schema = definition["inputSchema"];
  const marks = marksIn(schema);
  const names = new Set<string>();
  for (const { name, type } of marks) {
    if (typeof name !== "string" || !TOKEN.test(name)) return `${MARK} is not the name of a header`;
    if (!TYPES.includes(type)) return `${MARK} ${name} is for a ${String(type)}`;
    if (names.has(name.toLowerCase())) return `${MARK} ${name} is there twice`;
    names.add(name.toLowerCase());
  }
  return countMarks(schema) === marks.length
    ? undefined
    : `${MARK} is in a part of the schema that is not a plain property`;
}

interface HeaderMark {
  readonly name: string;
  readonly type: unknown;
  readonly path: readonly string[];
}

/** The marks of properties that can be reached by properties alone. */
function marksIn(schema: unknown, path: readonly string[] = []): readonly HeaderMark[] {
  const { properties, type, [MARK]: name } = asParams(schema);
  const own = name === undefined || path.length === 0 ? [] : [{ name: name as string, type, path }];
  const inner = Object.entries(asParams(properties)).flatMap(([key, part]) =>
    marksIn(part, [...path, key]),
  );
  return [...own, ...inner];
}

/** All marks, wherever they are. A property may have the name of the mark. */
function countMarks(schema: unknown, isNames = false): number {
  if (typeof schema !== "object" || schema === null) return 0;
  const own = !isNames && asText(asParams(schema)[MARK]) !== undefined ? 1 : 0;
  const parts = Object.entries(schema).map(([key, part]) =>
    countMarks(part, !isNames && key === "properties"),
  );
  return parts.reduce((sum, count) => sum + count, own);
}
