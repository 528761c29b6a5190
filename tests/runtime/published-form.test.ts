import { cp, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { extractLinks } from "../../scripts/doc-snippets.mjs";
import { applyPublishedForm, restoreAfterPacking } from "../../scripts/published-form.mjs";
import { runCommand } from "../../scripts/run-command.mjs";
import { makeTempFolder } from "../support/temp-folder.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CHANGED = ["package.json", "README.md"];

/** No address is made up: this top-level domain is reserved for examples. */
const DECIDED = {
  address: "https://host.example/owner/name",
  securityContact: "security@host.example",
};

describe("the published form of package.json and README.md", () => {
  let folder: string;
  const read = (name: string) => readFile(join(folder, name), "utf8");
  const decide = (repository: object) =>
    writeFile(join(folder, "repository.json"), JSON.stringify(repository));
  const originals = () => Promise.all(CHANGED.map((name) => readFile(join(ROOT, name), "utf8")));
  const present = () => Promise.all(CHANGED.map(read));

  beforeEach(async () => {
    folder = await makeTempFolder();
    for (const name of CHANGED) await cp(join(ROOT, name), join(folder, name));
    await decide(DECIDED);
  });

  it("says where the repository is, and nothing of its workspaces", async () => {
    await applyPublishedForm(folder, folder, "");
    const manifest = JSON.parse(await read("package.json")) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      repository: { type: "git", url: "git+https://host.example/owner/name.git" },
      homepage: "https://host.example/owner/name#readme",
      bugs: "https://host.example/owner/name/issues",
    });
    expect(manifest).not.toHaveProperty("workspaces");
  });

  it("has links that work on a package page", async () => {
    const targets = extractLinks("", await read("README.md")).map(({ target }) => target);
    const relative = targets.filter((target) => !/^(?:https?:|#)/.test(target));
    expect(relative.length).toBeGreaterThan(5);
    await applyPublishedForm(folder, folder, "");
    const published = extractLinks("", await read("README.md")).map(({ target }) => target);
    expect(published).toHaveLength(targets.length);
    for (const [at, target] of published.entries()) {
      const path = (targets[at] ?? "").replace("./", "");
      if (!relative.includes(path)) expect(target).toBe(targets[at]);
      else
        expect(target).toMatch(
          new RegExp(`/name/(?:blob|raw)/HEAD/${path.replaceAll(".", "\\.")}$`),
        );
    }
  });

  it("of a package in a folder leads to that folder, and from it", async () => {
    await writeFile(
      join(folder, "README.md"),
      "[a](../../docs/a.md#b) [c](./plugin/c.svg) [d](#d)\n",
    );
    await applyPublishedForm(folder, folder, "packages/cli");
    expect(JSON.parse(await read("package.json"))).toMatchObject({
      repository: { url: "git+https://host.example/owner/name.git", directory: "packages/cli" },
      homepage: "https://host.example/owner/name/tree/HEAD/packages/cli#readme",
      bugs: "https://host.example/owner/name/issues",
    });
    expect(await read("README.md")).toBe(
      "[a](https://host.example/owner/name/blob/HEAD/docs/a.md#b) " +
        "[c](https://host.example/owner/name/raw/HEAD/packages/cli/plugin/c.svg) [d](#d)\n",
    );
  });

  it("keeps relative links and names no place while there is none", async () => {
    const [, readme] = await originals();
    await decide({ address: "", securityContact: "" });
    await applyPublishedForm(folder, folder, "");
    expect(await read("README.md")).toBe(readme);
    expect(JSON.parse(await read("package.json"))).not.toHaveProperty("repository");
  });

  it("is undone to the byte, also by the next packing after one that was interrupted", async () => {
    await applyPublishedForm(folder, folder, "");
    expect(await present()).not.toEqual(await originals());
    await applyPublishedForm(folder, folder, "");
    await restoreAfterPacking(folder);
    expect(await present()).toEqual(await originals());
    expect((await readdir(folder)).sort()).toEqual([...CHANGED, "repository.json"].sort());
    await restoreAfterPacking(folder);
    expect(await present()).toEqual(await originals());
  });

  it("is undone when only one of the files had been written", async () => {
    await applyPublishedForm(folder, folder, "");
    await cp(join(ROOT, "README.md"), join(folder, "README.md"));
    await restoreAfterPacking(folder);
    expect(await present()).toEqual(await originals());
  });

  it("does not undo what somebody edited in the meantime", async () => {
    await applyPublishedForm(folder, folder, "");
    await writeFile(join(folder, "README.md"), "mine");
    await expect(restoreAfterPacking(folder)).rejects.toThrow(/README\.md was edited/);
    expect(await read("README.md")).toBe("mine");
    expect(JSON.parse(await read(".packing.json"))).toHaveProperty(["README.md", "original"]);
  });
});

describe("the check before a release", () => {
  const check = async (repository: object) => {
    const folder = await makeTempFolder();
    for (const script of ["check-release.mjs", "repository-address.mjs"]) {
      await cp(join(ROOT, "scripts", script), join(folder, "scripts", script));
    }
    await writeFile(join(folder, "repository.json"), JSON.stringify(repository));
    return runCommand(process.execPath, [join(folder, "scripts/check-release.mjs")]);
  };

  it("passes when the address and the contact are decided", async () => {
    expect(await check(DECIDED)).toEqual({ code: 0, stdout: "release: ready\n", stderr: "" });
  });

  it("fails while they are empty, and says what to write where", async () => {
    const { code, stderr } = await check({ address: "", securityContact: "" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/repository\.json: "address" is empty\. Write/);
    expect(stderr).toMatch(/repository\.json: "securityContact" is empty\. Write/);
  });

  it.each([
    { ...DECIDED, address: "host.example/owner/name" },
    { ...DECIDED, address: "https://host.example/owner/name.git" },
    { ...DECIDED, address: "https://host.example/owner/name/" },
    { ...DECIDED, securityContact: "somebody" },
  ])("fails for $address and $securityContact", async (repository) => {
    expect(await check(repository)).toMatchObject({ code: 1 });
  });
});
