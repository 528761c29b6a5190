/** What the benchmarks work on: logs and recorded sessions, the same every time. */
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

const LEVELS = ["INFO ", "INFO ", "INFO ", "DEBUG", "WARN "];
const VERBS = ["served", "queued", "retried", "cached", "dropped"];

/** The same log lines every time; a small generator, so that nothing needs to be stored. */
export function createLogLines() {
  let state = 42;
  let line = 0;
  const next = (/** @type {number} */ below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return () => {
    line++;
    const stamp = new Date(1_770_000_000_000 + line * 37).toISOString();
    const id = next(2 ** 31)
      .toString(16)
      .padStart(8, "0");
    return `${stamp} ${LEVELS[next(5)]} checkout-${next(12)} request=${id} ${VERBS[next(5)]} in ${next(900)} ms\n`;
  };
}

/**
 * Pieces of a log of about this many bytes, with a rare word and a rare number near its end.
 *
 * @param {number} bytes
 */
export function* logPieces(bytes) {
  const nextLine = createLogLines();
  let made = 0;
  let marked = false;
  while (made < bytes) {
    let piece = "";
    while (piece.length < 1 << 20 && made + piece.length < bytes) piece += nextLine();
    if (!marked && made > bytes * 0.9) {
      marked = true;
      piece += "2026-02-02T00:00:00.000Z ERROR checkout-3 zanzibar: timeout after 5021 ms\n";
    }
    made += piece.length;
    yield Buffer.from(piece);
  }
}

/**
 * @param {string} path
 * @param {number} bytes
 */
export async function writeLog(path, bytes) {
  const stream = createWriteStream(path);
  for (const piece of logPieces(bytes)) {
    if (!stream.write(piece)) await once(stream, "drain");
  }
  stream.end();
  await finished(stream);
}

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
