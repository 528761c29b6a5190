import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that is deleted when this program ends; a real agent would keep it. */
export function makeTempFolder() {
  const folder = mkdtempSync(join(tmpdir(), "context-offload-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
