import { copyFile, readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPackedPackage, nodeBinary } from "../../scripts/packed-package.mjs";
import { runCommand } from "../../scripts/run-command.mjs";

const current = Number(process.versions.node.split(".")[0]);

describe("the packed package in an empty folder", () => {
  let packed: Awaited<ReturnType<typeof installPackedPackage>>;
  beforeAll(async () => {
    packed = await installPackedPackage();
    const smoke = fileURLToPath(new URL("smoke.mjs", import.meta.url));
    await copyFile(smoke, join(packed.folder, "smoke.mjs"));
  });
  afterAll(() => packed.remove());

  it.each([...new Set([18, current])])(
    "works on Node %i [000-NF-compatibility-node] [002-NF-compatibility-node] [001-STACK-node] [001-MATRIX]",
    async (major) => {
      const outcome = await runCommand(await nodeBinary(major), ["smoke.mjs"], {
        cwd: packed.folder,
      });
      expect(outcome).toMatchObject({ code: 0, stderr: "" });
      expect(outcome.stdout).toContain(`ok on Node ${major}.`);
      for (const made of ["direct", "history", "workspace"]) {
        await rm(join(packed.folder, made), { recursive: true });
      }
    },
    300_000,
  );

  it("brings no other package along [000-NF-compatibility-no-dependencies] [001-DEP-runtime]", async () => {
    const installed = await readdir(join(packed.folder, "node_modules"));
    expect(installed.filter((name) => !name.startsWith("."))).toEqual(["context-offload"]);
    const manifest = JSON.parse(
      await readFile(join(packed.folder, "node_modules/context-offload/package.json"), "utf8"),
    ) as Record<string, unknown>;
    expect(manifest["dependencies"]).toBeUndefined();
    expect(manifest["engines"]).toEqual({ node: ">=18" });
  });
});
