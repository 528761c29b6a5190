import { readFile } from "node:fs/promises";
import { ReadFailedError } from "../core/errors/read-failed-error.js";
import { decodeWtf8 } from "../core/lib/text/wtf8.js";

/**
 * The text of a file that this package wrote, exactly: lone surrogates, which other readers replace,
 * come back too. Blocks are JSON; parse the text to have them back.
 */
export async function readOffloadedFile(path: string): Promise<string> {
  try {
    return decodeWtf8(await readFile(path));
  } catch (cause) {
    throw new ReadFailedError(path, cause);
  }
}
