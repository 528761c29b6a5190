import { readFile } from "node:fs/promises";
import { ReadFailedError } from "../core/errors/read-failed-error.js";
import { decodeWtf8 } from "../core/lib/text/wtf8.js";

/**
 * Reads a file that the file presets wrote, exactly, including lone surrogates, which other readers
 * would replace. Blocks are stored as JSON: parse the text to get them back.
 */
export async function readOffloadedFile(path: string): Promise<string> {
  try {
    return decodeWtf8(await readFile(path));
  } catch (cause) {
    throw new ReadFailedError(path, cause);
  }
}
