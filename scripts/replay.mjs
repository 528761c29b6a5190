/**
 * Replays recorded conversations turn by turn, as an agent loop would have called the offloader, and
 * checks on each that earlier messages keep their bytes and that everything can be restored.
 *
 *   node scripts/replay.mjs [folder or file …]        (default: the sample conversations)
 */
import { mkdtemp, readFile, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createOffloader, createWorkspace } from "context-offload";
import { parseConversation } from "context-offload/formats";

/** A recording in a format that the package does not take. */
class Refused extends Error {}

const samples = fileURLToPath(new URL("../examples/conversations", import.meta.url));
const given = process.argv.slice(2);
const totals = { replayed: 0, turns: 0, offloaded: 0, before: 0, after: 0, refused: 0, failed: 0 };

for (const path of given.length > 0 ? given : [samples]) {
  for (const file of await listFiles(path)) {
    const label = relative(process.cwd(), file) || file;
    const root = await mkdtemp(join(tmpdir(), "context-offload-replay-"));
    try {
      const { turns, offloaded, before, after } = await replay(file, root);
      totals.replayed++;
      totals.turns += turns;
      totals.offloaded += offloaded;
      totals.before += before;
      totals.after += after;
      const saved = (100 * (1 - after / before)).toFixed(1);
      console.log(
        `ok       ${label}: ${turns} turns, ${offloaded} results offloaded, ${saved} % shorter`,
      );
    } catch (error) {
      const refused = error instanceof Refused;
      const [why] = String(/** @type {Error} */ (error).message).split("\n");
      totals[refused ? "refused" : "failed"]++;
      console.log(`${refused ? "refused " : "FAILED  "} ${label}: ${why}`);
      if (!refused) process.exitCode = 1;
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  }
}
console.log(
  `\n${totals.replayed} replayed in ${totals.turns} turns, ${totals.offloaded} results offloaded, ` +
    `${totals.before} characters became ${totals.after}; ` +
    `${totals.refused} refused, ${totals.failed} failed`,
);

/**
 * @param {string} file
 * @param {string} root
 */
async function replay(file, root) {
  const messages = await openFile(file);
  const offloader = createOffloader({ workspace: createWorkspace({ root }), sessionId: "replay" });
  /** @type {readonly unknown[]} */
  let last = [];
  let turns = 0;
  let report;
  for (let length = 1; length <= messages.length; length += stepOf(messages.length)) {
    const outcome = await offloader.offload(messages.slice(0, length)).catch(refuse);
    last.forEach((message, index) => {
      if (JSON.stringify(message) !== JSON.stringify(outcome.messages[index])) {
        throw new Error(`message ${index} changed when the history grew to ${length}`);
      }
    });
    last = outcome.messages;
    report = outcome.report;
    turns++;
  }
  const whole = await offloader.offload(messages).catch(refuse);
  const restored = await offloader.restore(whole.messages);
  if (JSON.stringify(restored) !== JSON.stringify(messages))
    throw new Error("it came back changed");
  return {
    turns,
    offloaded: (report ?? whole.report).totals.offloaded,
    before: JSON.stringify(messages).length,
    after: JSON.stringify(whole.messages).length,
  };
}

/** Long recordings are replayed in at most 200 steps. @param {number} length */
function stepOf(length) {
  return Math.max(1, Math.floor(length / 200));
}

/** @param {string} file */
async function openFile(file) {
  const text = await readFile(file, "utf8");
  try {
    return parseConversation(text).messages;
  } catch (error) {
    return refuse(error);
  }
}

/**
 * @param {unknown} error
 * @returns {never}
 */
function refuse(error) {
  const { code, message } = /** @type {{ code?: string, message: string }} */ (error);
  if (code === "UNKNOWN_FORMAT" || code === "INVALID_ARGUMENT") throw new Refused(message);
  throw error;
}

/** @param {string} path */
async function listFiles(path) {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = await readdir(path, { recursive: true });
  return names
    .filter((name) => /\.jsonl?$/.test(name))
    .sort()
    .map((name) => join(path, name));
}
