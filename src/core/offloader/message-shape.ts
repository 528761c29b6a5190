import { isData } from "../lib/json/plain-json.js";

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
  // A copy takes exactly the memory that it needs; a list that grew has room for more.
  return shape.slice();
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
    if (typeof message !== "object" || message === null) {
      return shape.length === 1 && Object.is(message, shape[0]);
    }
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

/**
 * The position in the shape behind the object or array; -1 where it differs. A turn calls this for
 * every message of the history, so that strings and numbers are compared here, without a call each.
 */
function compare(
  value: object,
  depth: number,
  shape: MessageShape,
  from: number,
  deep: DeepRule,
): number {
  let at = from;
  if (depth === 0) return deep === "by identity" && shape[at] === value ? at + 1 : -1;
  if (Array.isArray(value)) {
    const { length } = value;
    if (shape[at++] !== length) return -1;
    for (let index = 0; index < length; index++) {
      const item: unknown = value[index];
      if (typeof item === "object" && item !== null) at = compare(item, depth - 1, shape, at, deep);
      else at = Object.is(item, shape[at]) && at < shape.length ? at + 1 : -1;
      if (at === -1) return -1;
    }
    return at;
  }
  // Only what is more than data is in a shape itself.
  if (shape[at] === value) at++;
  for (const key in value) {
    if (shape[at++] !== key) return -1;
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === "object" && item !== null) at = compare(item, depth - 1, shape, at, deep);
    else at = Object.is(item, shape[at]) && at < shape.length ? at + 1 : -1;
    if (at === -1) return -1;
  }
  return at;
}

/**
 * Whether nothing in a message can ever change: it is frozen at every level, and is plain data. Such
 * a message is known by its identity, without being read again.
 */
export function isConstant(message: unknown): message is object {
  try {
    return typeof message === "object" && message !== null && isFrozenData(message, MAX_DEPTH);
  } catch {
    return false;
  }
}

function isFrozenData(value: object, depth: number): boolean {
  if (depth === 0 || !Object.isFrozen(value)) return false;
  if (!Array.isArray(value) && !isData(value)) return false;
  for (const key of Object.keys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    // A getter may return something else each time.
    if (!property || !("value" in property)) return false;
    const item: unknown = property.value;
    if (typeof item === "object" && item !== null && !isFrozenData(item, depth - 1)) return false;
  }
  return true;
}
