import { isData } from "./json/plain-json.js";

/**
 * A copy of JSON-like data that shares no array and no plain object with it. Anything else (a Date,
 * a class instance) is shared, since only its class knows how to copy it. Works without recursion,
 * since data may be nested to any depth.
 */
export function deepCopy<T>(value: T): T {
  const copies = new Map<object, object>();
  const shallow: object[] = [];
  const copyOf = (original: unknown): unknown => {
    if (typeof original !== "object" || original === null || !isCopied(original)) return original;
    let copy = copies.get(original);
    if (!copy) {
      // The spread keeps an own "__proto__" key, which JSON.parse can make, as a plain key.
      copy = Array.isArray(original) ? original.slice() : { ...original };
      copies.set(original, copy);
      shallow.push(copy);
    }
    return copy;
  };
  const copied = copyOf(value);
  for (let container = shallow.pop(); container; container = shallow.pop()) {
    for (const key of Object.keys(container)) {
      const property = Object.getOwnPropertyDescriptor(container, key);
      const inner = copyOf(property?.value);
      if (inner !== property?.value)
        Object.defineProperty(container, key, { ...property, value: inner });
    }
  }
  return copied as T;
}

function isCopied(value: object): boolean {
  return Array.isArray(value) || isData(value);
}
