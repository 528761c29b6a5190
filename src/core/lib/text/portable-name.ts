/** Longer ids get a hashed name, so that the name with prefix, suffix and ending is under 255 bytes. */
const MAX_PORTABLE_CHARS = 200;
const MAX_SLUG_CHARS = 40;
const HASH_CHARS = 20;

/** Windows treats these as devices, whatever the file ending. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;
const PORTABLE = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
const HASHED = /^[A-Za-z0-9_-]{1,40}~[0-9a-f]{20}$/;

/** True for an id that is a valid file name, unchanged, on every file system. */
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
 * A file name for an id, without an ending. Ids come from models: one that is not a portable file
 * name becomes its readable part, a tilde and its hash. A portable name has no tilde, so no two ids
 * share a name.
 */
export function portableName(id: string, hash: (text: string) => string): string {
  if (isPortableName(id)) return id;
  const slug = id
    .slice(0, MAX_SLUG_CHARS)
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/^[_-]+|(?<![_-])[_-]+$/g, "");
  return `${slug || "id"}~${hash(id).slice(0, HASH_CHARS)}`;
}

/** Whether `portableName` could have made this name. */
export function couldBePortableName(name: string): boolean {
  return isPortableName(name) || HASHED.test(name);
}
