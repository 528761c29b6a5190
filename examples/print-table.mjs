import { parseFileReference } from "context-offload";

/**
 * @typedef {{ title: string, align?: "offloaded" | "right" }} Column
 * @typedef {{ position: string, tool: string, chars: number, reference: string }} Departure
 * @typedef {{ messages: number, left: number, stayed: number, charsBefore: number, charsAfter: number }} Totals
 */

const colour = process.stdout.isTTY && !process.env["NO_COLOR"];

/** A pipe has no width of its own; 100 columns keep its output the same everywhere. */
const width = Math.min(Math.max(process.stdout.columns || 100, 60), 120);

/** @param {string} text */
export const bold = (text) => (colour ? `\u001b[1m${text}\u001b[22m` : text);

/** @param {string} text */
export const dim = (text) => (colour ? `\u001b[2m${text}\u001b[22m` : text);

/**
 * Prints one row for each result that left. The whole reference is shown where there is room, else
 * the file that it names.
 *
 * @param {readonly Departure[]} departures
 */
export function printDepartures(departures) {
  const cells = departures.map(({ position, tool, chars }) => [
    position,
    shorten(tool, 20),
    formatCount(chars),
  ]);
  /** @type {Column[]} */
  const columns = [{ title: "message" }, { title: "tool" }, { title: "chars", align: "right" }];
  const room = width - measure(columns, cells).reduce((sum, length) => sum + length + 2, 0);
  const fits = departures.every(({ reference }) => reference.length <= room);
  const rows = departures.map(({ reference }, at) => {
    const path = parseFileReference(reference)?.path ?? reference;
    return [...(cells[at] ?? []), fits ? reference : shorten(path, room)];
  });
  printTable([...columns, { title: fits ? "reference" : "reference to" }], rows);
}

/** @param {Totals} totals */
export function printTotals({ messages, left, stayed, charsBefore, charsAfter }) {
  const saved = charsBefore - charsAfter;
  const percent = `${((100 * saved) / charsBefore).toFixed(1)} %`;
  const chars = [charsBefore, charsAfter, saved];
  /** @type {Column[]} */
  const figures = ["before", "after", "saved"].map((title) => ({ title, align: "right" }));
  printTable(
    [{ title: "total" }, ...figures, { title: "" }],
    [
      ["characters, as JSON", ...chars.map(formatCount), percent],
      ["tokens, roughly", ...chars.map((count) => formatCount(Math.round(count / 4))), "chars / 4"],
    ],
  );
  const results = `${countOf(left + stayed, "tool result")}: ${left} left, ${stayed} stayed`;
  console.log(`\n${countOf(messages, "message")}, ${results}`);
}

/**
 * @param {readonly Column[]} columns
 * @param {readonly (readonly string[])[]} rows
 */
function printTable(columns, rows) {
  const widths = measure(columns, rows);
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

/**
 * @param {readonly Column[]} columns
 * @param {readonly (readonly string[])[]} rows
 */
function measure(columns, rows) {
  return columns.map(({ title }, at) =>
    rows.reduce((longest, row) => Math.max(longest, row[at]?.length ?? 0), title.length),
  );
}

/** @param {number} count */
function formatCount(count) {
  return count.toLocaleString("en-US");
}

/** @param {number} count @param {string} noun */
function countOf(count, noun) {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * Cuts the middle out of a long text, for a file's end tells as much as its start. Control
 * characters of a name would reach the terminal, so none passes.
 *
 * @param {string} text
 * @param {number} maxChars
 */
function shorten(text, maxChars) {
  const plain = text.replace(/\p{C}/gu, "?");
  if (plain.length <= maxChars) return plain;
  const tail = Math.min(12, Math.floor(maxChars / 2));
  return `${plain.slice(0, maxChars - tail - 1)}…${plain.slice(-tail)}`;
}
