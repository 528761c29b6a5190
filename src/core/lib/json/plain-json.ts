/**
 * Whether an object is plain data rather than an instance of a class. `Object.prototype` differs
 * between realms, but is always the end of the prototype chain.
 */
export function isData(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Deeper values are rejected, and with them values that contain themselves. */
const MAX_DEPTH = 1_000;

/**
 * Whether the value is the same after a round trip through JSON. A member that is `undefined` counts
 * as missing, as it does in JSON.
 */
export function isPlainJson(value: unknown): boolean {
  try {
    return isPlain(value, 0);
  } catch {
    // A getter or a proxy that throws would throw in JSON.stringify as well.
    return false;
  }
}

function isPlain(value: unknown, depth: number): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    // Not only `every`, which skips holes.
    return !value.includes(undefined) && value.every((item) => isPlain(item, depth + 1));
  }
  if (!isData(value) || Object.getPrototypeOf(value) === null) return false;
  return Object.values(value).every((item) => item === undefined || isPlain(item, depth + 1));
}

/** The value of a JSON text; `undefined` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A value that may be written as its JSON, as the inputs of calls are in some formats. */
export function fromJson(input: unknown): unknown {
  return typeof input === "string" ? parseJson(input) : input;
}

/** The value if it is a non-empty string. */
export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
