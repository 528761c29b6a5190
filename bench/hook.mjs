/**
 * What the hook of Claude Code adds to a tool call: its start with a small result, against a bare `node -e 0`, in turn.
 *
 *   node bench/hook.mjs
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measure } from "./measure.mjs";

const LIMIT = 1.5;
const HOOK = fileURLToPath(new URL("../packages/cli/dist/hook.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "hook-"));
const event = (/** @type {string} */ stdout) =>
  JSON.stringify({
    ...{ hook_event_name: "PostToolUse", session_id: "s", cwd: folder, tool_name: "Bash" },
    ...{ tool_use_id: "t", tool_input: { command: "x" } },
    tool_response: { stdout, stderr: "", interrupted: false },
  });
const small = event("ok ".repeat(50));
const large = event("a line of a long log\n".repeat(2_000));

/** @param {readonly string[]} args @param {string} input */
function run(args, input) {
  const { status } = spawnSync(process.execPath, args, { input });
  if (status !== 0) throw new Error(`exit code ${status}`);
}

try {
  const times = await measure(
    {
      bare: () => run(["-e", "0"], ""),
      small: () => run([HOOK], small),
      large: () => run([HOOK], large),
    },
    { rounds: 31 },
  );
  const [bare = 0, withSmall = 0, withLarge = 0] = [times["bare"], times["small"], times["large"]];
  const ratio = withSmall / bare;
  console.log(`node -e 0            ${bare.toFixed(1)} ms`);
  console.log(
    `hook, small result   ${withSmall.toFixed(1)} ms, ${ratio.toFixed(2)} times (limit ${LIMIT})`,
  );
  console.log(`hook, 42 kB stored   ${withLarge.toFixed(1)} ms`);
  if (ratio > LIMIT) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
