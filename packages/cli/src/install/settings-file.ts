import { randomUUID } from "node:crypto";
import {
  access,
  chown,
  constants,
  lstat,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname } from "node:path";
import { CommandError, EXIT } from "../command-error.js";
import { makeFolder, PRIVATE } from "../make-folder.js";

const BYTE_ORDER_MARK = "\ufeff";
const BY_HAND = "nothing was changed";

/** A settings file on disk, which belongs to somebody else: it keeps its mode, its owner and its links. */
export class SettingsFile {
  readonly path: string;
  /** Without a byte order mark; `undefined` for a file that does not exist. */
  readonly text: string | undefined;
  readonly #bytes: Buffer | undefined;
  readonly #mark: string;

  private constructor(path: string, bytes: Buffer | undefined) {
    this.path = path;
    this.#bytes = bytes;
    const text = bytes && decode(path, bytes);
    this.#mark = text?.startsWith(BYTE_ORDER_MARK) === true ? BYTE_ORDER_MARK : "";
    this.text = text?.slice(this.#mark.length);
  }

  static async read(path: string): Promise<SettingsFile> {
    const stats = await stat(path).catch(unlessMissing);
    if (stats && !stats.isFile()) throw new CommandError(`${path}: is not a file; ${BY_HAND}`);
    return new SettingsFile(path, stats && (await readFile(path)));
  }

  /** Whether a text differs from what is in the file. */
  differs(text: string | undefined): boolean {
    return text !== this.text;
  }

  /** Writes another text, or removes the file for `undefined`; rejects if somebody wrote to it in the meantime. */
  async write(text: string | undefined): Promise<void> {
    await this.#replace(
      this.#bytes,
      text === undefined ? undefined : Buffer.from(this.#mark + text),
    );
  }

  /** Writes back what was there before `write(text)`. */
  async undo(text: string | undefined): Promise<void> {
    await this.#replace(
      text === undefined ? undefined : Buffer.from(this.#mark + text),
      this.#bytes,
    );
  }

  async #replace(expected: Buffer | undefined, bytes: Buffer | undefined): Promise<void> {
    const found = await readFile(this.path).catch(unlessMissing);
    if (!(found && expected ? found.equals(expected) : found === expected)) {
      const why = "was written by another program at the same time; try again";
      throw new CommandError(`${this.path}: ${why}, ${BY_HAND}`, EXIT.failed);
    }
    if (found === undefined) await this.#create(bytes ?? Buffer.alloc(0));
    else if (bytes === undefined) await rm(await realpath(this.path));
    else await this.#overwrite(bytes);
  }

  /** A new file is for its owner alone: what a client adds to it later may be secret. */
  async #create(bytes: Buffer): Promise<void> {
    if (await lstat(this.path).catch(unlessMissing)) {
      throw new CommandError(`${this.path}: is a link to a file that does not exist; ${BY_HAND}`);
    }
    makeFolder(dirname(this.path));
    await writeFile(this.path, bytes, { flag: "wx", mode: PRIVATE.file });
  }

  /** At once, by a file that takes its place, unless that would change its owner or cut a hard link. */
  async #overwrite(bytes: Buffer): Promise<void> {
    const path = await realpath(this.path);
    await access(path, constants.W_OK);
    const { mode, uid, gid, nlink } = await stat(path);
    const temporary = `${path}.${randomUUID().slice(0, 8)}.tmp`;
    const isReplaceable = nlink === 1 && (await writeLike(temporary, bytes, { mode, uid, gid }));
    if (isReplaceable) await rename(temporary, path);
    else await writeFile(path, bytes, { flag: "r+" }).then(() => cutTo(path, bytes.length));
  }
}

/** Makes a file with this mode and owner; `false`, and no file, if it cannot be. */
async function writeLike(
  path: string,
  bytes: Buffer,
  { mode, uid, gid }: { readonly mode: number; readonly uid: number; readonly gid: number },
): Promise<boolean> {
  const file = await open(path, "wx", PRIVATE.file).catch(() => undefined);
  if (!file) return false;
  try {
    await file.writeFile(bytes);
    const made = await file.stat();
    if (made.uid !== uid || made.gid !== gid) await chown(path, uid, gid);
    await file.chmod(mode & 0o7777);
    return true;
  } catch {
    await rm(path, { force: true });
    return false;
  } finally {
    await file.close();
  }
}

async function cutTo(path: string, length: number): Promise<void> {
  const file = await open(path, "r+");
  await file.truncate(length).finally(() => file.close());
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CommandError(`${path}: is not UTF-8; convert it first, ${BY_HAND}`, EXIT.usage, {
      cause,
    });
  }
}

function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
  throw error;
}
