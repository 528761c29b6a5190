/** Deeper nesting is not followed; such a message always counts as changed. */
const MAX_DEPTH = 64;

/** What a message holds, as a flat list, to detect whether the host changed it in place. */
export type MessageShape = readonly unknown[];

export function shapeOf(message: unknown): MessageShape {
  const shape: unknown[] = [];
  walk(message, MAX_DEPTH, (value) => {
    shape.push(value);
    return true;
  });
  return shape;
}

/** Whether the message still holds what it held. Comparing a string with itself takes no time. */
export function hasShape(message: unknown, shape: MessageShape): boolean {
  let at = 0;
  const same = walk(message, MAX_DEPTH, (value) => Object.is(value, shape[at++]));
  return same && at === shape.length;
}

/** Visits keys and values; stops when the visitor returns false, or where nesting is too deep. */
function walk(value: unknown, depth: number, visit: (value: unknown) => boolean): boolean {
  if (typeof value !== "object" || value === null) return visit(value);
  if (depth === 0) return false;
  if (Array.isArray(value)) {
    if (!visit(value.length)) return false;
    for (const item of value as readonly unknown[]) if (!walk(item, depth - 1, visit)) return false;
    return true;
  }
  // Unlike Object.keys, this allocates no array; seeing inherited keys does no harm here.
  for (const key in value) {
    if (!visit(key)) return false;
    if (!walk((value as Record<string, unknown>)[key], depth - 1, visit)) return false;
  }
  return true;
}
