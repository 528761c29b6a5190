/** An object whose fields are unknown. */
export type JsonRecord = Readonly<Record<string, unknown>>;

const EMPTY: JsonRecord = Object.freeze({});

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, otherwise an empty object, so that its fields read as missing. */
export function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : EMPTY;
}

/** The value if it is an array, otherwise an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The length of the value as JSON; 0 if it cannot be serialized. */
export function countJsonChars(value: unknown): number {
  try {
    return (JSON.stringify(value) as string | undefined)?.length ?? 0;
  } catch {
    return 0;
  }
}
