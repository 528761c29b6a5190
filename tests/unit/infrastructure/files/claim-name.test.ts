import type * as fs from "node:fs/promises";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { makeTempFolder } from "../../../support/temp-folder.js";

const refusal = vi.hoisted(() => ({ code: undefined as string | undefined }));

// What a file system without hard links answers; tests/faults/odd-disks tries a real one.
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof fs>();
  return {
    ...real,
    link: (from: string, to: string) =>
      refusal.code
        ? Promise.reject(Object.assign(new Error(refusal.code), { code: refusal.code }))
        : real.link(from, to),
  };
});

// Files of tests share their modules; here they are loaded with the mock, and afterwards without it.
vi.resetModules();
const { publishNew } = await import("../../../../src/infrastructure/files/claim-name.js");
afterAll(() => {
  refusal.code = undefined;
  vi.resetModules();
});

function temporaryIn(folder: string, content: string) {
  const temporary = join(folder, "temporary");
  return {
    path: join(folder, "final"),
    file: {
      write: async () => {
        await writeFile(temporary, content);
        return temporary;
      },
      discard: () => rm(temporary, { force: true }),
    },
  };
}

describe("publishing a new file", () => {
  it.each(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EACCES", "EINVAL", "EISDIR"])(
    "renames where there are no hard links (%s)",
    async (code) => {
      refusal.code = code;
      const folder = await makeTempFolder();
      const { path, file } = temporaryIn(folder, "text");
      expect(await publishNew(path, "text", file)).toBe("written");
      expect(await readdir(folder)).toEqual(["final"]);
      expect(await publishNew(path, "text", file)).toBe("same");
      expect(await publishNew(path, "else", file)).toBe("taken");
      expect(await readFile(path, "utf8")).toBe("text");
    },
  );

  it("passes any other refusal on and discards the temporary file", async () => {
    refusal.code = "EIO";
    const folder = await makeTempFolder();
    const { path, file } = temporaryIn(folder, "text");
    await expect(publishNew(path, "text", file)).rejects.toMatchObject({ code: "EIO" });
    expect(await readdir(folder)).toEqual([]);
  });
});
