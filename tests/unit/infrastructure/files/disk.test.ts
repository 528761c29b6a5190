import fs from "node:fs";
import { mkdir, readlink, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Disk } from "../../../../src/infrastructure/files/disk.js";
import { makeTempFolder } from "../../../support/temp-folder.js";

const ON_LINUX = process.platform === "linux";

describe.each(["by a thread", "at once"])("Disk, asked %s", (way) => {
  let disk: Disk;
  let folder: string;

  beforeEach(async () => {
    disk = new Disk();
    folder = join(await makeTempFolder(), "real");
    await mkdir(folder);
    await writeFile(join(folder, "file"), "0123456789");
    if (way === "at once") await disk.inspect(folder);
  });

  it("looks at files, and not behind links", async () => {
    await symlink("nowhere", join(folder, "link"));
    expect((await disk.lookAt(join(folder, "file")))?.size).toBe(10);
    expect((await disk.lookAt(join(folder, "link")))?.isSymbolicLink()).toBe(true);
    expect(await disk.lookAt(join(folder, "missing"))).toBeUndefined();
  });

  it("resolves links", async () => {
    const link = join(folder, "..", "other-name");
    await symlink(folder, link);
    expect(await disk.realPath(link)).toBe(await disk.realPath(folder));
    expect(await disk.realPath(join(folder, "missing"))).toBeUndefined();
  });

  it("reads from a position, and nothing behind the end", async () => {
    const fd = fs.openSync(join(folder, "file"), "r");
    const buffer = Buffer.alloc(8);
    expect(await disk.readOnce(fd, buffer, 4)).toBe(6);
    expect(buffer.toString("utf8", 0, 6)).toBe("456789");
    expect(await disk.readOnce(fd, buffer, 10)).toBe(0);
    expect((await disk.statOpen(fd)).size).toBe(10);
    disk.close(fd);
  });

  it("rejects what fails, and does not throw", async () => {
    const closed = fs.openSync(join(folder, "file"), "r");
    fs.closeSync(closed);
    const reading = disk.readOnce(closed, Buffer.alloc(1), 0);
    await expect(reading).rejects.toMatchObject({ code: "EBADF" });
    const below = disk.lookAt(join(folder, "file", "below"));
    await expect(below).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  it.runIf(ON_LINUX)("closes files", async () => {
    const fd = fs.openSync(join(folder, "file"), "r");
    disk.close(fd);
    await vi.waitFor(() => expect(readlink(`/proc/self/fd/${fd.toString()}`)).rejects.toThrow());
  });
});

describe.runIf(ON_LINUX)("Disk", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("asks a local file system at once", async () => {
    const folder = await makeTempFolder();
    const asked = vi.spyOn(fs, "lstatSync");
    const disk = new Disk();
    await disk.inspect(folder);
    await disk.lookAt(folder);
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it.each(["/proc", "/nowhere/at/all"])("lets a thread ask of %s", async (path) => {
    const folder = await makeTempFolder();
    const asked = vi.spyOn(fs, "lstatSync");
    const disk = new Disk();
    await disk.inspect(path);
    await disk.lookAt(folder);
    expect(asked).not.toHaveBeenCalled();
  });
});
