import { readdir, stat } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import { CommandError, EXIT } from "../command-error.js";
import type { Terminal } from "../terminal/terminal.js";

/** A conversation to work on. */
export interface Input {
  /** The file; `undefined` for standard input. */
  readonly path: string | undefined;
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
      found.push(inputOf(full, path, stats.size, false));
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
      found.push(inputOf(join(full, name), join(path, name), size, true));
    }
  }
  return distinct(found);
}

async function conversationsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => CONVERSATION.test(name) && !WRITTEN.test(name)).sort();
}

function inputOf(path: string, shown: string, bytes: number, isFound: boolean): Input {
  const ending = extname(path);
  const extension = ending || ".json";
  return { path, shown, name: basename(path, ending), extension, bytes, isFound };
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
