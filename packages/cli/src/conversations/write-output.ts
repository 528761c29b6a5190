import { randomUUID } from "node:crypto";
import { open, realpath, rename, rm, rmdir, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../command-error.js";
import { isWithin, makeFolder, makeWorkspaceFolder, PRIVATE } from "../make-folder.js";
import { encodeText } from "./cut-character.js";
import type { Input } from "./find-inputs.js";

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
  for (const input of inputs) {
    if (input.path === undefined || (await realpath(input.path)) !== real) continue;
    throw new CommandError(`${input.shown}: would be overwritten; name another folder with --out`);
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
