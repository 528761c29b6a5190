import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeFor } from "../../../scripts/node-for.mjs";
import { makeTempFolder } from "../../support/temp-folder.js";

/** A folder of integrations/ that asks for this Node, and has one installed or not. */
async function makeFolder(node?: string, isInstalled = false): Promise<string> {
  const folder = await makeTempFolder();
  const manifest = node === undefined ? {} : { engines: { node } };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  if (isInstalled) {
    const bin = join(folder, "node_modules/node/bin");
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, process.platform === "win32" ? "node.exe" : "node"), "");
  }
  return folder;
}

describe("nodeFor", () => {
  it.each([undefined, ">=20", ">=22", "22.13.0"])(
    "takes this one if it is enough: %s",
    async (node) => {
      expect(nodeFor(await makeFolder(node, true), "22.1.0")).toEqual({ node: process.execPath });
    },
  );

  it("takes the one that the folder installed if this one is too old", async () => {
    const folder = await makeFolder(">=22", true);
    const found = nodeFor(folder, "20.20.2") as { node: string };
    expect(found.node.startsWith(join(folder, "node_modules/node/bin"))).toBe(true);
  });

  it("says which one is missing", async () => {
    expect(nodeFor(await makeFolder(">=22"), "20.20.2")).toEqual({ missing: ">=22" });
  });
});
