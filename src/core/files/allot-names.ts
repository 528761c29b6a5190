import type { Hash } from "../engine/content.js";
import type { OffloadPlan } from "../engine/offload.js";
import type { ToolResult } from "../engine/tool-result.js";
import {
  type FileLayout,
  fileName,
  numberedName,
  resultName,
  type StoredFile,
} from "./file-layout.js";

/**
 * A file name for every result that is offloaded. Within one call the first result of an id gets the
 * plain name and later ones are numbered, skipping names that belong to another id or that a
 * reference in the conversation points to. Many disks ignore case, so names must differ by more.
 */
export function allotNames(
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
