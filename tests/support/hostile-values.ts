/** Values that JSON cannot hold, or that do not stand still; each call makes a new one. */
export const HOSTILE: Readonly<Record<string, () => unknown>> = {
  date: () => new Date(0),
  bytes: () => new Uint8Array([1, 2, 3]),
  "not a number": () => NaN,
  "minus zero": () => -0,
  infinity: () => Infinity,
  "big integer": () => 10n,
  undefined: () => undefined,
  symbol: () => Symbol("hostile"),
  function: () => () => undefined,
  "sparse array": () => Object.assign([], { 3: "x" }),
  cycle: () => {
    const cycle: Record<string, unknown> = { a: [] };
    cycle["a"] = [cycle];
    return cycle;
  },
  "deep array": () => nest(10_000, (inner) => [inner]),
  "deep object": () => nest(10_000, (inner) => ({ inner })),
  "own __proto__": () =>
    JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}') as object,
  frozen: () => Object.freeze({ list: Object.freeze([1, Object.freeze({ a: 1 })]) }),
  getter: () => ({
    get computed() {
      return [1, 2];
    },
  }),
  proxy: () => new Proxy({ a: 1, list: [1] }, {}),
  instance: () =>
    new (class Point {
      x = 1;
    })(),
  "no prototype": () => Object.assign(Object.create(null) as object, { a: 1 }),
  map: () => new Map([["a", 1]]),
  "with toJSON": () => ({ toJSON: () => "something else", a: 1 }),
  "boxed string": () => Object("text") as object,
  "lone surrogate": () => "\ud800 and \udc00",
  plain: () => ({ a: [1, "two", null, { b: true }] }),
};

/** Values that throw when they are looked at. */
export const THROWING: Readonly<Record<string, () => unknown>> = {
  "throwing getter": () => ({
    get value(): never {
      throw new Error("a getter that throws");
    },
  }),
  "throwing proxy": () =>
    new Proxy(
      { a: 1 },
      {
        get: () => {
          throw new Error("a trap that throws");
        },
        ownKeys: () => {
          throw new Error("a trap that throws");
        },
      },
    ),
  "revoked proxy": () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
};

function nest(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = "innermost";
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

/**
 * Where two values differ, as a path; `undefined` if they do not. Unlike a test runner's comparison it
 * copes with cycles and any depth, tells 0 from -0 and a hole from undefined, and looks at prototypes.
 * A member that is undefined counts as missing, as in JSON.
 */
export function findDifference(left: unknown, right: unknown): string | undefined {
  const seen = new Map<object, Set<unknown>>();
  const open: { a: unknown; b: unknown; path: string }[] = [{ a: left, b: right, path: "$" }];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const { a, b, path } = pair;
    if (Object.is(a, b)) continue;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return path;
    const met = seen.get(a) ?? new Set();
    if (met.has(b)) continue;
    seen.set(a, met.add(b));
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return `${path} (prototype)`;
    if (a instanceof Date || a instanceof Map) return `${path} (not the same object)`;
    const [keysOfA, keysOfB] = [a, b].map((value) =>
      Object.keys(value).filter(
        (key) => Array.isArray(value) || (value as Record<string, unknown>)[key] !== undefined,
      ),
    ) as [string[], string[]];
    if (keysOfA.join("\n") !== keysOfB.join("\n")) return `${path} (keys)`;
    if (Array.isArray(a) && a.length !== (b as unknown[]).length) return `${path}.length`;
    for (const key of keysOfA) {
      const held = [a, b].map((value) => (value as Record<string, unknown>)[key]);
      open.push({ a: held[0], b: held[1], path: path.length > 200 ? path : `${path}.${key}` });
    }
  }
  return undefined;
}
