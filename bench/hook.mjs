/**
 * What the hook adds to a tool call: its start with a small result, against a bare `node -e 0`, in turn.
 *
 * node bench/hook.mjs
 */
import { spawnSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { measure } from "./measure.mjs";
import { runAlone } from "./run-alone.mjs";

const HOOK = fileURLToPath(new URL("../packages/cli/dist/hook.js", import.meta.url));

/**
 * @param {string} folder
 * @returns {Promise<import("./run.mjs").Row[]>}
 */
export async function benchHook(folder) {
  await mkdir(folder, { recursive: true });
  const small = eventOf(folder, "ok ".repeat(50));
  const large = eventOf(folder, "a line of a long log\n".repeat(2_000));
  const took = await measure(
    {
      bare: () => start(["-e", "0"], ""),
      small: () => start([HOOK], small),
      large: () => start([HOOK], large),
    },
    { rounds: 31 },
  );
  const row = { against: "node -e 0", theirs: took["bare"] ?? 0 };
  return [
    {
      ...{ what: "hook: a small result", ...row, ours: took["small"] ?? 0 },
      ...{ aim: "at most 1.5", limit: 1.5 },
    },
    {
      ...{ what: "hook: 42 kB, offloaded", ...row, ours: took["large"] ?? 0 },
      ...{ aim: "none", limit: null },
    },
  ];
}

/** @param {string} folder @param {string} stdout */
function eventOf(folder, stdout) {
  return JSON.stringify({
    ...{ hook_event_name: "PostToolUse", session_id: "s", cwd: folder, tool_name: "Bash" },
    ...{ tool_use_id: "t", tool_input: { command: "x" } },
    tool_response: { stdout, stderr: "", interrupted: false },
  });
}

/** @param {readonly string[]} args @param {string} input */
function start(args, input) {
  const { status } = spawnSync(process.execPath, args, { input });
  if (status !== 0) throw new Error(`exit code ${status}`);
}

await runAlone(import.meta.url, benchHook);
