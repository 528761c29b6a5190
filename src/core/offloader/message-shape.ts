import { isData } from "../lib/is-data.js";

/** Deeper nesting is not followed; such a message counts as changed unless told otherwise. */
const MAX_DEPTH = 64;

/**
 * What a message holds, as a flat list: to see whether somebody changed it in place, and to recognize
 * an equal one of a history that was loaded anew.
 */
export type MessageShape = readonly unknown[];

/** The shape of what throws when it is looked at: no message has it. */
const UNREADABLE: MessageShape = [Symbol("unreadable")];

export function shapeOf(message: unknown): MessageShape {
  const shape: unknown[] = [];
  try {
    collect(message, MAX_DEPTH, shape);
  } catch {
    return UNREADABLE;
  }
  return shape;
}

/** What is too deep to follow counts as changed, or as the same if it is the same object. */
type DeepRule = "changed" | "by identity";

/** Whether a message holds what the other one held. The same strings are recognized at once. */
export function hasShape(
  message: unknown,
  shape: MessageShape,
  deep: DeepRule = "changed",
): boolean {
  try {
    return compare(message, MAX_DEPTH, shape, 0, deep) === shape.length;
  } catch {
    return false;
  }
}

function collect(value: unknown, depth: number, shape: unknown[]): void {
  if (typeof value !== "object" || value === null) shape.push(value);
  else if (depth === 0) shape.push(value);
  else if (Array.isArray(value)) {
    shape.push(value.length);
    for (const item of value as readonly unknown[]) collect(item, depth - 1, shape);
  } else {
    // What is more than data may hold more than its keys show; then it must be the same object.
    if (!isData(value)) shape.push(value);
    // Unlike Object.keys, this makes no list; that it sees inherited keys does no harm here.
    for (const key in value) {
      shape.push(key);
      collect((value as Record<string, unknown>)[key], depth - 1, shape);
    }
  }
}

/** The position in the shape behind the value; -1 where the value differs from it. */
function compare(
  value: unknown,
  depth: number,
  shape: MessageShape,
  from: number,
  deep: DeepRule,
): number {
  if (typeof value !== "object" || value === null) {
    return from < shape.length && Object.is(value, shape[from]) ? from + 1 : -1;
  }
  let at = from;
  if (depth === 0) return deep === "by identity" && shape[at] === value ? at + 1 : -1;
  if (Array.isArray(value)) {
    if (shape[at++] !== value.length) return -1;
    for (const item of value as readonly unknown[]) {
      at = compare(item, depth - 1, shape, at, deep);
      if (at === -1) return -1;
    }
    return at;
  }
  // Only what is more than data is in a shape itself.
  if (shape[at] === value) at++;
  for (const key in value) {
    if (shape[at++] !== key) return -1;
    at = compare((value as Record<string, unknown>)[key], depth - 1, shape, at, deep);
    if (at === -1) return -1;
  }
  return at;
}
