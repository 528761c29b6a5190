import { spawn } from "node:child_process";

/**
 * Runs a program and returns what it printed.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
export function runCommand(command, args, options = {}) {
  // On Windows npm is a script that only a shell can start, so Node runs npm's own program instead.
  const npm = process.platform === "win32" && command === "npm" && process.env["npm_execpath"];
  const [program, given] = npm ? [process.execPath, [npm, ...args]] : [command, args];
  return new Promise((resolve, reject) => {
    const child = spawn(program, given, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ text) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (/** @type {string} */ text) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, stdout, stderr });
    });
  });
}

/**
 * The same, but throws an error with the output if the program fails.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 */
export async function runOrThrow(command, args, options = {}) {
  const { code, stdout, stderr } = await runCommand(command, args, options);
  if (code !== 0) {
    throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${stdout}\n${stderr}`);
  }
  return stdout;
}
