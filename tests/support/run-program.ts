import { fileURLToPath } from "node:url";
import { runOrThrow } from "../../scripts/run-command.mjs";

/** Runs a program on the built package in a process of its own and gives back the lines it printed. */
export async function runProgram(code: string, args: readonly string[]): Promise<string[]> {
  // The package finds itself by its name from within its own folder.
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const node = ["--input-type=module", "--eval", code, ...args];
  const printed = await runOrThrow(process.execPath, node, { cwd });
  return printed.split("\n").filter((line) => line !== "");
}
