import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty folder of its own for the test that is running; removed when the test ends. */
export async function makeTempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "context-offload-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
