/** Writes a text to a path. All that a caller must bring to store contents elsewhere than on disk. */
export interface FileWriter {
  writeFile(path: string, content: string): Promise<void>;
}

/** A write below a folder that is trusted, while the names below it are not. */
export interface FolderWrite {
  readonly root: string;
  /** The names from the root down to the file. */
  readonly names: readonly string[];
  readonly content: string;
  /** What happens to a file that is there: it is replaced, or kept and told of. */
  readonly existing: "replace" | "keep";
}

/** `same`: it was there already. `taken`: the name holds other content, and nothing was written. */
export type FolderWriteOutcome = "written" | "same" | "taken";

/** A writer that can promise more than a path and a text allow: links, exclusive names, two processes. */
export interface FolderWriter extends FileWriter {
  readonly writeInFolder: ((write: FolderWrite) => Promise<FolderWriteOutcome>) | undefined;
}
