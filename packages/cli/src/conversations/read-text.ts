import { createReadStream } from "node:fs";
import { BrokenFileError } from "../command-error.js";
import type { Terminal } from "../terminal/terminal.js";
import { cutCharacter } from "./cut-character.js";
import type { Input } from "./find-inputs.js";

const BYTE_ORDER_MARK = "\ufeff";

/**
 * The text of an input, in pieces. What is not UTF-8 is refused: it could not be written back as it was. Only the
 * last character may be cut off; `encodeText` writes it. A byte order mark is not part of the text, and goes to
 * `onMark`.
 */
export async function* readPieces(
  { path, shown }: Input,
  { input, signal }: Pick<Terminal, "input" | "signal">,
  onMark: (mark: string) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const source = path === undefined ? input : createReadStream(path, { highWaterMark: 1 << 18 });
  let isStart = true;
  let last: Uint8Array = new Uint8Array();
  try {
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted();
      const piece = decoder.decode(chunk, { stream: true });
      const isMarked = isStart && piece.startsWith(BYTE_ORDER_MARK);
      if (isMarked) onMark(BYTE_ORDER_MARK);
      yield isMarked ? piece.slice(1) : piece;
      isStart &&= piece === "";
      last = Buffer.concat([last.subarray(-3), chunk.subarray(-3)]);
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_ENCODING_INVALID_ENCODED_DATA") throw cause;
    throw new BrokenFileError(`${shown}: is not UTF-8; convert it first`, undefined, { cause });
  }
  let end: string;
  try {
    end = decoder.decode();
  } catch {
    end = cutCharacter(last);
  }
  yield end;
}

export async function readText(
  input: Input,
  terminal: Pick<Terminal, "input" | "signal">,
  onMark: (mark: string) => void,
): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of readPieces(input, terminal, onMark)) pieces.push(piece);
  return pieces.join("");
}
