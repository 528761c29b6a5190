import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./json-bytes.js";

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
