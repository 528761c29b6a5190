import { addOutcomes } from "./replay-file.mjs";
import { textTable } from "./text-table.mjs";

/**
 * @typedef {object} SystemFigures
 * @property {string} system
 * @property {number} mean price against sending everything, mean over the sources
 * @property {number} plainMean the same without a prompt cache
 * @property {Record<string, number>} bySource
 * @property {import("./replay.mjs").Outcome} total
 *
 * @typedef {object} Report figures only, nothing of the conversations
 * @property {import("./replay-sources.mjs").Settings} settings
 * @property {Omit<import("./replay-sources.mjs").SourceFigures, "outcomes">[]} sources
 * @property {{ name: string, files: number }[]} leftOut sources without a result that is large enough to be offloaded
 * @property {SystemFigures[]} systems
 */

/**
 * @param {readonly import("./replay-sources.mjs").SourceFigures[]} sources
 * @param {readonly string[]} systems the first of them is what the others are compared with
 * @param {import("./replay-sources.mjs").Settings} settings
 * @returns {Report}
 */
export function createReport(sources, systems, settings) {
  const counted = sources.filter(({ largeResults }) => largeResults > 0);
  const base = systems[0] ?? "everything";
  return {
    settings,
    sources: counted.map(({ name, files, unread, refused, conversations, largeResults }) => ({
      name,
      files,
      unread,
      refused,
      conversations,
      largeResults,
    })),
    leftOut: sources
      .filter(({ largeResults }) => largeResults === 0)
      .map(({ name, files }) => ({ name, files })),
    systems: systems.map((system) => {
      /** @type {Record<string, number>} */
      const bySource = {};
      const plain = [];
      /** @type {import("./replay.mjs").Outcome | undefined} */
      let total;
      for (const { name, outcomes } of counted) {
        const outcome = outcomes[system];
        const everything = outcomes[base];
        if (!outcome || !everything) continue;
        bySource[name] = round(outcome.price / everything.price);
        plain.push(outcome.tokens / everything.tokens);
        total = addOutcomes(total, { ...outcome, price: round(outcome.price) });
      }
      return {
        system,
        mean: round(mean(Object.values(bySource))),
        plainMean: round(mean(plain)),
        bySource,
        total: total ?? zero(),
      };
    }),
  };
}

/** @param {Report} report */
export function renderReport({ settings, sources, leftOut, systems }) {
  const names = sources.map(({ name }) => name);
  const short = names.map((name) => shortName(name, names));
  const prices = systems.map(({ system, mean: all, bySource }) => [
    system,
    all.toFixed(3),
    ...names.map((name) => bySource[name]?.toFixed(3) ?? "-"),
  ]);
  const reads = systems.map(({ system, plainMean, total }) => [
    system,
    plainMean.toFixed(3),
    String(total.readBacks),
    total.readBacks === 0 ? "-" : String(Math.round(total.readTokens / total.readBacks)),
    `${((100 * total.readTurns) / total.turns).toFixed(1)} %`,
    String(total.lost),
    String(total.needed),
  ]);
  const refused = sources.reduce((sum, source) => sum + source.refused, 0);
  const turns = systems[0]?.total.turns ?? 0;
  return [
    `Price of whole conversations against sending everything, with a prompt cache ` +
      `(read ${settings.readPrice}, write ${settings.writePrice}); ${turns} turns`,
    describeSettings(settings),
    "",
    textTable([["", "mean", ...short], ...prices]),
    "",
    textTable([
      ["", "without cache", "read-backs", "tokens each", "turns with one", "lost", "of facts used"],
      ...reads,
    ]),
    "",
    `${refused} files are in a form that parseConversation refuses; they were converted.`,
    ...(leftOut.length > 0
      ? [`Without a result to offload: ${leftOut.map(({ name }) => name).join(", ")}.`]
      : []),
  ].join("\n");
}

/** @param {import("./replay-sources.mjs").Settings} settings */
function describeSettings(settings) {
  const { strict, known, reader, contextLines, together, coldAfterMs, systemTokens } = settings;
  return [
    `system prompt of ${systemTokens} tokens`,
    reader === "search" ? "the reader searches" : "the reader pages from the start",
    ...(contextLines === undefined ? [] : [`with ${contextLines} lines around a match`]),
    ...(together ? ["in one request for all that is missing"] : []),
    ...(strict ? ["lines that are repeated are facts, too"] : []),
    ...(known ? ["names that every model knows are not facts"] : []),
    ...(coldAfterMs === undefined
      ? []
      : [`the cache is cold after ${coldAfterMs / 60_000} minutes`]),
  ].join("; ");
}

/**
 * Without the words that it begins with like another.
 *
 * @param {string} name
 * @param {readonly string[]} names
 */
function shortName(name, names) {
  const words = name.split("-");
  let shared = 0;
  while (
    names.some(
      (other) => other !== name && other.startsWith(`${words.slice(0, shared + 1).join("-")}-`),
    )
  ) {
    shared++;
  }
  return words.slice(shared).join("-");
}

/** @param {readonly number[]} values */
function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10_000) / 10_000;
}

/** @returns {import("./replay.mjs").Outcome} */
function zero() {
  return {
    turns: 0,
    requests: 0,
    tokens: 0,
    price: 0,
    readBacks: 0,
    readTokens: 0,
    readTurns: 0,
    needed: 0,
    lost: 0,
  };
}
