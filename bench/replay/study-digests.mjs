import { digestText, estimateTokens } from "context-offload";
import { isLine, mentionsIn } from "./facts.mjs";
import {
  bareNames,
  densestLines,
  headAndTail,
  oracleLines,
  oracleNames,
  randomLines,
} from "./rival-digests.mjs";
import { factsUsedLater } from "./used-facts.mjs";

/** @type {Record<string, import("./rival-digests.mjs").DigestWay>} */
export const DIGEST_WAYS = {
  ours: (text, budgetChars) => digestText(text, { budgetChars }).text,
  "head and tail": headAndTail,
  "random lines": randomLines,
  "densest lines": densestLines,
  "bare names": bareNames,
  "oracle, lines": oracleLines,
  "oracle, names": oracleNames,
};

/**
 * @typedef {object} StudyOptions
 * @property {(chars: number) => number} budgetOf how many characters a digest of such a text may have
 * @property {number} [minTokens] the smallest result to look at
 * @property {Record<string, import("./rival-digests.mjs").DigestWay>} [ways]
 *
 * @typedef {{ used: number, shown: number }} Count
 *
 * @typedef {object} StudyRow
 * @property {string} group `kind: log`, `tool: Bash`, or `all`
 * @property {number} results
 * @property {Record<string, Count>} facts names and values, by way
 * @property {Record<string, Count>} lines lines repeated word by word, by way
 */

/**
 * Of the facts that are used later, how many a digest shows.
 *
 * @param {Iterable<import("./conversation.mjs").Conversation>} conversations
 * @param {StudyOptions} options
 * @returns {StudyRow[]}
 */
export function studyDigests(conversations, { budgetOf, minTokens = 1_000, ways = DIGEST_WAYS }) {
  /** @type {Map<string, StudyRow>} */
  const rows = new Map();
  for (const conversation of conversations) {
    for (const [index, used] of factsUsedLater(conversation, { strict: true })) {
      const item = conversation.items[index];
      if (item?.role !== "result" || estimateTokens(item.text) < minTokens) continue;
      const budgetChars = budgetOf(item.text.length);
      const { kind } = digestText(item.text, { budgetChars });
      const groups = ["all", `source: ${conversation.source}`, `kind: ${kind}`];
      groups.push(`tool: ${item.toolName || "unnamed"}`);
      for (const group of groups) row(rows, group, ways).results++;
      for (const [name, way] of Object.entries(ways)) {
        const shown = mentionsIn(way(item.text, budgetChars, used), { strict: true });
        for (const fact of used) {
          for (const group of groups) {
            const counts = row(rows, group, ways)[isLine(fact) ? "lines" : "facts"][name];
            if (!counts) continue;
            counts.used++;
            if (shown.has(fact)) counts.shown++;
          }
        }
      }
    }
  }
  return [...rows.values()].sort(
    (a, b) => section(a) - section(b) || b.results - a.results || (a.group < b.group ? -1 : 1),
  );
}

/** @param {StudyRow} row */
function section({ group }) {
  return ["all", "source", "kind", "tool"].indexOf(group.split(":")[0] ?? "");
}

/**
 * @param {Map<string, StudyRow>} rows
 * @param {string} group
 * @param {object} ways
 * @returns {StudyRow}
 */
function row(rows, group, ways) {
  const found = rows.get(group);
  if (found) return found;
  const zeros = () =>
    Object.fromEntries(Object.keys(ways).map((name) => [name, { used: 0, shown: 0 }]));
  const made = { group, results: 0, facts: zeros(), lines: zeros() };
  rows.set(group, made);
  return made;
}
