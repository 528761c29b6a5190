import fs from "node:fs";
import { hasCode } from "../claim-name.js";

// The callback functions of node:fs as promises: they are faster than fs/promises, which makes an
// object for each open file.

export function openFile(path: string, flags: string | number, mode?: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.open(path, flags, mode, (error, fd) => {
      if (error) reject(error);
      else resolve(fd);
    });
  });
}

/** Closes without waiting: what was written is already with the system. */
export function closeSoon(fd: number): void {
  fs.close(fd, () => undefined);
}

/** @returns How many of the bytes were written, in one call. */
export function writeOnce(fd: number, bytes: Uint8Array, from = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.write(fd, bytes, from, bytes.length - from, null, (error, written) => {
      if (error) reject(error);
      else resolve(written);
    });
  });
}

export async function writeAll(fd: number, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length; from += await writeOnce(fd, bytes, from));
}

/** @returns How many bytes were read, in one call; 0 at the end of the file. */
export function readOnce(
  fd: number,
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: number,
): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(fd, buffer, offset, length, position, (error, read) => {
      if (error) reject(error);
      else resolve(read);
    });
  });
}

export function statOpen(fd: number): Promise<fs.Stats> {
  return new Promise((resolve, reject) => {
    fs.fstat(fd, (error, stats) => {
      if (error) reject(error);
      else resolve(stats);
    });
  });
}

/** The stats of a path, without following a link; `undefined` if it does not exist. */
export function lookAt(path: string): Promise<fs.Stats | undefined> {
  return new Promise((resolve, reject) => {
    fs.lstat(path, (error, stats) => {
      if (!error) resolve(stats);
      else if (error.code === "ENOENT") resolve(undefined);
      else reject(error);
    });
  });
}

/** The path with all links resolved; `undefined` if it cannot be determined. */
export function realPath(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    fs.realpath.native(path, (error, real) => {
      resolve(error ? undefined : real);
    });
  });
}

export function renameFile(from: string, to: string): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.rename(from, to, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** @returns Whether there was such a file. */
export function deleteFile(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    fs.unlink(path, (error) => {
      if (error && error.code !== "ENOENT") reject(error);
      else resolve(!error);
    });
  });
}

/**
 * File systems of Linux that this machine keeps in its own memory or on its own disks, by the number
 * that `statfs` reports: tmpfs, ext, xfs, btrfs, overlayfs, f2fs, zfs, bcachefs.
 */
const LOCAL = new Set([
  0x01021994, 0xef53, 0x58465342, 0x9123683e, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e,
]);

/**
 * Looks at files that were used a moment ago. What a local file system knows of them is in memory, and
 * the answer takes less time than handing the question to a thread does; so it is asked at once.
 * Over a network, or where this cannot be known, a thread asks, as for everything that writes.
 */
export class Disk {
  #isLocal = false;

  /** Finds out about the disk of this folder; once it is known to be local, it stays so. */
  async inspect(folder: string): Promise<void> {
    this.#isLocal ||= await isLocal(folder);
  }

  /** The stats of a path, without following a link; `undefined` if it does not exist. */
  async lookAt(path: string): Promise<fs.Stats | undefined> {
    if (!this.#isLocal) return lookAt(path);
    try {
      return fs.lstatSync(path);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
  }

  /** When a folder last changed; `undefined` where asking takes as long as listing it. */
  async changedMs(folder: string): Promise<number | undefined> {
    return this.#isLocal ? (await this.lookAt(folder))?.ctimeMs : undefined;
  }

  /** The stats of an open file. */
  async statOpen(fd: number): Promise<fs.Stats> {
    return this.#isLocal ? fs.fstatSync(fd) : statOpen(fd);
  }

  /** The path with all links resolved; `undefined` if it cannot be determined. */
  async realPath(path: string): Promise<string | undefined> {
    if (!this.#isLocal) return realPath(path);
    try {
      return fs.realpathSync.native(path);
    } catch {
      return undefined;
    }
  }

  /** Reads what was just written; returns how many bytes, 0 at the end of the file. */
  async readOnce(fd: number, buffer: Uint8Array, position: number): Promise<number> {
    if (!this.#isLocal) return readOnce(fd, buffer, 0, buffer.length, position);
    return fs.readSync(fd, buffer, 0, buffer.length, position);
  }

  /** Closes without waiting. */
  close(fd: number): void {
    if (this.#isLocal) fs.closeSync(fd);
    else closeSoon(fd);
  }
}

async function isLocal(folder: string): Promise<boolean> {
  // Elsewhere the numbers mean other things; before Node 18.15 there is no such call.
  if (process.platform !== "linux" || !("statfs" in fs)) return false;
  return new Promise((resolve) => {
    fs.statfs(folder, (error, stats) => {
      resolve(!error && LOCAL.has(stats.type));
    });
  });
}
