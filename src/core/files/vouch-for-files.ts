import { DEFAULTS } from "../defaults.js";
import type { Reference } from "../engine/offload.js";
import type { ToolResult } from "../engine/tool-result.js";
import { mapConcurrently } from "../lib/map-concurrently.js";
import { joinPath, type StoredFile } from "./file-layout.js";
import type { FileWriter, FolderWriter } from "./file-writer.js";

/**
 * The same references, but only to files that exist, where the writer can tell: what a tool merely
 * claims to be offloaded is content like any other.
 */
export async function vouchForFiles(
  reference: Reference<StoredFile>,
  results: readonly ToolResult[],
  writer: FileWriter,
  root: string,
): Promise<Reference<StoredFile>> {
  const { holdsInFolder } = writer as Partial<FolderWriter>;
  if (!holdsInFolder) return reference;
  const named: { readonly result: ToolResult; readonly path: string }[] = [];
  for (const result of results) {
    const file = reference.resolve(result);
    if (file) named.push({ result, path: file.path });
  }
  const unknown = new Set<ToolResult>();
  await mapConcurrently(named, DEFAULTS.writeConcurrency, async ({ result, path }) => {
    const names = path.slice(joinPath(root, "").length).split(/[\\/]/);
    if (!(await holdsInFolder.call(writer, { root, names }))) unknown.add(result);
  });
  return {
    ...reference,
    resolve: (result) => (unknown.has(result) ? undefined : reference.resolve(result)),
  };
}
