import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createWorkspace } from "context-offload";
import { runOrThrow } from "../scripts/run-command.mjs";
import { measure } from "./measure.mjs";
import { ripgrepPath } from "./peers.mjs";
import { writeLog } from "./sample-log.mjs";

const BYTES = 200_000_000;
const LINES = 100;

/**
 * The end of a 200 MB artifact, and searches through it, against sed and ripgrep on the same file.
 *
 * @param {string} folder
 * @returns {Promise<import("./run.mjs").Row[]>}
 */
export async function benchWorkspaceRead(folder) {
  const path = join(folder, "big.log");
  await writeLog(path, BYTES);
  const root = join(folder, "workspace");
  const { record } = await createWorkspace({ root }).put(
    { content: createReadStream(path, { highWaterMark: 1 << 20 }) },
    { toolCallId: "big", sessionId: "bench" },
  );
  const last = record.size.lines;
  const first = last - LINES + 1;
  const file = record.location;

  const sed = () => runOrThrow("sed", ["-n", `${first},${last}p`, file]);
  const readEnd = async (/** @type {ReturnType<typeof createWorkspace>} */ workspace) => {
    const { text } = await workspace.getKnowledgeByLines("big", first, last);
    return text;
  };
  const expected = await sed();
  const workspace = createWorkspace({ root });
  const start = performance.now();
  const text = await readEnd(workspace);
  const firstTime = performance.now() - start;
  if (`${text}\n` !== expected) throw new Error("sed reads different lines");
  const took = await measure({ sed, ours: () => readEnd(workspace) }, { rounds: 9 });

  const rg = await ripgrepPath();
  const searches = [];
  for (const [label, pattern] of [
    ["a rare word", "zanzibar"],
    ["a pattern", "timeout after \\d{4} ms"],
  ]) {
    const ripgrep = () => runOrThrow(rg, ["--no-config", "-n", pattern ?? "", file]);
    const ours = async () => (await workspace.grepKnowledge("big", pattern ?? "")).text;
    if (`${await ours()}\n` !== (await ripgrep())) throw new Error("ripgrep finds different lines");
    const times = await measure({ ripgrep, ours }, { rounds: 9 });
    searches.push({
      what: `search of 200 MB for ${label}`,
      against: "ripgrep",
      ours: times["ours"] ?? 0,
      theirs: times["ripgrep"] ?? 0,
      aim: "none",
      limit: null,
    });
  }
  const common = { against: "sed -n", theirs: took["sed"] ?? 0, aim: "none", limit: null };
  return [
    { what: "100 lines at the end of 200 MB, first time", ours: firstTime, ...common },
    { what: "100 lines at the end of 200 MB, second time", ours: took["ours"] ?? 0, ...common },
    ...searches,
  ];
}
