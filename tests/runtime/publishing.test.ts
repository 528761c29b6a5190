import { cp, mkdtemp, readFile, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { PACKAGES } from "../../scripts/packed-package.mjs";
import { runCommand, runOrThrow } from "../../scripts/run-command.mjs";
import { makeTempFolder } from "../support/temp-folder.js";
import { startRegistry, type PublishedDocument } from "./fake-registry.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ADDRESS = "https://host.example/owner/name";
const NAMES = ["", "mcp", "replay", "cli"].map((name) =>
  name === "" ? "context-offload" : `@context-offload/${name}`,
);

describe("a fresh clone", () => {
  let clone: string;

  beforeAll(async () => {
    clone = await realpath(await mkdtemp(join(tmpdir(), "context-offload-clone-")));
    const apart = /(?:^|[\\/])(?:node_modules|coverage|reports|\.git|\.offload)(?:$|[\\/])/;
    await cp(ROOT, clone, {
      recursive: true,
      filter: (path) => !apart.test(path.slice(ROOT.length)),
    });
    await symlink(join(ROOT, "node_modules"), join(clone, "node_modules"), "junction");
    // It was built before all tests; here it need only be seen to be called.
    const build =
      'if (!process.env["CONTEXT_OFFLOAD_IS_BUILT"]) console.log("the build was called");';
    await writeFile(join(clone, "scripts/build.mjs"), build);
  });
  afterAll(() => rm(clone, { recursive: true, force: true }));

  it("is packed by npm pack, each package with a build before and a license", async () => {
    const destination = await makeTempFolder();
    const args = [
      "pack",
      "--workspaces",
      "--foreground-scripts",
      "--pack-destination",
      destination,
    ];
    const env = { ...process.env, CONTEXT_OFFLOAD_IS_BUILT: "" };
    const printed = await runOrThrow("npm", args, { cwd: clone, env });
    expect(printed.match(/the build was called/g)).toHaveLength(PACKAGES.length);
    const tarballs = await readdir(destination);
    const filesOf = (name: RegExp) =>
      list(join(destination, tarballs.find((one) => name.test(one)) ?? ""));
    expect((await filesOf(/^context-offload-\d/)).sort()).toEqual(
      [...inject("packed").files].sort(),
    );
    for (const [name, needed] of [
      [/mcp/, ["dist/index.js", "dist/index.d.ts", "dist/off-switch.js"]],
      [/replay/, ["dist/index.js", "dist/index.d.ts", "dist/worker.js"]],
      [/cli/, ["dist/main.js", "dist/hook.js", "plugin/dist/hook.js", "plugin/.mcp.json"]],
    ] as const) {
      const files = await filesOf(name);
      expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", ...needed]));
    }
  });

  it("is not published while it is undecided where the repository is", async () => {
    const publishing = PACKAGES.map((folder) =>
      runCommand("npm", ["publish", "--dry-run"], { cwd: join(clone, folder) }),
    );
    for (const { code, stderr } of await Promise.all(publishing)) {
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/package\.json: repository\.url is missing\. Write the address/);
      expect(stderr).toMatch(/package\.json: bugs\.email is missing\. Write where to report/);
    }
  });

  it("is published once it is decided, each package once, and tagged", async () => {
    for (const directory of PACKAGES) {
      const path = join(clone, directory, "package.json");
      const manifest = JSON.parse(await readFile(path, "utf8")) as object;
      const repository = {
        type: "git",
        url: `git+${ADDRESS}.git`,
        ...(directory && { directory }),
      };
      const bugs = { url: `${ADDRESS}/issues`, email: "security@host.example" };
      await writeFile(path, JSON.stringify({ ...manifest, repository, bugs }));
    }
    await runOrThrow("git", ["init", "--quiet", "."], { cwd: clone });
    const author = ["-c", "user.name=a", "-c", "user.email=a@host.example"];
    const commit = ["commit", "--quiet", "--allow-empty", "--message", "a"];
    await runOrThrow("git", [...author, ...commit], { cwd: clone });
    const registry = await startRegistry(await makeTempFolder());
    const release = () =>
      runOrThrow("npm", ["run", "--silent", "release"], { cwd: clone, env: registry.env });
    try {
      const printed = await release();
      const version = String((await manifestOf("mcp"))["version"]);
      for (const name of NAMES) expect(printed).toMatch(new RegExp(`New tag: +${name}@${version}`));
      expect([...registry.documents.keys()].sort()).toEqual([...NAMES].sort());
      for (const [at, name] of NAMES.entries()) {
        await expectPublished(registry.documents.get(name), PACKAGES[at] ?? "");
      }
      const published = new Map(registry.documents);
      expect(await release()).not.toContain("New tag");
      expect(registry.documents).toEqual(published);
    } finally {
      await registry.close();
    }
  });
});

/** What the registry got: its own copy of the manifest, and the tarball. */
async function expectPublished(
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
