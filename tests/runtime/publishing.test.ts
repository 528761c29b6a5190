import { cp, mkdtemp, readFile, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { extractLinks } from "../../scripts/doc-snippets.mjs";
import { PACKAGES } from "../../scripts/packed-package.mjs";
import { runCommand, runOrThrow } from "../../scripts/run-command.mjs";
import { makeTempFolder } from "../support/temp-folder.js";
import { startRegistry, type PublishedDocument } from "./fake-registry.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ADDRESS = "https://host.example/owner/name";
const NAMES = ["context-offload", "@context-offload/mcp", "@context-offload/cli"];

describe("a clone, with what is built,", () => {
  let clone: string;
  const changed = PACKAGES.flatMap((folder) => [
    join(folder, "package.json"),
    join(folder, "README.md"),
  ]);

  beforeAll(async () => {
    clone = await realpath(await mkdtemp(join(tmpdir(), "context-offload-clone-")));
    const apart = /(?:^|[\\/])(?:node_modules|coverage|reports|\.git|\.offload)(?:$|[\\/])/;
    await cp(ROOT, clone, {
      recursive: true,
      filter: (path) => !apart.test(path.slice(ROOT.length)),
    });
    await symlink(join(ROOT, "node_modules"), join(clone, "node_modules"), "junction");
  });
  afterAll(() => rm(clone, { recursive: true, force: true }));

  it.each([
    ["the root", "", inject("packed").files],
    [
      "packages/mcp",
      "packages/mcp",
      ["LICENSE", "README.md", "dist/index.js", "dist/index.d.ts", "dist/off-switch.js"],
    ],
    [
      "packages/cli",
      "packages/cli",
      [
        "LICENSE",
        "README.md",
        "dist/main.js",
        "dist/hook.js",
        "plugin/dist/hook.js",
        "plugin/.mcp.json",
      ],
    ],
  ])(
    "is packed by npm pack in %s, with a build before, and is as it was afterwards",
    async (_, folder, needed) => {
      // Everything is built; here the build need only be seen to be called.
      await writeFile(join(clone, "scripts/build.mjs"), 'console.log("the build was called");');
      const { files, printed } = await packIn(folder);
      expect(printed).toContain("the build was called");
      expect(files).toEqual(expect.arrayContaining([...needed]));
      await expectUnchanged();
    },
  );

  it("is not published by npm publish in a folder, which would send what is in the repository", async () => {
    for (const folder of PACKAGES) {
      const cwd = join(clone, folder);
      const { code, stderr } = await runCommand("npm", ["publish", "--dry-run"], { cwd });
      expect(code).not.toBe(0);
      expect(stderr).toContain("Publish with `npm run release`");
    }
  });

  it("is published in its published form, each package once, and tagged", async () => {
    const address = { address: ADDRESS, securityContact: "security@host.example" };
    await writeFile(join(clone, "repository.json"), JSON.stringify(address));
    await runOrThrow("git", ["init", "--quiet", "."], { cwd: clone });
    const author = ["-c", "user.name=a", "-c", "user.email=a@host.example"];
    const commit = ["commit", "--quiet", "--allow-empty", "--message", "a"];
    await runOrThrow("git", [...author, ...commit], { cwd: clone });
    const registry = await startRegistry(await makeTempFolder());
    // What `npm run release` runs after the build.
    const release = () =>
      runOrThrow(process.execPath, [join(clone, "scripts/publish-packages.mjs")], {
        cwd: clone,
        env: registry.env,
      });
    try {
      const printed = await release();
      const version = String((await manifestOf("mcp"))["version"]);
      for (const name of NAMES) expect(printed).toMatch(new RegExp(`New tag: +${name}@${version}`));
      expect([...registry.documents.keys()]).toEqual(NAMES);
      for (const [at, name] of NAMES.entries()) {
        await expectPublishedForm(registry.documents.get(name), PACKAGES[at] ?? "");
      }
      await expectUnchanged();
      expect(await release()).toBe(
        NAMES.map((name) => `${name}@${version} is published already\n`).join(""),
      );
    } finally {
      await registry.close();
    }
  });

  /** Packs a folder with npm itself and lists what the tarball holds. */
  async function packIn(folder: string): Promise<{ files: string[]; printed: string }> {
    const destination = await makeTempFolder();
    const args = ["pack", "--foreground-scripts", "--pack-destination", destination];
    const printed = await runOrThrow("npm", args, { cwd: join(clone, folder) });
    const [tarball = ""] = await readdir(destination);
    return { files: await list(join(destination, tarball)), printed };
  }

  async function expectUnchanged(): Promise<void> {
    for (const name of changed) {
      const original = await readFile(join(ROOT, name), "utf8");
      expect(await readFile(join(clone, name), "utf8"), name).toBe(original);
    }
    for (const folder of PACKAGES) {
      expect(await readdir(join(clone, folder))).not.toContain(".packing.json");
    }
  }
});

/** What the registry got: its own copy of the manifest and of the README, and the tarball. */
async function expectPublishedForm(
  document: PublishedDocument | undefined,
  directory: string,
): Promise<void> {
  const [manifest = {}] = Object.values(document?.versions ?? {});
  expect(manifest).toMatchObject({
    repository: { type: "git", url: `git+${ADDRESS}.git` },
    bugs: { url: `${ADDRESS}/issues` },
    license: "MIT",
  });
  expect((manifest["repository"] as { directory?: string }).directory ?? "").toBe(directory);
  expect(manifest).not.toHaveProperty("workspaces");
  const links = extractLinks("", String(manifest["readme"])).map(({ target }) => target);
  expect(links.length).toBeGreaterThan(0);
  for (const link of links) expect(link).toMatch(/^(?:https:|#)/);
  for (const link of links.filter((link) => link.startsWith(ADDRESS))) {
    const path = link.replace(/^.*\/(?:blob|raw)\/HEAD\/([^#]*).*$/, "$1");
    expect((await readFile(join(ROOT, path))).length, path).toBeGreaterThan(0);
  }
  const [attachment] = Object.values(document?._attachments ?? {});
  const folder = await makeTempFolder();
  const tarball = join(folder, "package.tgz");
  await writeFile(tarball, Buffer.from(attachment?.data ?? "", "base64"));
  const files = await list(tarball);
  expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
  expect(files.filter((file) => /^dist\/\w+\.js$/.test(file))).not.toEqual([]);
}

async function manifestOf(name: string): Promise<Record<string, unknown>> {
  const text = await readFile(join(ROOT, "packages", name, "package.json"), "utf8");
  return JSON.parse(text) as Record<string, unknown>;
}

async function list(tarball: string): Promise<string[]> {
  const listed = await runOrThrow("tar", ["-tf", tarball]);
  return listed
    .trim()
    .split(/\r?\n/)
    .map((file) => file.replace("package/", ""));
}
