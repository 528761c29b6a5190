/**
 * The same value, of which every look at a property is counted: what a pass over it costs, whatever
 * the machine does meanwhile. Frozen objects stay frozen.
 */
export function countReads<T extends object>(value: T): { readonly value: T; reads: number } {
  const counted = { value, reads: 0 };
  const wrap = (target: object): object => {
    const entries = Object.entries(target).map(([key, item]: [string, unknown]) => [
      key,
      typeof item === "object" && item !== null ? wrap(item) : item,
    ]);
    const copy: object = Array.isArray(target)
      ? entries.map(([, item]) => item)
      : (Object.fromEntries(entries) as object);
    if (Object.isFrozen(target)) Object.freeze(copy);
    return new Proxy(copy, {
      get: (from, key, receiver): unknown => {
        counted.reads++;
        return Reflect.get(from, key, receiver);
      },
      ownKeys: (from) => {
        counted.reads++;
        return Reflect.ownKeys(from);
      },
    });
  };
  return Object.assign(counted, { value: wrap(value) as T });
}
