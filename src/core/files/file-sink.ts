import { type Hash, serializeContent } from "../engine/content.js";
import { ContextOffloadError } from "../errors/context-offload-error.js";
import { WriteFailedError } from "../errors/storage-errors.js";
import type { Sink } from "../engine/offload.js";
import type { ToolResult } from "../engine/tool-result.js";
import { hashedFileName, joinPath, type StoredFile } from "./file-layout.js";
import { looksLikeFileReference } from "./file-reference.js";
import type { FileWriter, FolderWrite, FolderWriter } from "./file-writer.js";

const SHORT_HASH_CHARS = 12;

export interface FileSinkOptions {
  readonly writer: FileWriter;
  /** The folder that the caller trusts. */
  readonly root: string;
  /** The names of the folders below it. */
  readonly folders: readonly string[];
  readonly names: ReadonlyMap<ToolResult, string>;
  readonly existing: FolderWrite["existing"];
  readonly hash: Hash;
  /** The indentation of blocks, which are written as JSON. */
  readonly indent?: number;
}

/** One file for each result, through a `FileWriter`. */
export function createFileSink(options: FileSinkOptions): Sink<StoredFile> {
  const { writer, root, folders, hash } = options;
  const { writeInFolder } = writer as Partial<FolderWriter>;

  const write = async (
    name: string,
    content: string,
    existing: FolderWrite["existing"],
  ): Promise<StoredFile | undefined> => {
    const path = joinPath(root, ...folders, name);
    try {
      if (!writeInFolder) await writer.writeFile(path, content);
      else {
        const names = [...folders, name];
        const outcome = await writeInFolder.call(writer, { root, names, content, existing });
        if (outcome === "taken") return undefined;
      }
    } catch (cause) {
      throw ContextOffloadError.isInstance(cause) ? cause : new WriteFailedError(path, cause);
    }
    return { path, name };
  };

  return {
    async put(result) {
      const name = options.names.get(result);
      if (name === undefined) throw new WriteFailedError(root, "it was given no name");
      const content = serializeContent(result.content, options.indent);
      // A stale reference, to a folder that has moved, must not replace the content that it stands for.
      const isStale = looksLikeFileReference(result.soleText ?? "");
      const mayReplace = isStale && !writeInFolder;
      const existing = isStale ? "keep" : options.existing;
      const stored = mayReplace ? undefined : await write(name, content, existing);
      if (stored) return stored;
      const contentHash = hash(content);
      for (const suffix of [contentHash.slice(0, SHORT_HASH_CHARS), contentHash]) {
        const hashed = await write(hashedFileName(name, suffix), content, "keep");
        if (hashed) return hashed;
      }
      throw new WriteFailedError(joinPath(root, ...folders, name), "every name for it is taken");
    },
  };
}
