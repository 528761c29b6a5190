import { join } from "node:path";
import { createOffloader, createWorkspace } from "context-offload";
import { measure } from "./measure.mjs";

const ROUNDS = 20;
const WARM_UP = 5;
const LINE = "2026-03-01T10:00:00.000Z INFO  checkout request=8f3a served in 12 ms\n";

/**
 * A further turn of an agent loop over a history of 5,000 messages, against one over 50. The turn
 * adds one result of 20 kB, which is offloaded.
 *
 * @param {string} folder
 * @returns {Promise<import("./run.mjs").Row[]>}
 */
export async function benchOffloadTurn(folder) {
  const rows = [];
  for (const host of ["the same objects", "loaded anew"]) {
    /** @type {Record<string, () => Promise<unknown>>} */
    const ways = {};
    for (const length of [50, 5_000]) {
      const workspace = createWorkspace({ root: join(folder, `${host} ${length}`) });
      const offloader = createOffloader({ workspace, sessionId: "bench" });
      const history = Array.from({ length: length / 2 }, (_, turn) =>
        turnOf(`t${turn}`, 2_000),
      ).flat();
      await offloader.offload(history);
      // Made beforehand, so that the time to load a history is not measured.
      const loaded = Array.from({ length: host === "loaded anew" ? ROUNDS + WARM_UP : 0 }, () =>
        structuredClone(history),
      );
      ways[String(length)] = async () => {
        history.push(...turnOf(`t${history.length}`, 20_000));
        const anew = loaded.pop();
        await offloader.offload(anew ? [...anew, ...history.slice(anew.length)] : history);
      };
    }
    const took = await measure(ways, { rounds: ROUNDS, warmUp: WARM_UP });
    rows.push({
      what: `a further turn over 5,000 messages, ${host}`,
      against: "the same over 50",
      ours: took["5000"] ?? 0,
      theirs: took["50"] ?? 0,
      aim: host === "loaded anew" ? "none" : "at most 2",
      limit: host === "loaded anew" ? null : 2,
    });
  }
  return rows;
}

/**
 * @param {string} id
 * @param {number} chars
 */
function turnOf(id, chars) {
  const content = `${id}\n${LINE.repeat(Math.ceil(chars / LINE.length))}`.slice(0, chars);
  return [
    {
      role: "assistant",
      content: [{ type: "tool_use", id, name: "bash", input: { command: "x" } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
  ];
}
