import { isRecord, type JsonRecord } from "./json-record.js";
import type { JsonPath } from "./splice-json.js";

/**
 * The path of the smallest value that holds everything in which two JSON values differ; `undefined`
 * if they do not. The same for both directions, so that what replaced a value can be found again.
 */
export function findChange(before: unknown, after: unknown): JsonPath | undefined {
  if (before === after) return undefined;
  const keys = commonKeys(before, after);
  if (!keys) return [];
  const changes = keys.flatMap((key) => {
    const inner = findChange((before as JsonRecord)[key], (after as JsonRecord)[key]);
    return inner ? [[key, ...inner]] : [];
  });
  return changes.length > 1 ? [] : changes[0];
}

/** The keys of two objects or arrays, if they have the same in the same order. */
function commonKeys(before: unknown, after: unknown): readonly (string | number)[] | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length ? [...before.keys()] : undefined;
  }
  if (!isRecord(before) || !isRecord(after)) return undefined;
  const keys = Object.keys(before);
  const others = Object.keys(after);
  const isSame = keys.length === others.length && keys.every((key, at) => key === others[at]);
  return isSame ? keys : undefined;
}
