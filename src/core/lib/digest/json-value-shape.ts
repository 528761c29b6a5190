import type { Shape } from "./json-shape.js";
import { countOf } from "./printable.js";

/** Deeper values and further keys would not be shown. */
const MOST_DEPTH = 8;
const MOST_KEYS = 64;
const STRING_CHARS = 240;
const COMPARED_ELEMENTS = 200;
const SHOWN_SCALARS = 12;

/** The shape of a parsed value. */
export function shapeOfValue(value: unknown, depth = 0): Shape {
  if (typeof value === "string") {
    return {
      type: "string",
      start: value.slice(0, STRING_CHARS),
      length: value.length,
      exact: true,
    };
  }
  if (Array.isArray(value)) return shapeOfArray(value, depth);
  if (typeof value === "object" && value !== null) return shapeOfObject(value, depth);
  return { type: "scalar", text: String(value) };
}

function shapeOfObject(value: object, depth: number): Shape {
  const keys = Object.keys(value);
  const kept = depth >= MOST_DEPTH ? [] : keys.slice(0, MOST_KEYS);
  const entries = kept.map(
    (key) => [key, shapeOfValue((value as Record<string, unknown>)[key], depth + 1)] as const,
  );
  return { type: "object", entries, size: keys.length, exact: true };
}

function shapeOfArray(value: readonly unknown[], depth: number): Shape {
  const inside = depth < MOST_DEPTH;
  const first = inside && value.length > 0 ? shapeOfValue(value[0], depth + 1) : undefined;
  const isScalar = first?.type === "scalar" || first?.type === "string";
  const scalars = isScalar
    ? value
        .slice(0, SHOWN_SCALARS)
        .filter((item) => typeof item !== "object" || item === null)
        .map((item) => shapeOfValue(item, depth + 1))
    : [];
  return {
    type: "array",
    length: value.length,
    exact: true,
    first: first ?? (value.length > 0 ? { type: "scalar", text: "…" } : undefined),
    scalars,
    otherKeys: first?.type === "object" ? keysOfOthers(value) : [],
    mix: mixOf(value),
  };
}

function keysOfOthers(value: readonly unknown[]): string[] {
  const known = new Set(Object.keys(value[0] as object));
  const others = new Set<string>();
  for (const item of value.slice(1, COMPARED_ELEMENTS)) {
    if (typeof item !== "object" || item === null || Array.isArray(item)) continue;
    for (const key of Object.keys(item)) {
      if (!known.has(key) && others.size < MOST_KEYS) others.add(key);
    }
  }
  return [...others];
}

/** What the elements are when they are not all of one type. */
function mixOf(value: readonly unknown[]): string {
  const counts = new Map<string, number>();
  for (const item of value) {
    const type = item === null ? "null" : Array.isArray(item) ? "array" : typeof item;
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  if (counts.size < 2) return "";
  return [...counts]
    .map(([type, count]) => countOf(count, type, type === "null" ? "null" : `${type}s`))
    .join(", ");
}
