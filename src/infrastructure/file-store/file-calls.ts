import fs from "node:fs";

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
