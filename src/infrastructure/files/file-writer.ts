import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { requireText } from "../../core/arguments.js";
import { ReadFailedError } from "../../core/errors/storage-errors.js";
import type {
  FolderFile,
  FolderWrite,
  FolderWriteOutcome,
  FolderWriter,
} from "../../core/files/file-sink.js";
import { decodeWtf8, encodeWtf8, isWellFormed } from "../../core/lib/text/wtf8.js";
import { claimName, publishNew } from "./claim-name.js";
import { Disk, hasCode } from "./disk.js";
import { FILE_MODE } from "./store-layout.js";

const writeFile = promisify(fs.writeFile);
const mkdir = promisify(fs.mkdir);
/** A thread makes all calls: a call of a file function comes once in a while, for any folder. */
const disk = new Disk();

/**
 * Writes files atomically: to a temporary name in the same folder, then renamed. Folders are created
 * as needed. Text with lone surrogates is written as WTF-8.
 */
export class NodeFileWriter implements FolderWriter {
  async writeFile(path: string, content: string): Promise<void> {
    const temporary = await writeTemporary(dirname(path), content);
    try {
      await disk.rename(temporary, path);
    } catch (error) {
      await discard(temporary);
      throw error;
    }
  }

  /** What this package's functions call instead of `writeFile`; `undefined` if a subclass overrides `writeFile`. */
  get writeInFolder(): ((write: FolderWrite) => Promise<FolderWriteOutcome>) | undefined {
    return this.writeFile === NodeFileWriter.prototype.writeFile ? writeInFolder : undefined;
  }

  /** Whether such a file exists; `undefined` if a subclass overrides `writeFile`, whose files may be elsewhere. */
  get holdsInFolder(): ((file: FolderFile) => Promise<boolean>) | undefined {
    return this.writeFile === NodeFileWriter.prototype.writeFile ? holdsInFolder : undefined;
  }
}

const writeInFolder = async (write: FolderWrite): Promise<FolderWriteOutcome> => {
  const { root, names, content, existing } = write;
  await disk.rejectLinks(root, names.slice(0, -1));
  const path = join(root, ...names);
  if (existing === "replace") return replaceOwn(root, names, content);
  const bytes = encode(content);
  return publishNew(path, bytes, {
    write: () => writeTemporary(dirname(path), bytes),
    discard,
  });
};

/** Replaces the file of exactly this name; a disk that ignores case also finds those of other names. */
async function replaceOwn(
  root: string,
  names: readonly string[],
  content: string,
): Promise<FolderWriteOutcome> {
  const path = join(root, ...names);
  const temporary = await writeTemporary(dirname(path), content);
  try {
    // The folders exist by now, and so have the case that they will keep.
    for (const [index, name] of names.slice(0, -1).entries()) {
      if (!(await hasOwnCase(join(root, ...names.slice(0, index)), name))) return "taken";
    }
    // Claimed first: another process may be writing a name that differs only in case.
    if (await claimName(temporary, path)) return "written";
    if (!(await hasOwnCase(dirname(path), basename(path)))) return "taken";
    await disk.rename(temporary, path);
    return "written";
  } finally {
    await discard(temporary);
  }
}

/** Whether a name that exists in the folder is spelled this way, rather than found by another case. */
async function hasOwnCase(folder: string, name: string): Promise<boolean> {
  const swapped = name.replace(/[A-Za-z]/g, swapCase);
  // Where case matters there is no such file, which saves reading the folder.
  if (swapped === name || !(await disk.lookAt(join(folder, swapped)).catch(() => undefined)))
    return true;
  return (await readdir(folder)).includes(name);
}

function swapCase(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
}

const holdsInFolder = async ({ root, names }: FolderFile): Promise<boolean> => {
  const last = names.length - 1;
  for (const index of names.keys()) {
    const stats = await disk
      .lookAt(join(root, ...names.slice(0, index + 1)))
      .catch(() => undefined);
    if (!stats || (index === last ? !stats.isFile() : !stats.isDirectory())) return false;
  }
  return true;
};

async function writeTemporary(folder: string, content: string | Uint8Array): Promise<string> {
  const data = typeof content === "string" ? encode(content) : content;
  const temporary = join(folder, `.offload-${randomBytes(9).toString("hex")}.tmp`);
  const write = () => writeFile(temporary, data, { flag: "wx", mode: FILE_MODE });
  try {
    // The folder nearly always exists, so checking first would cost more than failing once.
    await write().catch(async (error: unknown) => {
      if (!hasCode(error, "ENOENT")) throw error;
      await mkdir(folder, { recursive: true });
      await write();
    });
  } catch (error) {
    await discard(temporary);
    throw error;
  }
  return temporary;
}

/** A well-formed text is passed on as a string, since node:fs encodes UTF-8 itself. */
function encode(content: string): string | Uint8Array {
  return isWellFormed(content) ? content : encodeWtf8(content);
}

async function discard(temporary: string): Promise<void> {
  await disk.delete(temporary).catch(() => undefined);
}

/**
 * Reads a file that the file presets wrote, exactly, including lone surrogates, which other readers
 * would replace. Blocks are stored as JSON: parse the text to get them back.
 */
export async function readOffloadedFile(path: string): Promise<string> {
  requireText("path", path, "the path of the file");
  try {
    return decodeWtf8(await readFile(path));
  } catch (cause) {
    throw new ReadFailedError(path, cause);
  }
}
