import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

/**
 * Writes a session as Claude Code records it: calls, and results of a few hundred bytes to 200 kB.
 *
 * @param {string} path
 * @param {number} bytes at least this many
 */
export async function writeRecordedSession(path, bytes) {
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
  const input = { command: `tail -n ${rows} app.log` };
  const call = { type: "tool_use", id, name: "Bash", input };
  const result = { type: "tool_result", tool_use_id: id, content };
  const line = (/** @type {string} */ type, /** @type {object} */ block) =>
    `${JSON.stringify({ ...fields, type, uuid: `${type}-${turn}`, message: { role: type, content: [block] } })}\n`;
  return line("assistant", call) + line("user", result);
}
