/** Every array and object in the value, itself included. */
function partsOf(value: unknown, parts = new Set<object>()): Set<object> {
  if (typeof value !== "object" || value === null || parts.has(value)) return parts;
  parts.add(value);
  for (const part of Object.values(value) as unknown[]) partsOf(part, parts);
  return parts;
}

/** The arrays and objects that are part of both values. */
export function sharedObjects(one: unknown, other: unknown): object[] {
  const parts = partsOf(one);
  return [...partsOf(other)].filter((part) => parts.has(part));
}

/** The value, with everything in it frozen: whoever writes to it fails. */
export function deepFreeze<T>(value: T): T {
  for (const part of partsOf(value)) Object.freeze(part);
  return value;
}
