import { type Hash, serializeContent, type ToolResult } from "../engine/format.js";
import type { OffloadPlan } from "../engine/offload.js";
import { portableName } from "../lib/text/portable-name.js";

/** A file that content was written to. */
export interface StoredFile {
  /** The path of the file; absolute if the output folder is. */
  readonly path: string;
  /** The last part of the path. */
  readonly name: string;
}

/** How a preset names its files. */
export interface FileLayout {
  readonly prefix: string;
  /** The character between a name and its number, for all results of an id but the first. */
  readonly numberMark: "-" | "~";
}

export const FILE_ENDING = ".md";

/** The id is the name. A tilde precedes the number, since no portable id contains one. */
export const DIRECT_LAYOUT: FileLayout = { prefix: "", numberMark: "~" };

/** The id is prefixed, and duplicates are numbered with a hyphen. */
export const HISTORY_LAYOUT: FileLayout = { prefix: "tool-result-", numberMark: "-" };

/** The name of a result that comes after `ordinal` others with the same name. */
export function numberedName(layout: FileLayout, base: string, ordinal: number): string {
  return ordinal === 0 ? base : `${base}${layout.numberMark}${ordinal}`;
}

export function fileName(layout: FileLayout, base: string, ordinal: number): string {
  return `${layout.prefix}${numberedName(layout, base, ordinal)}${FILE_ENDING}`;
}

/** The same name with the content's hash in it, for when the plain name holds other content. */
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

const UNKNOWN = /^unknown-[0-9a-f]{16}/;

/** The file name of a result, without prefix and ending. A result without an id is named by its content's hash. */
export function resultName(result: ToolResult, hash: Hash): string {
  if (result.id !== undefined) return portableName(result.id, hash);
  return `unknown-${hash(serializeContent(result.content)).slice(0, 16)}`;
}

/** What follows the result's own name in `name`; `undefined` when the name belongs to another result. */
export function afterOwnName(name: string, id: string | undefined, hash: Hash): string | undefined {
  // The content that gave a result without an id its name is no longer there; any such name may be its own.
  const own = id === undefined ? UNKNOWN.exec(name)?.[0] : portableName(id, hash);
  return own !== undefined && name.startsWith(own) ? name.slice(own.length) : undefined;
}

/**
 * A file name for every result that is offloaded. Within one call the first result of an id gets the
 * plain name and later ones are numbered, skipping names that belong to another id or that a
 * reference in the conversation points to. Many disks ignore case, so names must differ by more.
 */
export function assignNames(
  plan: OffloadPlan<StoredFile>,
  layout: FileLayout,
  hash: Hash,
): Map<ToolResult, string> {
  const owned = new Set<string>();
  for (const { id } of plan.results) if (id !== undefined) owned.add(id.toLowerCase());
  const used = new Set<string>();
  for (const { name } of plan.references.values()) used.add(name.toLowerCase());

  const names = new Map<ToolResult, string>();
  const nextOrdinals = new Map<string, number>();
  for (const result of plan.chosen) {
    const base = resultName(result, hash);
    const key = base.toLowerCase();
    let ordinal = nextOrdinals.get(key) ?? 0;
    while (
      used.has(fileName(layout, key, ordinal)) ||
      (ordinal > 0 && owned.has(numberedName(layout, key, ordinal)))
    ) {
      ordinal++;
    }
    used.add(fileName(layout, key, ordinal));
    nextOrdinals.set(key, ordinal + 1);
    names.set(result, fileName(layout, base, ordinal));
  }
  return names;
}
