import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { runOrThrow } from "../../scripts/run-command.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const ELSEWHERE = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];

/** A browser of this computer; where Debian's may be installed, it is. */
export async function installBrowser(): Promise<string> {
  const found = findBrowser();
  if (found !== undefined) return found;
  if (process.getuid?.() !== 0 || findProgram("apt-get") === undefined) {
    throw new Error("there is no Chromium here; install one to run the tests of the page");
  }
  await runOrThrow("apt-get", ["update"]);
  await runOrThrow("apt-get", ["install", "-y", "--no-install-recommends", "chromium"]);
  const installed = findBrowser();
  if (installed === undefined) throw new Error("apt-get installed no Chromium");
  return installed;
}

function findBrowser(): string | undefined {
  const all = [...NAMES.map(findProgram), ...ELSEWHERE];
  return all.find((path) => path !== undefined && isProgram(path));
}

function findProgram(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
