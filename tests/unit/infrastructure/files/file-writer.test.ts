import { mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { NodeFileWriter } from "../../../../src/files.js";
import { makeTempFolder } from "../../../support/temp-folder.js";

let folder: string;
beforeEach(async () => {
  folder = await makeTempFolder();
});

const writer = new NodeFileWriter();
const keep = async (name: string, content: string, folders: string[] = []) =>
  await writer.writeInFolder?.({
    root: folder,
    names: [...folders, name],
    content,
    existing: "keep",
  });

describe("NodeFileWriter", () => {
  it("makes folders as needed and writes the text", async () => {
    const path = join(folder, "a/b/c.md");
    await writer.writeFile(path, "naïve 漢字");
    expect(await readFile(path, "utf8")).toBe("naïve 漢字");
  });

  it("replaces a file as a whole, and nothing else is there", async () => {
    const path = join(folder, "x.md");
    await writer.writeFile(path, "a much longer first content");
    await writer.writeFile(path, "second");
    expect(await readFile(path, "utf8")).toBe("second");
    expect(await readdir(folder)).toEqual(["x.md"]);
  });

  it("writes files that only their owner can read", async () => {
    const path = join(folder, "secret.md");
    await writer.writeFile(path, "token");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("keeps nothing when the final name cannot be had", async () => {
    await mkdir(join(folder, "x.md/inside"), { recursive: true });
    await expect(writer.writeFile(join(folder, "x.md"), "text")).rejects.toThrow();
    expect(await readdir(folder)).toEqual(["x.md"]);
  });

  it("does not write through a link at the final name", async () => {
    const outside = join(folder, "outside.txt");
    await writeFile(outside, "untouched");
    await mkdir(join(folder, "in"));
    await symlink(outside, join(folder, "in/x.md"));
    await writer.writeFile(join(folder, "in/x.md"), "new");
    expect(await readFile(outside, "utf8")).toBe("untouched");
    expect(await keep("y.md", "new")).toBe("written");
    await symlink(outside, join(folder, "z.md"));
    expect(await keep("z.md", "untouched")).toBe("taken");
  });

  it("tells what it found when it must keep what is there", async () => {
    expect(await keep("x.md", "first")).toBe("written");
    expect(await keep("x.md", "first")).toBe("same");
    expect(await keep("x.md", "other")).toBe("taken");
    expect(await keep("x.md", "longer than the first")).toBe("taken");
    expect(await readFile(join(folder, "x.md"), "utf8")).toBe("first");
    expect(await readdir(folder)).toEqual(["x.md"]);
  });

  it("compares texts with lone surrogates by their units", async () => {
    expect(await keep("x.md", "\ud800")).toBe("written");
    expect(await keep("x.md", "\ud800")).toBe("same");
    expect(await keep("x.md", "\ud801")).toBe("taken");
  });

  it("lets one of many writers have the name, also when they come at once", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => keep("x.md", `content ${index}`)),
    );
    expect(outcomes.filter((outcome) => outcome === "written")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "taken")).toHaveLength(19);
    expect(await readdir(folder)).toEqual(["x.md"]);
  });

  it("refuses a folder below the root that is a link", async () => {
    const elsewhere = await makeTempFolder();
    await symlink(elsewhere, join(folder, "session"));
    await expect(keep("x.md", "text", ["session"])).rejects.toMatchObject({ code: "UNSAFE_PATH" });
    expect(await readdir(elsewhere)).toEqual([]);
  });

  it("takes a root that is a link: the caller vouches for it", async () => {
    const linked = join(await makeTempFolder(), "linked");
    await symlink(folder, linked);
    const outcome = await writer.writeInFolder?.({
      root: linked,
      names: ["x.md"],
      content: "text",
      existing: "keep",
    });
    expect(outcome).toBe("written");
    expect(await readdir(folder)).toEqual(["x.md"]);
  });

  it("steps back for a subclass that writes its own way", () => {
    class Own extends NodeFileWriter {
      override writeFile(): Promise<void> {
        return Promise.resolve();
      }
    }
    expect(new Own().writeInFolder).toBeUndefined();
  });
});
