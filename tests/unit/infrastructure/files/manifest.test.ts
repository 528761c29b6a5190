import { appendFile, mkdir, readFile } from "node:fs/promises";
import { expect, it, vi } from "vitest";
import { Manifest } from "../../../../src/infrastructure/files/manifest.js";
import { StoreLayout } from "../../../../src/infrastructure/files/store-layout.js";
import { sha256 } from "../../../../src/infrastructure/hash.js";
import { makeTempFolder } from "../../../support/temp-folder.js";

const childLine = (name: string) => `${JSON.stringify({ child: name.padEnd(100, ".") })}\n`;

it("takes no line for cut short because others wrote many while it looked", async () => {
  const layout = new StoreLayout(await makeTempFolder(), "default", sha256);
  const { disk } = layout;
  const folder = layout.sessionFolder("session");
  await mkdir(folder, { recursive: true });
  const manifest = new Manifest(folder, layout);
  manifest.nameSession("session");
  await manifest.load();
  await manifest.append({ child: "first" });

  // The size is that of before the others wrote; the block that is read ends in one of their lines.
  let looked: () => void = () => undefined;
  const isLooked = new Promise<void>((resolve) => (looked = resolve));
  const lookAt = disk.lookAt.bind(disk);
  vi.spyOn(disk, "lookAt").mockImplementationOnce((path) => lookAt(path).finally(looked));
  const readOnce = disk.readOnce.bind(disk);
  vi.spyOn(disk, "readOnce").mockImplementationOnce(async (...read) => {
    await isLooked;
    for (let other = 0; other < 200; other++)
      await appendFile(manifest.path, childLine(`other ${other}`));
    return readOnce(...read);
  });
  await manifest.append({ child: "own" });
  expect(manifest.brokenLines).toBe(0);
  // Else the next line would be written after a blank one, as after a line that was cut short.
  await manifest.append({ child: "last" });
  manifest.close();
  expect(await readFile(manifest.path, "utf8")).not.toContain("\n\n");
});
