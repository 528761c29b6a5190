/** How deep a message is looked into: its blocks, their contents, and the blocks of these. */
const DEPTH = 5;

/** What a message holds, as a flat list, to see whether somebody changed it in place. */
export type MessageShape = readonly unknown[];

export function shapeOf(message: unknown): MessageShape {
  const shape: unknown[] = [];
  walk(message, DEPTH, (value) => {
    shape.push(value);
    return true;
  });
  return shape;
}

/** Whether the message still holds what it held; the same strings are told at once. */
export function hasShape(message: unknown, shape: MessageShape): boolean {
  let at = 0;
  const same = walk(message, DEPTH, (value) => Object.is(value, shape[at++]));
  return same && at === shape.length;
}

/** Visits keys and values down to a depth; stops when the visitor says so. */
function walk(value: unknown, depth: number, visit: (value: unknown) => boolean): boolean {
  if (typeof value !== "object" || value === null || depth === 0) return visit(value);
  if (Array.isArray(value)) {
    if (!visit(value.length)) return false;
    for (const item of value as readonly unknown[]) if (!walk(item, depth - 1, visit)) return false;
    return true;
  }
  // Unlike Object.keys, this makes no list; that it sees inherited keys does no harm here.
  for (const key in value) {
    if (!visit(key)) return false;
    if (!walk((value as Record<string, unknown>)[key], depth - 1, visit)) return false;
  }
  return true;
}
