/** An object of which nothing is certain but that it is one. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one where it is none, so that its parts read as missing. */
export function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
