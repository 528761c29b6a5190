import { stat } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { addOutcomes } from "./replay-file.mjs";

/**
 * @typedef {object} Settings
 * @property {boolean} strict lines that are repeated word by word are facts, too
 * @property {boolean} known names that every model knows are not facts
 * @property {"search" | "page"} reader
 * @property {number | undefined} contextLines that the reader asks for around a match
 * @property {boolean} together the reader makes its calls for several results in one request
 * @property {number} readPrice of a token from the prompt cache
 * @property {number} writePrice of a token to it
 * @property {number | undefined} coldAfterMs a pause after which the cache is cold
 * @property {number} systemTokens of the agent's own system prompt and tools
 *
 * @typedef {object} SourceFigures
 * @property {string} name
 * @property {number} files
 * @property {number} unread files that are not a conversation in a form that the replay reads
 * @property {number} refused files that `parseConversation` refuses
 * @property {number} conversations
 * @property {number} largeResults
 * @property {Record<string, import("./replay.mjs").Outcome>} outcomes by system
 */

/** @type {Settings} */
export const DEFAULT_SETTINGS = {
  strict: false,
  known: false,
  reader: "search",
  contextLines: undefined,
  together: false,
  readPrice: 0.1,
  writePrice: 1.25,
  coldAfterMs: undefined,
  systemTokens: 8_000,
};

/**
 * Replays all files, on several threads, and adds them up by source. What comes out depends on neither
 * the number of threads nor their order.
 *
 * @param {readonly import("./conversations.mjs").Source[]} sources
 * @param {readonly string[]} systems
 * @param {Settings} settings
 * @param {{ jobs: number, onProgress?: (done: number, of: number, path: string) => void }} run
 * @returns {Promise<SourceFigures[]>}
 */
export async function replaySources(sources, systems, settings, { jobs, onProgress }) {
  const files = sources.flatMap((source) => source.files);
  const sizes = new Map(
    await Promise.all(
      files.map(async (path) => /** @type {const} */ ([path, (await stat(path)).size])),
    ),
  );
  // The largest first, so that no thread is left with one of them at the end.
  const queue = [...files].sort((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0));
  /** @type {Map<string, import("./replay-file.mjs").FileFigures>} */
  const figures = new Map();
  const threads = Array.from({ length: Math.min(jobs, files.length) }, async () => {
    const worker = new Worker(new URL("worker.mjs", import.meta.url), {
      workerData: { systems: [...systems], settings },
    });
    try {
      for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
        figures.set(path, await ask(worker, path));
        onProgress?.(figures.size, files.length, path);
      }
    } finally {
      await worker.terminate();
    }
  });
  await Promise.all(threads);
  return sources.map((source) => sumUp(source, figures));
}

/**
 * @param {Worker} worker
 * @param {string} path
 * @returns {Promise<import("./replay-file.mjs").FileFigures>}
 */
function ask(worker, path) {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("message", ({ figures, error }) => {
      worker.removeListener("error", reject);
      if (error === undefined) resolve(figures);
      else reject(new Error(`${path}: ${error}`));
    });
    worker.postMessage(path);
  });
}

/**
 * @param {import("./conversations.mjs").Source} source
 * @param {ReadonlyMap<string, import("./replay-file.mjs").FileFigures>} figures
 * @returns {SourceFigures}
 */
function sumUp({ name, files }, figures) {
  const sum = {
    name,
    files: files.length,
    unread: 0,
    refused: 0,
    conversations: 0,
    largeResults: 0,
    outcomes: /** @type {SourceFigures["outcomes"]} */ ({}),
  };
  for (const path of files) {
    const file = figures.get(path);
    if (!file) continue;
    if (!file.isRead) sum.unread++;
    else if (file.isRefused) sum.refused++;
    sum.conversations += file.conversations;
    sum.largeResults += file.largeResults;
    for (const [system, outcome] of Object.entries(file.outcomes)) {
      sum.outcomes[system] = addOutcomes(sum.outcomes[system], outcome);
    }
  }
  return sum;
}
