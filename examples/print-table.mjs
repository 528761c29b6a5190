import { estimateTokens } from "context-offload";

/** @typedef {{ title: string, align?: "left" | "right" }} Column */

const colour = process.stdout.isTTY && !process.env["NO_COLOR"];

/** @param {string} text */
export const bold = (text) => (colour ? `\u001b[1m${text}\u001b[22m` : text);

/** @param {string} text */
export const dim = (text) => (colour ? `\u001b[2m${text}\u001b[22m` : text);

/**
 * Prints one row for each offloaded result: how many tokens it had, how many its reference has, and
 * the first line of the digest.
 *
 * @param {readonly import("context-offload").ResultReport[]} results
 */
export function printOffloaded(results) {
  const rows = results.map(({ messageIndex, toolName, tokens = 0, reference = "" }) => [
    String(messageIndex + 1),
    shorten(toolName ?? "unknown", 20),
    formatCount(tokens),
    formatCount(estimateTokens(reference)),
    shorten(firstLineOfDigest(reference), 50),
  ]);
  printTable(
    [
      { title: "message" },
      { title: "tool" },
      { title: "tokens", align: "right" },
      { title: "now", align: "right" },
      { title: "what the reference says" },
    ],
    rows,
  );
  console.log();
}

/**
 * Prints how many tokens the messages had and have.
 *
 * @param {readonly unknown[]} before
 * @param {readonly unknown[]} after
 */
export function printTotals(before, after) {
  const [was, is] = [countTokens(before), countTokens(after)];
  const percent = was === 0 ? 0 : Math.round((100 * (was - is)) / was);
  console.log(`${bold("before")}  ${formatCount(was).padStart(9)} tokens, estimated`);
  console.log(`${bold("after")}   ${formatCount(is).padStart(9)} tokens, ${percent} % fewer`);
}

/** Prints a text indented by two, without control characters that the terminal would obey. */
export function printIndented(/** @type {string} */ text) {
  for (const line of text.split("\n")) console.log(`  ${shorten(line, 1_000)}`);
}

/** @param {number} count @param {string} noun */
export function countOf(count, noun) {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** @param {readonly unknown[]} messages */
function countTokens(messages) {
  return messages.reduce((/** @type {number} */ sum, message) => {
    return sum + estimateTokens(typeof message === "string" ? message : JSON.stringify(message));
  }, 0);
}

/** @param {string} reference */
function firstLineOfDigest(reference) {
  const lines = reference.split("\n");
  return lines[lines.findIndex((line) => line.startsWith("<knowledge ")) + 1] ?? "";
}

/**
 * @param {readonly Column[]} columns
 * @param {readonly (readonly string[])[]} rows
 */
function printTable(columns, rows) {
  const widths = columns.map(({ title }, at) =>
    rows.reduce((longest, row) => Math.max(longest, row[at]?.length ?? 0), title.length),
  );
  /** @param {readonly string[]} cells */
  const join = (cells) =>
    columns
      .map(({ align }, at) => {
        const [cell = "", length = 0] = [cells[at], widths[at]];
        return align === "right" ? cell.padStart(length) : cell.padEnd(length);
      })
      .join("  ")
      .trimEnd();
  console.log(bold(join(columns.map(({ title }) => title))));
  console.log(dim(widths.map((length) => "─".repeat(length)).join("  ")));
  for (const row of rows) console.log(join(row));
}

/** @param {number} count */
function formatCount(count) {
  return count.toLocaleString("en-US");
}

/**
 * Cuts a long text. Control characters of a name would reach the terminal, so none passes.
 *
 * @param {string} text
 * @param {number} maxChars
 */
function shorten(text, maxChars) {
  const plain = text.replace(/\p{C}/gu, "?");
  return plain.length <= maxChars ? plain : `${plain.slice(0, maxChars - 1)}…`;
}
