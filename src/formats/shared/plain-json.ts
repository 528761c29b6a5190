/** A deeper value is refused; so is one that contains itself. */
const MAX_DEPTH = 1_000;

/**
 * Whether the value comes back from JSON as it went in. A member that is `undefined` counts as
 * missing, as it is to everyone who reads the JSON.
 */
export function isPlainJson(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    // Not `every`, which passes over holes.
    return !value.includes(undefined) && value.every((item) => isPlainJson(item, depth + 1));
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).every((item) => item === undefined || isPlainJson(item, depth + 1));
}

/** How long the value is as JSON; 0 where it cannot be written. */
export function countJsonChars(value: unknown): number {
  try {
    return (JSON.stringify(value) as string | undefined)?.length ?? 0;
  } catch {
    return 0;
  }
}
