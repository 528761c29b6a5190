import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import {
  readdir,
  stat,
  open,
  realpath,
  rename,
  rm,
  rmdir,
  type FileHandle,
} from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import { CommandError, EXIT, BrokenFileError } from "../command-error.js";
import { isWithin, makeFolder, makeWorkspaceFolder, PRIVATE } from "../make-folder.js";
import type { Terminal } from "../terminal/terminal.js";

/** A conversation to work on. */
export interface Input {
  /** The file; `undefined` for standard input. */
  readonly path: string | undefined;
  /** The same without links; looked up once, since every output is compared with every input. */
  readonly realPath: string | undefined;
  /** What people call it. */
  readonly shown: string;
  /** Its name without folder and extension: the default session, and the name of what is written. */
  readonly name: string;
  readonly extension: string;
  readonly bytes: number;
  /** Whether it was found in a folder, rather than named. */
  readonly isFound: boolean;
}

const CONVERSATION = /\.jsonl?$|\.ndjson$/i;
const WRITTEN = /\.(?:offloaded|restored)\.[^.]*$/;

/** The conversations that these arguments name: files, all of a folder, or `-` for standard input. */
export async function findInputs(
  paths: readonly string[],
  { cwd }: Pick<Terminal, "cwd">,
): Promise<Input[]> {
  const found: Input[] = [];
  for (const path of paths) {
    if (path === "-") {
      found.push({
        path: undefined,
        realPath: undefined,
        shown: "standard input",
        name: "stdin",
        extension: ".json",
        bytes: 0,
        isFound: false,
      });
      continue;
    }
    const full = resolve(cwd, path);
    const stats = await stat(full).catch((cause: unknown) => {
      throw new CommandError(
        `${path}: there is no such file or folder; check the path`,
        EXIT.usage,
        { cause },
      );
    });
    if (!stats.isDirectory()) {
      found.push(await inputOf(full, path, stats.size, false));
      continue;
    }
    const inside = await conversationsIn(full);
    if (inside.length === 0) {
      throw new CommandError(
        `${path}: this folder has no .json or .jsonl files; name the files themselves`,
      );
    }
    for (const name of inside) {
      const { size } = await stat(join(full, name));
      found.push(await inputOf(join(full, name), join(path, name), size, true));
    }
  }
  return distinct(found);
}

async function conversationsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => CONVERSATION.test(name) && !WRITTEN.test(name)).sort();
}

async function inputOf(
  path: string,
  shown: string,
  bytes: number,
  isFound: boolean,
): Promise<Input> {
  const ending = extname(path);
  const extension = ending || ".json";
  const realPath = await realpath(path);
  return { path, realPath, shown, name: basename(path, ending), extension, bytes, isFound };
}

/** Two files of the same name, of different folders, get different names. */
function distinct(inputs: readonly Input[]): Input[] {
  const seen = new Map<string, number>();
  return inputs.map((input) => {
    const key = input.name + input.extension;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? input : { ...input, name: `${input.name}-${count}` };
  });
}

/** The session of a conversation is named after its file, and what `run` wrote after the one that it read. */
export function sessionOf({ name }: Input): string {
  return name.replace(/\.offloaded$/, "");
}

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

/** A file that appears whole or not at all. */
export interface OutputFile {
  readonly path: string;
  write(text: string): Promise<void>;
  /** The file gets its name. */
  finish(): Promise<void>;
  /** Nothing of it remains. */
  discard(): Promise<void>;
}

interface OutputOptions {
  readonly mark: "offloaded" | "restored";
  readonly folder: string;
  readonly inputs: readonly Input[];
  /** The workspace, if it is a folder: what is written into it is as private as the rest. */
  readonly root: string | undefined;
}

/** Begins the file for an input; never one of the inputs themselves. */
export async function openOutput(
  { name, extension }: Input,
  { mark, folder, inputs, root }: OutputOptions,
): Promise<OutputFile> {
  const path = join(folder, `${name}.${mark}${extension}`);
  const real = await realpath(path).catch(() => path);
  const overwritten = inputs.find(({ realPath }) => realPath === real);
  if (overwritten) {
    throw new CommandError(
      `${overwritten.shown}: would be overwritten; name another folder with --out`,
    );
  }
  const temporary = `${path}.${randomUUID().slice(0, 8)}.tmp`;
  const isPrivate = root !== undefined && isWithin(folder, root);
  if (isPrivate) makeWorkspaceFolder(root);
  const made = makeFolder(folder, isPrivate ? PRIVATE.folder : undefined);
  const file: FileHandle = await open(temporary, "wx", isPrivate ? PRIVATE.file : undefined);
  return {
    path,
    write: async (text) => {
      await file.writeFile(encodeText(text));
    },
    async finish() {
      await file.close();
      await rename(temporary, path);
    },
    async discard() {
      await file.close().catch(() => undefined);
      await rm(temporary, { force: true });
      // Only what is empty can be removed in this way.
      for (const empty of made) await rmdir(empty).catch(() => undefined);
    },
  };
}

/**
 * A log may end within a character: its last one to three bytes are not text. Each becomes a code unit that no decoded
 * text has, half of a surrogate pair, and the byte again when it is written.
 */
const CUT = /[\udc80-\udcff]{1,3}$/u;
const OFFSET = 0xdc00;

/** The bytes of a character that is cut off at the end, given at least the last three. */
export function cutCharacter(lastBytes: Uint8Array): string {
  const start = lastBytes.findLastIndex((byte) => byte >= 0xc0);
  return String.fromCharCode(...Array.from(lastBytes.subarray(start), (byte) => OFFSET + byte));
}

/** What to write for a text, as its bytes if it ends with such a character. */
export function encodeText(text: string): string | Uint8Array {
  const at = text.search(CUT);
  if (at === -1) return text;
  const cut = Array.from(text.slice(at), (char) => char.charCodeAt(0) - OFFSET);
  return Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from(cut)]);
}
