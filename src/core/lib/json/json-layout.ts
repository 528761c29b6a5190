import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./json-strings.js";

export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

const KIND_OF_BYTE: (JsonKind | undefined)[] = Array.from({ length: 256 }, () => undefined);
KIND_OF_BYTE[OPEN_OBJECT] = "object";
KIND_OF_BYTE[OPEN_ARRAY] = "array";
KIND_OF_BYTE[QUOTE] = "string";
KIND_OF_BYTE[0x74] = KIND_OF_BYTE[0x66] = "boolean";
KIND_OF_BYTE[0x6e] = "null";
KIND_OF_BYTE[0x2d] = "number";
KIND_OF_BYTE.fill("number", 0x30, 0x3a);

/** The kind of value that begins with this byte; undefined when none does. */
export function kindOfFirstByte(byte: number): JsonKind | undefined {
  return KIND_OF_BYTE[byte];
}

export function isContainer(kind: JsonKind): kind is "object" | "array" {
  return kind === "object" || kind === "array";
}

const INDENT = "  ";

/** What a line costs in a container besides its text: a line break, the indentation and a comma. */
export function lineCost(level: number): number {
  return 2 + INDENT.length * (level + 1);
}

/** What a container at a level costs besides its lines. */
export function bracketsCost(level: number): number {
  // The last line has no comma, but a line break before the closing bracket.
  return 2 + INDENT.length * level;
}

/** A text moved some levels deeper. No line break in indented JSON is part of a string. */
export function nest(text: string, levels: number): string {
  return text.replaceAll("\n", `\n${INDENT.repeat(levels)}`);
}

/** A container whose first bracket is at a level, around lines that are nested in it already. */
export function wrap(kind: "object" | "array", lines: readonly string[], level: number): string {
  const open = kind === "object" ? "{" : "[";
  const close = kind === "object" ? "}" : "]";
  if (lines.length === 0) return open + close;
  const outer = INDENT.repeat(level);
  return `${open}${lines.map((line) => `\n${outer}${INDENT}${line}`).join(",")}\n${outer}${close}`;
}
