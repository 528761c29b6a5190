/** Writes text to a path: all that is needed to store content somewhere other than on disk. */
export interface FileWriter {
  writeFile(path: string, content: string): Promise<void>;
}

/** A file below a trusted folder; the names below it are not trusted. */
export interface FolderFile {
  readonly root: string;
  /** The names from the root down to the file. */
  readonly names: readonly string[];
}

/** A file to write, and what to do if it exists. */
export interface FolderWrite extends FolderFile {
  readonly content: string;
  /** Whether an existing file is replaced, or kept and reported as `taken`. One whose name has another case is always kept. */
  readonly existing: "replace" | "keep";
}

/** `same`: the file already has this content. `taken`: it has other content, and nothing was written. */
export type FolderWriteOutcome = "written" | "same" | "taken";

/** A writer that is also safe against symbolic links, taken names and other processes. */
export interface FolderWriter extends FileWriter {
  readonly writeInFolder: ((write: FolderWrite) => Promise<FolderWriteOutcome>) | undefined;
  /** Whether there is such a file below the root, without following any link. */
  readonly holdsInFolder: ((file: FolderFile) => Promise<boolean>) | undefined;
}
