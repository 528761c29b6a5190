import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createWorkspace } from "context-offload";
import { writeLog } from "./sample-log.mjs";

const BYTES = 80_000_000;
const ROUNDS = 5;

/**
 * The first search of an artifact of 80 MB against the second: no preparation should be needed.
 *
 * @param {string} folder
 * @returns {Promise<import("./run.mjs").Row[]>}
 */
export async function benchFirstGrep(folder) {
  const path = join(folder, "first.log");
  await writeLog(path, BYTES);
  const workspace = createWorkspace({ root: join(folder, "first-grep") });
  await workspace.put({ content: "zanzibar\n" }, { toolCallId: "small", sessionId: "bench" });
  // Starts the worker.
  await workspace.grepKnowledge("small", "zanzibar");
  const first = [];
  const second = [];
  for (let round = 0; round < ROUNDS; round++) {
    const content = createReadStream(path, { highWaterMark: 1 << 20 });
    const { record } = await workspace.put(
      { content },
      { toolCallId: `log-${round}`, sessionId: "bench" },
    );
    const grep = async () => {
      const start = performance.now();
      const { range } = await workspace.grepKnowledge(record.artifactId, "zanzibar");
      if (range.of !== 1) throw new Error("the word was not found");
      return performance.now() - start;
    };
    first.push(await grep());
    second.push(await grep());
    await workspace.remove(record.artifactId);
  }
  await workspace.close();
  return [
    {
      what: "first search of 80 MB",
      against: "the second search",
      ours: median(first),
      theirs: median(second),
      aim: "at most 1.3",
      limit: 1.3,
    },
  ];
}

/** @param {number[]} values */
function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
