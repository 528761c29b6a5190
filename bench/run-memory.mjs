/**
 * How much memory `context-offload run` takes for a session of 1 GB, in lines: it goes through as a stream.
 *
 *   node bench/run-memory.mjs [megabytes]
 */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";

const LIMIT_MB = 300;
const MAIN = fileURLToPath(new URL("../packages/cli/dist/main.js", import.meta.url));
const PRINT_PEAK =
  "data:text/javascript,process.on('exit',()=>console.error('peak',process.resourceUsage().maxRSS))";

const megabytes = Number(process.argv[2] ?? 1_000);
const folder = await mkdtemp(join(tmpdir(), "run-memory-"));
try {
  const session = join(folder, "session.jsonl");
  await writeSession(session, megabytes * 1_000_000);
  const { size } = await stat(session);
  const start = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", PRINT_PEAK, MAIN, "run", "--quiet", session],
    { cwd: folder, encoding: "utf8" },
  );
  const seconds = (performance.now() - start) / 1_000;
  if (status !== 0) throw new Error(stderr);
  const peak = (Number(/peak (\d+)/.exec(stderr)?.[1]) * 1_024) / 1_000_000;
  const { size: written } = await stat(join(folder, "session.offloaded.jsonl"));
  console.log(
    `session of ${Math.round(size / 1e6)} MB: ${Math.round(peak)} MB of memory at most (limit ${LIMIT_MB}), ` +
      `${seconds.toFixed(0)} s, ${Math.round(written / 1e6)} MB afterwards`,
  );
  if (peak > LIMIT_MB) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/**
 * A session of Claude Code: calls, and results of a few hundred bytes to 200 kB.
 *
 * @param {string} path
 * @param {number} bytes
 */
async function writeSession(path, bytes) {
  const file = createWriteStream(path);
  for (let turn = 0, written = 0; written < bytes; turn++) {
    const lines = turnLines(turn);
    written += lines.length;
    if (!file.write(lines)) await once(file, "drain");
  }
  file.end();
  await finished(file);
}

/** @param {number} turn */
function turnLines(turn) {
  const id = `toolu_${String(turn).padStart(8, "0")}`;
  const fields = { sessionId: "s", cwd: "/project", version: "2.0.0", isSidechain: false };
  const rows = 4 + ((turn * 7_919) % 2_500);
  let content = "";
  for (let row = 0; row < rows; row++) {
    content += `2026-01-01T00:00:00.${row} INFO  request ${turn * 10_000 + row} served in ${(row * 31) % 977} ms\n`;
  }
  const use = { type: "tool_use", id, name: "Bash", input: { command: `tail -n ${rows} app.log` } };
  const result = { type: "tool_result", tool_use_id: id, content };
  return [
    {
      ...fields,
      type: "assistant",
      uuid: `a${turn}`,
      message: { role: "assistant", content: [use] },
    },
    { ...fields, type: "user", uuid: `u${turn}`, message: { role: "user", content: [result] } },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}
