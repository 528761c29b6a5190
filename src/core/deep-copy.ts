/**
 * A copy of JSON-like data that shares no array and no plain object with it. What is neither (a
 * Date, a class instance) is shared: nobody but its class knows how to copy it.
 */
export function deepCopy<T>(value: T): T {
  return copy(value, new Map()) as T;
}

function copy(value: unknown, copies: Map<object, unknown>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const array: unknown[] = [];
    copies.set(value, array);
    for (const item of value) array.push(copy(item, copies));
    return array;
  }
  if (!isPlainObject(value)) return value;
  // The spread keeps an own "__proto__" key, which JSON.parse can make, as the plain key that it is.
  const object: Record<string, unknown> = { ...value };
  copies.set(value, object);
  for (const key of Object.keys(object)) {
    const copied = copy(object[key], copies);
    if (copied !== object[key]) {
      Object.defineProperty(object, key, {
        value: copied,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
  }
  return object;
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
