/** Uses the packed package in an empty folder on several Node versions: `node scripts/try-packed.mjs 18 20 22 24`. */
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackedPackage, nodeBinary } from "./packed-package.mjs";
import { runOrThrow } from "./run-command.mjs";

const versions = process.argv.slice(2).map(Number);
const smoke = fileURLToPath(new URL("../tests/runtime/smoke.mjs", import.meta.url));
const packed = await installPackedPackage();
try {
  await copyFile(smoke, join(packed.folder, "smoke.mjs"));
  for (const major of versions.length > 0 ? versions : [18, 20, 22, 24]) {
    const printed = await runOrThrow(await nodeBinary(major), ["smoke.mjs"], {
      cwd: packed.folder,
    });
    for (const made of ["direct", "history", "workspace"]) {
      await rm(join(packed.folder, made), { recursive: true, force: true });
    }
    console.log(printed.trim());
  }
} finally {
  await packed.remove();
}
