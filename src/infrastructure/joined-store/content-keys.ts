import { randomUUID } from "node:crypto";
import { DERIVED_NAMES } from "../../core/workspace/artifacts/readable-view.js";

/** A location that no other content has; what belongs to the same artifact is there. Node makes many of these numbers at once. */
export function newLocation(): string {
  return randomUUID().replaceAll("-", "");
}

const TIME_DIGITS = 12;

/**
 * One that comes after those that were made before, for an index: what is put at about the same time is then
 * on the same pages. Object storage is faster the other way, with keys that are far apart.
 */
export function nextLocation(): string {
  return Date.now().toString(16).padStart(TIME_DIGITS, "0") + newLocation().slice(TIME_DIGITS);
}

/** The key of an artifact's content. */
export function contentKey(location: string): string {
  return `${location}/content`;
}

/** The key of data that is derived from it. */
export function derivedKey(location: string, name: string): string {
  return `${location}/${name}`;
}

/** All keys that an artifact may have. */
export function keysAt(location: string): string[] {
  return [contentKey(location), ...DERIVED_NAMES.map((name) => derivedKey(location, name))];
}

export function locationOf(key: string): string {
  return key.slice(0, key.indexOf("/"));
}
