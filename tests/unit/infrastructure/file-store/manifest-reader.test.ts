import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { KeptFile } from "../../../../src/infrastructure/file-store/kept-file.js";
import { ManifestReader } from "../../../../src/infrastructure/file-store/manifest.js";
import {
  createStoreLayout,
  MANIFEST_NAME,
} from "../../../../src/infrastructure/file-store/store-layout.js";
import { sha256 } from "../../../../src/infrastructure/hash.js";
import { makeTempFolder } from "../../../support/temp-folder.js";

const childLine = (name: string) => `${JSON.stringify({ child: name.padEnd(100, ".") })}\n`;

// Else the next line would be written after a blank one, as behind a line that was cut short.
it("takes no line for cut short because others wrote many while it looked", async () => {
  const layout = createStoreLayout(await makeTempFolder(), "default", sha256);
  const { disk } = layout;
  const folder = layout.sessionFolder("session");
  await mkdir(folder, { recursive: true });
  const reader = new ManifestReader(folder, layout);
  const path = join(folder, MANIFEST_NAME);
  await appendFile(path, `${JSON.stringify({ session: "session", layout: 1 })}\n`);
  const kept = await KeptFile.open(path);
  await reader.readOn(kept);

  const own = childLine("own");
  reader.awaited.add(own.trimEnd());
  await appendFile(path, own);
  const before = await disk.lookAt(path);
  const writing = (async () => {
    for (let other = 0; other < 200; other++) await appendFile(path, childLine(`other ${other}`));
  })();
  vi.spyOn(disk, "lookAt").mockResolvedValueOnce(before);
  const readOnce = disk.readOnce.bind(disk);
  vi.spyOn(disk, "readOnce").mockImplementationOnce(async (...read) => {
    await writing;
    return readOnce(...read);
  });
  await reader.readOn(kept);
  kept.close();
  expect(reader.awaited.size).toBe(0);
  expect(reader.state).toMatchObject({ torn: false, brokenLines: 0 });
});
