import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConversation } from "context-offload/formats";
import { readConversations } from "./conversations.mjs";
import { replayConversation } from "./replay.mjs";
import { systemNamed } from "./systems/systems.mjs";

/** Below this many characters no system would offload a result. */
const LARGE_CHARS = 1_000;

/**
 * @typedef {object} FileFigures
 * @property {boolean} isRead whether it is a conversation in a form that the replay reads
 * @property {boolean} isRefused whether `parseConversation` refuses it: the replay reads it by itself
 * @property {number} conversations
 * @property {number} largeResults results that are large enough to be offloaded
 * @property {Record<string, import("./replay.mjs").Outcome>} outcomes by system; sums over its conversations
 */

/**
 * Replays all conversations of a file under each system.
 *
 * @param {string} path
 * @param {readonly string[]} systems
 * @param {import("./replay.mjs").ReplayOptions} options
 * @returns {Promise<FileFigures>}
 */
export async function replayFile(path, systems, options) {
  const conversations = await readConversations(path);
  const isRefused = refuses(await readFile(path, "utf8"));
  /** @type {Record<string, import("./replay.mjs").Outcome>} */
  const outcomes = {};
  let largeResults = 0;
  for (const conversation of conversations ?? []) {
    largeResults += conversation.items.filter(
      ({ role, text }) => role === "result" && text.length >= LARGE_CHARS,
    ).length;
    for (const name of systems) {
      const folder = await mkdtemp(join(tmpdir(), "context-offload-replay-"));
      try {
        const outcome = await replayConversation(conversation, systemNamed(name), folder, options);
        outcomes[name] = addOutcomes(outcomes[name], outcome);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }
  }
  const isRead = conversations !== undefined;
  return { isRead, isRefused, conversations: conversations?.length ?? 0, largeResults, outcomes };
}

/** @param {string} text */
function refuses(text) {
  try {
    parseConversation(text);
    return false;
  } catch {
    return true;
  }
}

/**
 * @param {import("./replay.mjs").Outcome | undefined} sum
 * @param {import("./replay.mjs").Outcome} outcome
 * @returns {import("./replay.mjs").Outcome}
 */
export function addOutcomes(sum, outcome) {
  if (!sum) return outcome;
  return {
    turns: sum.turns + outcome.turns,
    requests: sum.requests + outcome.requests,
    tokens: sum.tokens + outcome.tokens,
    price: sum.price + outcome.price,
    readBacks: sum.readBacks + outcome.readBacks,
    readTokens: sum.readTokens + outcome.readTokens,
    readTurns: sum.readTurns + outcome.readTurns,
    needed: sum.needed + outcome.needed,
    lost: sum.lost + outcome.lost,
  };
}
