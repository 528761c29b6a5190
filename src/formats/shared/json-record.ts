/** An object of which nothing is certain but that it is one. */
export type JsonRecord = Readonly<Record<string, unknown>>;

const EMPTY: JsonRecord = Object.freeze({});

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one where it is not an object, so that its fields read as missing. */
export function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : EMPTY;
}

/** The value as a list; an empty one where it is not an array. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
