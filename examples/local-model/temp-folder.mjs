import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for as long as this program runs; yours would stay. */
export function makeTempFolder() {
  const folder = mkdtempSync(join(tmpdir(), "context-offload-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
