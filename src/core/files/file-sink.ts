import { requireString } from "../arguments.js";
import { DEFAULTS } from "../defaults.js";
import { type Content, type Hash, type ToolResult, serializeContent } from "../engine/format.js";
import type { Stored } from "../engine/offload.js";
import { ContextOffloadError } from "../errors/context-offload-error.js";
import { WriteFailedError } from "../errors/storage-errors.js";
import { mapConcurrently } from "../lib/concurrency.js";
import { couldBePortableName } from "../lib/text/portable-name.js";
import {
  afterOwnName,
  DIRECT_LAYOUT,
  FILE_ENDING,
  HISTORY_LAYOUT,
  joinPath,
  type StoredFile,
  hashedFileName,
} from "./file-layout.js";

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

/** Operating systems limit paths to 4,096 characters, so longer content cannot be a reference. */
const MAX_REFERENCE_CHARS = 4_300;

/** A reference to a file, read out of a text. */
export interface ParsedFileReference {
  readonly style: "direct" | "history";
  /** As written in the text: absolute in `direct`, relative to the output folder in `history`. */
  readonly path: string;
}

const STYLES = {
  direct: {
    start: "[Tool result offloaded to file: ",
    layout: DIRECT_LAYOUT,
    rest: /^(?:~\d{1,15})?(?:~(?:[0-9a-f]{12}|[0-9a-f]{64}))?$/,
  },
  history: {
    start: "[Content offloaded to: ./",
    layout: HISTORY_LAYOUT,
    // The length of a content hash, short or whole, but not that of the hash in another id's safe name.
    rest: /^(?:-\d+)?(?:~(?:[0-9a-f]{12}|[0-9a-f]{64}))?$/,
  },
} as const;

/** A path is one line and ends with the file name; otherwise the text merely contains a reference. */
const NO_PATH = /[\r\n\0]|\.md\]/;

/**
 * Parses a reference that a file preset put into a message; `undefined` for any other text.
 *
 * @example
 * parseFileReference("[Content offloaded to: ./tool-result-toolu_1.md]");
 * // { style: "history", path: "./tool-result-toolu_1.md" }
 */
export function parseFileReference(text: string): ParsedFileReference | undefined {
  const parsed = parsePath(requireString("text", text));
  return parsed && !NO_PATH.test(parsed.path) ? parsed : undefined;
}

/** Whether a text begins like a reference: perhaps a stale one, to a folder that has moved since. */
export function looksLikeFileReference(text: string): boolean {
  return text.startsWith(STYLES.direct.start) || text.startsWith(STYLES.history.start);
}

function parsePath(text: string): ParsedFileReference | undefined {
  if (text.length > MAX_REFERENCE_CHARS || !text.endsWith("]")) return undefined;
  if (text.startsWith(STYLES.direct.start)) {
    return { style: "direct", path: text.slice(STYLES.direct.start.length, -1) };
  }
  if (text.startsWith(STYLES.history.start)) {
    return { style: "history", path: `./${text.slice(STYLES.history.start.length, -1)}` };
  }
  return undefined;
}

/** Where a preset's files are. */
export interface OutputFolder {
  readonly outputDir: string;
  /** The folder of a session's files in `direct`; without one, that of any session. */
  readonly session?: string;
}

/** The text that a preset puts in the place of what is in this file now. */
export function renderFileReference(
  style: ParsedFileReference["style"],
  { path, name }: StoredFile,
): string {
  return `${STYLES[style].start}${style === "direct" ? path : name}]`;
}

/**
 * The file that a result refers to; each preset also recognizes the other's references. A text is one
 * only if it names exactly the file that this result would have in this place: tool output can lie.
 */
export function resolveFileReference(
  { content, soleText, id }: ToolResult,
  folder: OutputFolder,
  hash: Hash,
): StoredFile | undefined {
  const parsed = soleText !== undefined && isOwnForm(content) ? parsePath(soleText) : undefined;
  const file = parsed && findFile(parsed, folder);
  if (!file) return undefined;
  const { layout, rest } = STYLES[parsed.style];
  const { name } = file;
  if (!name.startsWith(layout.prefix) || !name.endsWith(FILE_ENDING)) return undefined;
  const after = afterOwnName(name.slice(layout.prefix.length, -FILE_ENDING.length), id, hash);
  return after !== undefined && rest.test(after) ? file : undefined;
}

/** The file that a reference names in this folder; `undefined` if it names one anywhere else. */
function findFile(
  { style, path }: ParsedFileReference,
  { outputDir, session }: OutputFolder,
): StoredFile | undefined {
  if (style === "history") {
    const name = path.slice("./".length);
    return { path: joinPath(outputDir, name), name };
  }
  const [folder = "", name = ""] = path.slice(joinPath(outputDir, "").length).split(/[\\/]/);
  const isSession = session === undefined ? couldBePortableName(folder) : folder === session;
  return isSession && path === joinPath(outputDir, folder, name) ? { path, name } : undefined;
}

/** A reference is a plain string, or a block if it has a cache mark. */
function isOwnForm(content: Content): boolean {
  if (typeof content === "string") return true;
  return (
    Array.isArray(content) &&
    content.some((block: unknown) => Object.keys(Object(block) as object).length > 2)
  );
}

/**
 * The files that these results refer to, and only those that exist, where the writer can tell: what a
 * tool merely claims to be offloaded is content like any other.
 *
 * @param minChars - A shorter one is kept, whether its file exists or not.
 */
export async function findFiles(
  results: readonly ToolResult[],
  folder: OutputFolder,
  hash: Hash,
  writer: FileWriter,
  minChars = 0,
): Promise<ReadonlyMap<ToolResult, StoredFile>> {
  const { holdsInFolder } = writer as Partial<FolderWriter>;
  const root = folder.outputDir;
  const found = new Map<ToolResult, StoredFile>();
  for (const result of results) {
    const file = resolveFileReference(result, folder, hash);
    if (file) found.set(result, file);
  }
  if (!holdsInFolder) return found;
  const checked = [...found].filter(([{ chars }]) => chars >= minChars);
  await mapConcurrently(checked, DEFAULTS.writeConcurrency, async ([result, { path }]) => {
    const names = path.slice(joinPath(root, "").length).split(/[\\/]/);
    if (!(await holdsInFolder.call(writer, { root, names }))) found.delete(result);
  });
  return found;
}

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
  /** How files are referred to. */
  readonly style: ParsedFileReference["style"];
  /** The indentation of blocks, which are written as JSON. */
  readonly indent?: number;
}

/** One file for each result, through a `FileWriter`. */
export function createFileSink(
  options: FileSinkOptions,
): (result: ToolResult) => Promise<StoredFile & Stored> {
  const { writer, root, folders, hash } = options;
  const { writeInFolder } = writer as Partial<FolderWriter>;

  const write = async (
    name: string,
    content: string,
    existing: FolderWrite["existing"],
  ): Promise<(StoredFile & Stored) | undefined> => {
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
    return { path, name, reference: renderFileReference(options.style, { path, name }) };
  };

  return async (result) => {
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
  };
}
