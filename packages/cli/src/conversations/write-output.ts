import { randomUUID } from "node:crypto";
import { mkdir, open, realpath, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { CommandError } from "../command-error.js";
import type { Input } from "./find-inputs.js";

/** A file that appears whole or not at all. */
export interface OutputFile {
  readonly path: string;
  write(data: string): Promise<void>;
  /** The file gets its name. */
  finish(): Promise<void>;
  /** Nothing of it remains. */
  discard(): Promise<void>;
}

/** Node's own `recursive` never ends where a folder exists that takes no others, as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (await isThere(folder)) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder));
  await mkdir(folder).catch(async (error: unknown) => {
    // Another process may have been quicker.
    if (!(await isThere(folder))) throw error;
  });
}

function isThere(folder: string): Promise<boolean> {
  return stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

/** Begins the file for an input; never one of the inputs themselves. */
export async function openOutput(
  { name, extension }: Input,
  mark: "offloaded" | "restored",
  folder: string,
  inputs: readonly Input[],
): Promise<OutputFile> {
  const path = resolve(folder, `${name}.${mark}${extension}`);
  await makeFolder(dirname(path));
  const real = await realpath(path).catch(() => join(folder, `${name}.${mark}${extension}`));
  for (const input of inputs) {
    if (input.path === undefined || (await realpath(input.path)) !== real) continue;
    throw new CommandError(`${input.shown}: would be overwritten; name another folder with --out`);
  }
  const temporary = `${path}.${randomUUID().slice(0, 8)}.tmp`;
  const file: FileHandle = await open(temporary, "wx");
  return {
    path,
    write: async (data) => {
      await file.writeFile(data);
    },
    async finish() {
      await file.close();
      await rename(temporary, path);
    },
    async discard() {
      await file.close().catch(() => undefined);
      await rm(temporary, { force: true });
    },
  };
}
