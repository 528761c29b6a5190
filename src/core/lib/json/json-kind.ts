export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** The kind of value that begins with this byte; undefined when none does. */
export function kindOfFirstByte(byte: number): JsonKind | undefined {
  switch (byte) {
    case 0x7b:
      return "object";
    case 0x5b:
      return "array";
    case 0x22:
      return "string";
    case 0x74:
    case 0x66:
      return "boolean";
    case 0x6e:
      return "null";
    default:
      return byte === 0x2d || (byte >= 0x30 && byte <= 0x39) ? "number" : undefined;
  }
}

export function isContainer(kind: JsonKind): kind is "object" | "array" {
  return kind === "object" || kind === "array";
}
