import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

const run = promisify(execFile);

/** Mounts a small file system on the folder until the test ends; else says why it could not. */
export async function mountSmallDisk(folder: string, size = "256k"): Promise<{ whyNot?: string }> {
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]);
  } catch (error) {
    return { whyNot: (error as Error).message.trim().split("\n").at(-1) ?? "no message" };
  }
  onTestFinished(async () => {
    await run("umount", [folder]);
  });
  return {};
}
