import { createHash } from "node:crypto";
import { join } from "node:path";
import { createOffloader, createWorkspace } from "context-offload";
import { measure } from "./measure.mjs";

const ROUNDS = 20;
const WARM_UP = 5;
const LINE = "2026-03-01T10:00:00.000Z INFO  checkout request=8f3a served in 12 ms\n";

/**
 * A further turn of an agent loop over a history of 5,000 messages, which brings one result of 20 kB
 * that is offloaded: for a host that keeps its message objects, against one over 50 messages; for a
 * host that loads its history anew, against a bare hash of all content.
 *
 * @param {string} folder
 * @returns {Promise<import("./run.mjs").Row[]>}
 */
export async function benchOffloadTurn(folder) {
  const kept = await measure(
    { ours: await createHost(folder, 5_000), theirs: await createHost(folder, 50) },
    { rounds: ROUNDS, warmUp: WARM_UP },
  );
  const loaded = await createLoadingHost(folder, 5_000);
  const anew = await measure(
    { ours: loaded.turn, theirs: loaded.hash },
    { rounds: ROUNDS, warmUp: WARM_UP },
  );
  return [
    {
      what: "a further turn over 5,000 messages",
      against: "the same over 50",
      ours: kept["ours"] ?? 0,
      theirs: kept["theirs"] ?? 0,
      aim: "at most 2",
      limit: 2,
    },
    {
      what: "the same, all messages loaded anew",
      against: "a hash of their content",
      ours: anew["ours"] ?? 0,
      theirs: anew["theirs"] ?? 0,
      aim: "at most 2",
      limit: 2,
    },
  ];
}

/**
 * @param {string} folder
 * @param {number} length
 */
async function createHost(folder, length) {
  const { offloader, history } = await createConversation(folder, `kept ${length}`, length);
  return async () => {
    history.push(...turnOf(`t${history.length}`, 20_000));
    await offloader.offload(history);
  };
}

/**
 * @param {string} folder
 * @param {number} length
 */
async function createLoadingHost(folder, length) {
  const { offloader, history } = await createConversation(folder, `anew ${length}`, length);
  // Made beforehand: what a host takes to load its history is not what is measured.
  const copies = Array.from({ length: 2 * (ROUNDS + WARM_UP) }, () => structuredClone(history));
  /** @type {typeof history} */
  const added = [];
  const load = () => [...(copies.pop() ?? []), ...added];
  return {
    turn: async () => {
      added.push(...turnOf(`t${history.length + added.length}`, 20_000));
      await offloader.offload(load());
    },
    hash: async () => {
      for (const { content } of load()) {
        for (const block of content) {
          if ("content" in block) createHash("sha256").update(block.content).digest("hex");
        }
      }
    },
  };
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {number} length
 */
async function createConversation(folder, name, length) {
  const workspace = createWorkspace({ root: join(folder, name) });
  const offloader = createOffloader({ workspace, sessionId: "bench", format: "anthropic" });
  const history = Array.from({ length: length / 2 }, (_, turn) => turnOf(`t${turn}`, 4_000)).flat();
  await offloader.offload(history);
  return { offloader, history };
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
