import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadRedactionKey } from "../../../../src/infrastructure/sealed-store/encryption-keys.js";
import { makeTempFolder } from "../../../support/temp-folder.js";

describe("the key that a workspace on files keeps", () => {
  it("is made once, and is the same afterwards", async () => {
    const [root, other] = [await makeTempFolder(), await makeTempFolder()];
    const key = loadRedactionKey(root);
    expect(key).toHaveLength(32);
    expect(Buffer.from(loadRedactionKey(root))).toEqual(Buffer.from(key));
    expect(Buffer.from(loadRedactionKey(other))).not.toEqual(Buffer.from(key));
  });

  it("is for its owner alone, in a root that is hidden from git as the store's is", async () => {
    const root = join(await makeTempFolder(), "new", "root");
    loadRedactionKey(root);
    expect(await readFile(join(root, ".gitignore"), "utf8")).toBe("*\n");
    if (process.platform === "win32") return;
    const modes = await Promise.all(
      [root, join(root, "redaction.key"), join(root, ".gitignore")].map(
        async (name) => (await stat(name)).mode & 0o777,
      ),
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });

  it("takes a root that exists as it is, since it may be a project", async () => {
    const root = await makeTempFolder();
    loadRedactionKey(root);
    await expect(stat(join(root, ".gitignore"))).rejects.toThrow("ENOENT");
  });

  it("is a random one where none can be kept", async () => {
    const folder = await makeTempFolder();
    const file = join(folder, "redaction.key");
    await writeFile(file, "not a key");
    expect(loadRedactionKey(folder)).toHaveLength(32);
    expect(loadRedactionKey(file)).toHaveLength(32);
  });
});
