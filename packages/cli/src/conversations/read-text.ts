import { createReadStream } from "node:fs";
import { BrokenFileError } from "../command-error.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Input } from "./find-inputs.js";

/** The text of an input, in pieces. What is not UTF-8 is refused: it could not be written back as it was. */
export async function* readPieces(
  { path, shown }: Input,
  { input, signal }: Pick<Terminal, "input" | "signal">,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const source = path === undefined ? input : createReadStream(path, { highWaterMark: 1 << 18 });
  try {
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted();
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_ENCODING_INVALID_ENCODED_DATA") throw cause;
    throw new BrokenFileError(`${shown}: is not UTF-8; convert it first`, undefined, { cause });
  }
}

export async function readText(
  input: Input,
  terminal: Pick<Terminal, "input" | "signal">,
): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of readPieces(input, terminal)) pieces.push(piece);
  return pieces.join("");
}
