import fs from "node:fs";
import { join } from "node:path";
import { UnsafePathError } from "../../core/errors/storage-errors.js";

/**
 * True for an error of the operating system with one of these codes. Checked by shape: in another
 * realm (Jest, vitest's vmThreads) such an error is not an `instanceof Error`.
 */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    typeof error.code === "string" &&
    codes.includes(error.code)
  );
}

/** Tells two files of a disk apart, whatever their names. */
export function identityOf({ dev, ino }: { dev: number; ino: number }): string {
  return `${dev}:${ino}`;
}

/**
 * File systems of Linux that this machine keeps in its own memory or on its own disks, by the number
 * that `statfs` reports: tmpfs, ext, xfs, btrfs, overlayfs, f2fs, zfs, bcachefs.
 */
const LOCAL = new Set([
  0x01021994, 0xef53, 0x58465342, 0x9123683e, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e,
]);

const {
  O_NOFOLLOW = 0,
  O_NONBLOCK = 0,
  O_RDONLY,
} = fs.constants as Partial<Record<string, number>> & { O_RDONLY: number };

/**
 * A link in place of a file is not followed, since it may lead out of the workspace, and a pipe does
 * not block. Windows lacks both flags.
 */
export const NO_LINK = O_NOFOLLOW | O_NONBLOCK;
const READ_NO_LINK = O_RDONLY | NO_LINK;

/** Up to so much is read in the time that passing the question to a thread takes; it was opened a moment ago. */
const READ_AT_ONCE_BYTES = 16_384;

type Done<T> = (error: NodeJS.ErrnoException | null, value: T) => void;

/** A callback function of node:fs as a promise: faster than fs/promises, which makes an object for each open file. */
function byThread<T>(call: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => {
      if (error) reject(error);
      else resolve(value);
    });
  });
}

/**
 * The calls of the system that the file store makes. Whatever writes is done by a thread. Looking at
 * files that were used a moment ago is done at once on a local file system, which has what it knows of
 * them in memory: the answer takes less time than passing the question to a thread. Over a network, or
 * where this cannot be known, a thread looks, too.
 */
export class Disk {
  #isLocal = false;

  /** Finds out about the disk of this folder; once it is known to be local, it stays so. */
  async inspect(folder: string): Promise<void> {
    // Elsewhere the numbers mean other things; before Node 18.15 there is no such call.
    if (this.#isLocal || process.platform !== "linux" || !("statfs" in fs)) return;
    try {
      const { type } = await byThread<fs.StatsFs>((done) => {
        fs.statfs(folder, done);
      });
      this.#isLocal = LOCAL.has(type);
    } catch {
      // Then a thread asks.
    }
  }

  async #look<T>(atOnce: () => T, call: (done: Done<T>) => void): Promise<T> {
    return this.#isLocal ? atOnce() : byThread(call);
  }

  /** The stats of a path, without following a link; `undefined` if it does not exist. */
  async lookAt(path: string): Promise<fs.Stats | undefined> {
    try {
      return await this.#look(
        () => fs.lstatSync(path),
        (done) => {
          fs.lstat(path, done);
        },
      );
    } catch (error) {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
  }

  /** When a folder last changed; `undefined` where asking takes as long as listing it. */
  async changedMs(folder: string): Promise<number | undefined> {
    return this.#isLocal ? (await this.lookAt(folder))?.ctimeMs : undefined;
  }

  /** Opens a file for reading, if it is one. */
  openToRead(path: string): Promise<number> {
    return this.#look(
      () => fs.openSync(path, READ_NO_LINK),
      (done) => {
        fs.open(path, READ_NO_LINK, done);
      },
    );
  }

  /** The stats of an open file. */
  statOpen(fd: number): Promise<fs.Stats> {
    return this.#look(
      () => fs.fstatSync(fd),
      (done) => {
        fs.fstat(fd, done);
      },
    );
  }

  /** The path with all links resolved; `undefined` if it cannot be determined. */
  async realPath(path: string): Promise<string | undefined> {
    try {
      return await this.#look(
        () => fs.realpathSync.native(path),
        (done) => {
          fs.realpath.native(path, done);
        },
      );
    } catch {
      return undefined;
    }
  }

  /** Reads what is short, or was just written; returns how many bytes, 0 at the end of the file. */
  readOnce(fd: number, buffer: Uint8Array, position: number): Promise<number> {
    return this.#look(
      () => fs.readSync(fd, buffer, 0, buffer.length, position),
      (done) => {
        fs.read(fd, buffer, 0, buffer.length, position, done);
      },
    );
  }

  /** Closes without waiting: what was written is already with the system. */
  close(fd: number): void {
    if (this.#isLocal) fs.closeSync(fd);
    else fs.close(fd, () => undefined);
  }

  /** Rejects links: every name below the root must be a real folder, or not exist. */
  async rejectLinks(root: string, folders: readonly string[]): Promise<"exists" | "missing"> {
    const paths = folders.map((_, index) => join(root, ...folders.slice(0, index + 1)));
    const found = await Promise.all(paths.map((path) => this.lookAt(path)));
    const link = paths[found.findIndex((stats) => stats?.isSymbolicLink())];
    if (link === undefined) return found.length > 0 && !found.at(-1) ? "missing" : "exists";
    throw new UnsafePathError(link, "it is a symbolic link, which may lead out of the folder");
  }

  open(path: string, flags: string | number, mode?: number): Promise<number> {
    return byThread((done) => {
      fs.open(path, flags, mode, done);
    });
  }

  /** Fills a buffer; returns how many bytes there were. */
  async read(fd: number, buffer: Uint8Array, position: number): Promise<number> {
    const { length } = buffer;
    let filled = 0;
    while (filled < length) {
      const read = await (length <= READ_AT_ONCE_BYTES
        ? this.readOnce(fd, buffer.subarray(filled), position + filled)
        : byThread<number>((done) => {
            fs.read(fd, buffer, filled, length - filled, position + filled, done);
          }));
      if (read === 0) break;
      filled += read;
    }
    return filled;
  }

  /** @returns How many of the bytes were written, in one call. */
  writeOnce(fd: number, bytes: Uint8Array, from = 0): Promise<number> {
    return byThread((done) => {
      fs.write(fd, bytes, from, bytes.length - from, null, done);
    });
  }

  async write(fd: number, bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; from += await this.writeOnce(fd, bytes, from));
  }

  /** Overwrites a part of a file that was not opened for appending. */
  async writeAt(fd: number, bytes: Uint8Array, position: number): Promise<void> {
    for (let from = 0; from < bytes.length;) {
      from += await byThread<number>((done) => {
        fs.write(fd, bytes, from, bytes.length - from, position + from, done);
      });
    }
  }

  async rename(from: string, to: string): Promise<void> {
    await byThread((done) => {
      fs.rename(from, to, (error) => {
        done(error, undefined);
      });
    });
  }

  /** @returns Whether there was such a file. */
  async delete(path: string): Promise<boolean> {
    try {
      await byThread((done) => {
        fs.unlink(path, (error) => {
          done(error, undefined);
        });
      });
      return true;
    } catch (error) {
      if (hasCode(error, "ENOENT")) return false;
      throw error;
    }
  }
}
