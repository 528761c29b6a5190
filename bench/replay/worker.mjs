import { parentPort, workerData } from "node:worker_threads";
import { KNOWN_WORDS } from "./known-words.mjs";
import { replayFile } from "./replay-file.mjs";
import { createTokenCounter } from "./tokens.mjs";

/** @type {{ systems: string[], settings: import("./replay-sources.mjs").Settings }} */
const { systems, settings } = workerData;
const { strict, known, reader, contextLines, together, systemTokens } = settings;
const countTokens = await createTokenCounter();
const options = {
  countTokens,
  prices: {
    read: settings.readPrice,
    write: settings.writePrice,
    coldAfterMs: settings.coldAfterMs ?? Infinity,
  },
  systemTokens,
  facts: known ? { strict, known: KNOWN_WORDS } : { strict },
  reader,
  contextLines,
  together,
};

parentPort?.on("message", (/** @type {string} */ path) => {
  replayFile(path, systems, options).then(
    (figures) => parentPort?.postMessage({ figures }),
    (/** @type {unknown} */ error) => parentPort?.postMessage({ error: String(error) }),
  );
});
