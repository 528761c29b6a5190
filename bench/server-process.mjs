/** One way of bench/server.mjs, in a process of its own: node bench/server-process.mjs <way> <root> */
import { readdirSync } from "node:fs";
import { createOffloader, createWorkspace } from "context-offload";
import { peakMemory, percentile } from "./harness.mjs";

const SESSIONS = 50;
const TURNS = 6;
const RESULT_CHARS = 200_000;

const [way = "", root = ""] = process.argv.slice(2);
const shared = createWorkspace({ root });
/** @type {Map<string, import("context-offload").Offloader>} */
const offloaders = new Map();

/** @param {string} sessionId */
function offloaderOf(sessionId) {
  const options = /** @type {const} */ ({ sessionId, format: "anthropic" });
  if (way === "a workspace of its own") return createOffloader({ root, ...options });
  if (way.endsWith("an offloader of its own"))
    return createOffloader({ workspace: shared, ...options });
  const known = offloaders.get(sessionId) ?? createOffloader({ workspace: shared, ...options });
  offloaders.set(sessionId, known);
  return known;
}

/** The answer of a tool: a log of which the model searches one line. @param {string} id */
function logOf(id) {
  const line = (/** @type {number} */ index) =>
    `${id} INFO request ${index} served in ${index % 97} ms\n`;
  const lines = [];
  for (let chars = 0, index = 0; chars < RESULT_CHARS; index++) {
    lines.push(line(index));
    chars += line(index).length;
  }
  return lines.join("");
}

/** @type {number[]} */
const times = [];
let threads = 0;

/** A host that keeps the originals and sends what the offloader returns, one request for each turn. @param {string} sessionId */
async function converse(sessionId) {
  /** @type {Record<string, unknown>[]} */
  const messages = [{ role: "user", content: `Why is ${sessionId} slow?` }];
  for (let turn = 0; turn < TURNS; turn++) {
    const id = `toolu_${sessionId}_${turn}`;
    const input = { turn };
    messages.push(
      { role: "assistant", content: [{ type: "tool_use", id, name: "read_log", input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: logOf(id) }] },
    );
    const start = performance.now();
    const offloader = offloaderOf(sessionId);
    const { report } = await offloader.offload(messages);
    const [offloaded] = report.results.filter(({ outcome }) => outcome === "offloaded");
    if (!offloaded) throw new Error("nothing was offloaded");
    const call = {
      ...{ type: "tool_use", id: `${id}_read`, name: "read_stored" },
      input: { id, pattern: "request 42\\d served" },
    };
    const answer = JSON.stringify(await offloader.handleToolCall(call));
    if (!answer.includes("request 420 served")) throw new Error(answer);
    times.push(performance.now() - start);
    threads = Math.max(threads, countThreads());
  }
}

function countThreads() {
  return process.platform === "linux" ? readdirSync("/proc/self/task").length : 0;
}

const before = countThreads();
await Promise.all(Array.from({ length: SESSIONS }, (_, index) => converse(`s${index}`)));
process.send?.({
  turnMs: percentile(times, 50),
  slowTurnMs: percentile(times, 99),
  peakMb: Math.round(peakMemory() / 1e6),
  threads: threads - before,
});
process.disconnect?.();
