// Runs OpenCode itself in a project of its own, with the plugin as `context-offload install opencode`
// sets it up, and a model on this machine.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
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
  await mkdir(join(folder, "../home"), { recursive: true });
  const child = spawn(OPENCODE, ["run", "--format", "json", ...args, prompt], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
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
  const [output, log] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  const events = output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  const texts = events.filter(({ type }) => type === "text").map(({ part }) => part.text);
  return { events, answer: texts.join("\n"), sessionID: events[0]?.sessionID ?? "", log };
}
