import { readFile, readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, inject, it } from "vitest";
import { runOrThrow } from "../../scripts/run-command.mjs";
import { PACKAGE_LIMITS } from "./package-limits.js";

const { folder, bytes, files } = inject("packed");
const installed = join(folder, "node_modules/context-offload");

/** Imports the package and prints every file that was read for it. */
const LIST_IMPORTS = `
  import { Session } from "node:inspector";
  const session = new Session();
  session.connect();
  session.on("Debugger.scriptParsed", ({ params }) => {
    if (params.url.includes("/context-offload/")) console.log(params.url);
  });
  session.post("Debugger.enable");
  await import("context-offload");
  session.disconnect();
`;

describe("the packed package", () => {
  it("brings no other package along", async () => {
    const modules = await readdir(join(folder, "node_modules"));
    expect(modules.filter((name) => !name.startsWith("."))).toEqual(["context-offload"]);
    expect(await readManifest()).not.toHaveProperty("dependencies");
    expect(await readManifest()).toMatchObject({ engines: { node: ">=18" }, sideEffects: false });
  });

  it("weighs no more than it may", () => {
    expect(bytes).toBeLessThan(PACKAGE_LIMITS.packedBytes);
    const code = files.filter((file) => /\.[cm]?js$/.test(file));
    expect(code.length).toBeLessThanOrEqual(PACKAGE_LIMITS.codeFiles);
  });

  it("is imported by reading a few files", async () => {
    const program = ["--input-type=module", "--eval", LIST_IMPORTS];
    const printed = await runOrThrow(process.execPath, program, { cwd: folder });
    const urls = printed.trim().split("\n");
    expect(urls).toContainEqual(expect.stringMatching(/dist\/index\.js$/));
    expect(urls.length).toBeLessThanOrEqual(PACKAGE_LIMITS.importedFiles);
    const sizes = await Promise.all(urls.map((url) => stat(fileURLToPath(url))));
    const read = sizes.reduce((sum, { size }) => sum + size, 0);
    expect(read).toBeLessThan(PACKAGE_LIMITS.importedBytes);
  });

  it("has a declaration map for every declaration, which leads to a source file in it", async () => {
    const declarations = files.filter((file) => file.startsWith("dist/") && file.endsWith(".d.ts"));
    expect(declarations.length).toBeGreaterThan(10);
    for (const declaration of declarations) {
      const map = join(installed, `${declaration}.map`);
      const { sources } = JSON.parse(await readFile(map, "utf8")) as { sources: string[] };
      for (const source of sources) {
        const path = resolve(dirname(map), source);
        expect(path.startsWith(join(installed, "src"))).toBe(true);
        expect((await stat(path)).isFile()).toBe(true);
      }
    }
  });

  it("names its errors as they are exported", async () => {
    const entry = (await import(pathToFileURL(join(installed, "dist/errors.js")).href)) as object;
    const errors = Object.entries(entry).filter(([name]) => name.endsWith("Error"));
    expect(errors.length).toBeGreaterThan(10);
    for (const [name, value] of errors) expect((value as { name: string }).name).toBe(name);
  });

  it("has the documentation with it", () => {
    for (const page of ["README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md", "docs/README.md"]) {
      expect(files).toContain(page);
    }
  });
});

async function readManifest(): Promise<unknown> {
  return JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
}
