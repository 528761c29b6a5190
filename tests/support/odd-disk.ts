import { execFile, spawn } from "node:child_process";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { makeTempFolder } from "./temp-folder.js";

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL("odd-disk.py", import.meta.url));
const PYTHON = process.env["ODD_DISK_PYTHON"] ?? "/usr/bin/python3";

/**
 * Mounts a disk that has no hard links, or one that ignores case as well, until the test ends; else
 * says why it could not. It takes Linux with FUSE and Python with fusepy (Debian: `fuse`,
 * `python3-fusepy`).
 */
export async function mountOddDisk(
  kind: "no-links" | "no-case",
): Promise<{ folder: string; whyNot?: string }> {
  const parent = await makeTempFolder();
  const [inside, folder] = [join(parent, "inside"), join(parent, "disk")];
  await mkdir(inside);
  await mkdir(folder);
  const before = (await stat(folder)).dev;
  try {
    await run(PYTHON, ["-c", "import fusepy"]);
  } catch (error) {
    return { folder, whyNot: (error as Error).message.trim().split("\n").at(-1) ?? "no message" };
  }
  const program = spawn(PYTHON, [PROGRAM, inside, folder, kind], { stdio: "pipe" });
  let said = "";
  program.stderr.on("data", (data: Buffer) => (said += data.toString()));
  const ended = new Promise<string>((resolve) => {
    program.on("error", (error) => {
      resolve(error.message);
    });
    program.on("exit", () => {
      resolve(said.trim().split("\n").at(-1) ?? "it ended without a message");
    });
  });
  let whyNot: string | undefined;
  void ended.then((why) => (whyNot = why));
  while (whyNot === undefined && (await stat(folder)).dev === before) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (whyNot !== undefined) return { folder, whyNot };
  onTestFinished(async () => {
    await run("umount", [folder]);
    await ended;
  });
  return { folder };
}
