import { randomBytes } from "node:crypto";

/** A key that no other content has; what belongs to the same artifact has the same folder. */
export function newLocation(): string {
  return randomBytes(16).toString("hex");
}

export function contentKey(location: string): string {
  return `${location}/content`;
}

export function derivedKey(location: string, name: string): string {
  return `${location}/${name}`;
}

export function locationOf(key: string): string {
  return key.slice(0, key.indexOf("/"));
}
