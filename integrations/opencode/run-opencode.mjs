// Runs OpenCode itself in a project of its own, with the plugin as `context-offload install opencode`
// sets it up, and a model on this machine.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const PLUGIN = new URL("../../dist/integrations/opencode/index.js", import.meta.url).href;
const OPENCODE = join(
  dirname(createRequire(import.meta.url).resolve("opencode-ai/package.json")),
  "bin/opencode.exe",
);

/**
 * @param {string} folder
 * @param {string} url Of the model.
 * @param {{ options?: object, config?: object }} [settings]
 */
export async function makeProject(folder, url, { options, config } = {}) {
  const provider = {
    local: {
      npm: "@ai-sdk/openai-compatible",
      name: "Local",
      options: { baseURL: url, apiKey: "none" },
      models: { scripted: { name: "Scripted", tool_call: true } },
    },
  };
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "opencode.json"),
    JSON.stringify({
      $schema: "https://opencode.ai/config.json",
      plugin: [options ? [PLUGIN, options] : PLUGIN],
      provider,
      ...{ model: "local/scripted", small_model: "local/scripted" },
      ...{ share: "disabled", autoupdate: false, permission: { "*": "allow" } },
      ...config,
    }),
  );
}

/**
 * @param {string} folder
 * @param {string} prompt
 * @param {string[]} [args]
 * @returns {Promise<{ events: any[], answer: string, sessionID: string, log: string }>}
 */
export async function runOpenCode(folder, prompt, args = []) {
  const { output, log } = await startOpenCode(folder, ["run", "--format", "json", ...args, prompt]);
  const events = output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  const texts = events.filter(({ type }) => type === "text").map(({ part }) => part.text);
  return { events, answer: texts.join("\n"), sessionID: events[0]?.sessionID ?? "", log };
}

/**
 * What OpenCode has saved of a session.
 *
 * @param {string} folder
 * @param {string} sessionID
 * @returns {Promise<{ messages: { parts: any[] }[] }>}
 */
export async function exportSession(folder, sessionID) {
  const { output } = await startOpenCode(folder, ["export", sessionID]);
  return JSON.parse(output);
}

/**
 * @param {string} folder
 * @param {string[]} args
 */
async function startOpenCode(folder, args) {
  await mkdir(join(folder, "../home"), { recursive: true });
  // OpenCode ends before a pipe has taken all that it wrote.
  const file = join(folder, "../home", `${basename(folder)}.out`);
  const opened = await open(file, "w");
  const child = spawn(OPENCODE, args, {
    cwd: folder,
    stdio: ["ignore", opened.fd, "pipe"],
    env: {
      PATH: process.env["PATH"],
      // Next to the project, so that its projects share what OpenCode sets up once.
      HOME: join(folder, "../home"),
      OPENCODE_DISABLE_AUTOUPDATE: "true",
      OPENCODE_DISABLE_MODELS_FETCH: "true",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "true",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "true",
    },
  });
  const { stderr } =
    /** @type {import("node:child_process").ChildProcessByStdio<null, null, import("node:stream").Readable>} */ (
      child
    );
  const [log] = await Promise.all([text(stderr), once(child, "close")]);
  await opened.close();
  return { output: await readFile(file, "utf8"), log };
}
