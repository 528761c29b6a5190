import { createHash } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createOffloader, createWorkspace, offloadToolResults } from "context-offload";
import { freshAndStale } from "context-offload/policies";
import { measure } from "./harness.mjs";

const MESSAGES = 10_000;
const CHARS = 10_000;

/**
 * A history pass that is skipped because of the ratio: 10,000 messages with 100 MB of strings, against
 * a bare loop that adds up the lengths.
 *
 * @param {string} folder
 * @returns {Promise<import("./harness.mjs").Row[]>}
 */
export async function benchRatioGate(folder) {
  const messages = Array.from({ length: MESSAGES }, (_, index) => {
    const text = `${index} `.padEnd(CHARS, "lorem ipsum ");
    return index % 10 === 9
      ? {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: `t${index}`, content: text }],
        }
      : { role: index % 2 ? "user" : "assistant", content: [{ type: "text", text }] };
  });
  const bare = () => {
    let total = 0;
    for (const { content } of messages) {
      for (const block of content) {
        total += "text" in block ? block.text.length : block.content.length;
      }
    }
    return total;
  };
  const ours = () => offloadToolResults(messages, { outputDir: folder });
  const skipped = await ours();
  if (skipped.messages !== messages) throw new Error("the gate should have skipped this pass");

  const took = await measure({ bare, ours }, { rounds: 400 });
  return [
    {
      what: "history skipped by the ratio gate, 10,000 messages, 100 MB",
      against: "a loop that adds up the lengths",
      ours: took["ours"] ?? 0,
      theirs: took["bare"] ?? 0,
      aim: "at most 2",
      limit: 2,
    },
  ];
}

/**
 * What the skipped pass allocates when the content grows a hundredfold. Run with --expose-gc.
 *
 * @param {string} folder
 */
export async function allocationOfSkippedPass(folder) {
  const allocations = [];
  for (const chars of [100, 10_000]) {
    const messages = Array.from({ length: 1_000 }, (_, index) => ({
      role: "user",
      content: [
        { type: "text", text: `${index}`.padEnd(chars * 9, "x") },
        { type: "tool_result", tool_use_id: `t${index}`, content: "y".padEnd(chars, "z") },
      ],
    }));
    await offloadToolResults(messages, { outputDir: folder });
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    await offloadToolResults(messages, { outputDir: folder });
    allocations.push(process.memoryUsage().heapUsed - before);
  }
  return { small: allocations[0] ?? 0, large: allocations[1] ?? 0 };
}

const ROUNDS = 20;
const WARM_UP = 5;
const LINE = "2026-03-01T10:00:00.000Z INFO  checkout request=8f3a served in 12 ms\n";

/**
 * A further turn of an agent loop over a history of 5,000 messages, which brings one result of 20 kB
 * and may end in a step: for a host that keeps its message objects, against one over 50 messages; for a
 * host that reloads its history, against a bare hash of all content. And a step that stores 48 results
 * of 4 kB at once, against bare writes of the same.
 *
 * @param {string} folder
 * @returns {Promise<import("./harness.mjs").Row[]>}
 */
export async function benchOffloadTurn(folder) {
  const kept = await measure(
    { ours: await createHost(folder, 5_000), theirs: await createHost(folder, 50) },
    { rounds: ROUNDS, warmUp: WARM_UP },
  );
  const loaded = await createLoadingHost(folder, 5_000);
  const reloaded = await measure(
    { ours: loaded.turn, theirs: loaded.hash },
    { rounds: ROUNDS, warmUp: WARM_UP },
  );
  const step = await measure(
    { ours: createStep(folder), theirs: createWrites(folder) },
    { rounds: ROUNDS, warmUp: WARM_UP },
  );
  return [
    {
      what: `a step that stores ${STEP} results of 4 kB`,
      against: "write to a temporary file and rename, each",
      ours: step["ours"] ?? 0,
      theirs: step["theirs"] ?? 0,
      aim: "none",
      limit: null,
    },
    {
      what: "a further turn over 5,000 messages",
      against: "the same over 50",
      ours: kept["ours"] ?? 0,
      theirs: kept["theirs"] ?? 0,
      aim: "at most 2",
      limit: 2,
    },
    {
      what: "the same, all messages reloaded",
      against: "a hash of their content",
      ours: reloaded["ours"] ?? 0,
      theirs: reloaded["theirs"] ?? 0,
      aim: "at most 2",
      limit: 2,
    },
  ];
}

const STEP = 48;

/** Conversations of one step each; all but the step happens beforehand. @param {string} folder */
function createStep(folder) {
  const workspace = createWorkspace({ root: join(folder, "steps") });
  const policy = freshAndStale({ turnsAhead: 50, gatherTokens: 1 });
  let sessions = 0;
  return async () => {
    const sessionId = `step ${sessions++}`;
    const offloader = createOffloader({ workspace, sessionId, format: "anthropic", policy });
    const turns = Array.from({ length: STEP }, (_, at) => turnOf(`t${at}`, 4_000));
    /** The blocks of all calls, or of all results. @param {0 | 1} part @returns {object[]} */
    const blocksOf = (part) => turns.flatMap((turn) => [...(turn[part]?.content ?? [])]);
    const replies = Array.from({ length: 5 }, () => [
      { role: "assistant", content: [{ type: "text", text: "Go on." }] },
      { role: "user", content: [{ type: "text", text: "Yes." }] },
    ]);
    const calls = { role: "assistant", content: blocksOf(0) };
    const results = { role: "user", content: blocksOf(1) };
    const { report } = await offloader.offload([calls, results, ...replies.flat()]);
    if (report.step?.results !== STEP) throw new Error("there should have been one step");
  };
}

/** @param {string} folder */
function createWrites(folder) {
  let files = 0;
  return async () => {
    await Promise.all(
      Array.from({ length: STEP }, async (_, at) => {
        const path = join(folder, `bare ${files++} ${at}`);
        await writeFile(`${path}.tmp`, LINE.repeat(Math.ceil(4_000 / LINE.length)));
        await rename(`${path}.tmp`, path);
      }),
    );
  };
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
  const { offloader, history } = await createConversation(folder, `reloaded ${length}`, length);
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
