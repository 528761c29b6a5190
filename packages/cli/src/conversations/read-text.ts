import { createReadStream } from "node:fs";
import { parseConversation, type ParsedConversation } from "context-offload";
import { CommandError, explainError } from "../command-error.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Input } from "./find-inputs.js";

/** The text of an input, in pieces. What is not UTF-8 is refused: it could not be written back as it was. */
export async function* readPieces(
  { path, shown }: Input,
  { input, signal }: Pick<Terminal, "input" | "signal">,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const source = path === undefined ? input : createReadStream(path, { highWaterMark: 1 << 20 });
  try {
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted();
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_ENCODING_INVALID_ENCODED_DATA") throw cause;
    throw new CommandError(`${shown}: is not UTF-8; convert it first`, undefined, { cause });
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

/** The conversation in a text; an error says where the text is broken. */
export function parseText(text: string, { shown }: Input): ParsedConversation {
  try {
    return parseConversation(text);
  } catch (cause) {
    const why = findBroken(text) ?? explainError(cause).text;
    throw new CommandError(`${shown}: ${why}`, undefined, { cause });
  }
}

/** Where a text ceases to be JSON; `undefined` if it is JSON. */
function findBroken(text: string): string | undefined {
  const lines = text.split("\n");
  const isOneByLine = lines.filter((line) => /^\s*[{[].*[}\]]\s*$/.test(line)).length > 1;
  if (isOneByLine) {
    for (const [index, line] of lines.entries()) {
      const broken = line.trim() === "" ? undefined : brokenAt(line);
      if (broken) return `broken JSON at line ${index + 1}: ${broken.why}`;
    }
    return undefined;
  }
  const broken = brokenAt(text);
  if (!broken) return undefined;
  const before = text.slice(0, broken.position).split("\n");
  const column = (before.at(-1)?.length ?? 0) + 1;
  return `broken JSON at line ${before.length}, column ${column}: ${broken.why}`;
}

function brokenAt(text: string): { readonly why: string; readonly position: number } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
    const [why = ""] = message.split(/,? (?:"|in JSON|\.\.\.)/);
    return { why: why.slice(0, 80), position };
  }
}
