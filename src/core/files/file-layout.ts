/** Where a content went. */
export interface StoredFile {
  /** The path of the file, absolute when the output folder was given so. */
  readonly path: string;
  /** The last part of the path. */
  readonly name: string;
}

/** How a preset names its files. */
export interface FileLayout {
  readonly prefix: string;
  /** What stands between a name and its number, for the second result of one id and those after it. */
  readonly numberMark: "-" | "~";
}

export const FILE_ENDING = ".md";

/** Seed 000: the id is the name. A tilde marks the number, so that no other id can own it. */
export const DIRECT_LAYOUT: FileLayout = { prefix: "", numberMark: "~" };

/** Seed 002. */
export const HISTORY_LAYOUT: FileLayout = { prefix: "tool-result-", numberMark: "-" };

/** The name of a result that comes after `ordinal` others with the same name. */
export function numberedName(layout: FileLayout, base: string, ordinal: number): string {
  return ordinal === 0 ? base : `${base}${layout.numberMark}${ordinal}`;
}

export function fileName(layout: FileLayout, base: string, ordinal: number): string {
  return `${layout.prefix}${numberedName(layout, base, ordinal)}${FILE_ENDING}`;
}

/** The same name with the content's hash in it, for when other content has the plain one. */
export function hashedFileName(name: string, contentHash: string): string {
  return `${name.slice(0, -FILE_ENDING.length)}~${contentHash}${FILE_ENDING}`;
}

/** Joins in the style of the folder that was given; core has no node:path. */
export function joinPath(folder: string, ...names: readonly string[]): string {
  const separator = folder.includes("\\") && !folder.includes("/") ? "\\" : "/";
  const trimmed = folder.replace(/(?<=[^\\/])[\\/]+$/, "");
  const start = /[\\/]$/.test(trimmed) ? trimmed : trimmed + separator;
  return start + names.join(separator);
}
