import type { Hash } from "../engine/hash.js";

/** Longer ids get a hashed name, so that prefix, suffix and ending stay under 255 bytes. */
const MAX_PORTABLE_CHARS = 200;
const MAX_SLUG_CHARS = 40;
const HASH_CHARS = 20;

/** Windows takes these for devices, whatever ending follows. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;
const PORTABLE = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/** True for an id that every file system takes as a file name, just as it stands. */
export function isPortableName(id: string): boolean {
  return (
    id.length <= MAX_PORTABLE_CHARS &&
    PORTABLE.test(id) &&
    !RESERVED.test(id) &&
    !id.endsWith(".") &&
    !id.includes("..")
  );
}

/**
 * A file name for an id, without an ending. Ids come from models: one that is no portable file name
 * becomes what is readable of it, a tilde and its hash. A portable name has no tilde, so that no two
 * ids share a name.
 */
export function portableName(id: string, hash: Hash): string {
  if (isPortableName(id)) return id;
  const slug = id
    .slice(0, MAX_SLUG_CHARS)
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/^[_-]+|[_-]+$/g, "");
  return `${slug || "id"}~${hash(id).slice(0, HASH_CHARS)}`;
}
