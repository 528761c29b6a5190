import {
  RowReader,
  findLayout,
  toRecord,
  type TableLayout,
  type TableRow,
} from "../records/table-layout.js";
import { clip, countOf, formatCount, toPrintable } from "./printable.js";
import { listFields, readFields } from "./record-fields.js";
import type { SampledText } from "./sampled-text.js";

const OPENING_CHARS = 16_384;
const OPENING_LINES = 44;
/** A header is not far down: what is behind more lines of text is a part of that text. */
const MAX_HEADER_LINE = 3;
/** Up to this length, every row is looked at. */
const WHOLE_CHARS = 65_536;
const COLUMNS_SHARE = 0.6;
const MAX_COLUMNS_CHARS = 700;
const ROW_SHARE = 0.2;
const FIRST_ROWS = 3;
const MIN_SHARE = 0.9;

/**
 * The columns of a table and what their values are, the number of rows, and rows as they are, with the
 * numbers of their lines: all, or the first and the last. `undefined` if the text is no table with a header.
 */
export function tableDigest(sampled: SampledText, budgetChars: number): string | undefined {
  const { text, pieces, lines: lineCount } = sampled;
  const [first] = pieces;
  const end = pieces.at(-1)?.to ?? 0;
  if (first === undefined) return undefined;
  const opening = splitLines(text.slice(first.from, Math.min(end, first.from + OPENING_CHARS)));
  // The last line may be cut.
  if (end > first.from + OPENING_CHARS) opening.pop();
  const layout = findLayout(opening.slice(0, OPENING_LINES));
  if (layout === undefined || layout.headerLine > MAX_HEADER_LINE) return undefined;
  const isWhole = text.length >= sampled.chars && end - first.from <= WHOLE_CHARS;
  const lines = isWhole ? splitLines(text.slice(first.from, end)) : opening;
  const reader = new RowReader(layout);
  const rows = lines.flatMap((line) => reader.take(line) ?? []);
  if (!isTable(rows, lines, layout)) return undefined;

  const { columns, format, headerLine } = layout;
  // Without quotes and blank lines, each line is a row.
  const isCounted = isWhole || (text.length >= sampled.chars && !/"|\n\r?\n/.test(text));
  const total = isWhole ? rows.length : lineCount - headerLine;
  const title = `Table (${format}), ${countOf(columns.length, "column")}, ${isCounted ? "" : "about "}${countOf(total, "row")}, ${countOf(lineCount, "line")}.`;
  const quote = (at: number): string =>
    `${at + first.line}: ${toPrintable((lines[at] ?? "").slice(0, budgetChars)).trimEnd()}`;
  if (isWhole && end - first.from < budgetChars) {
    const all = [title, ...lines.map((_, at) => quote(at))].join("\n");
    if (all.length <= budgetChars) return all;
  }
  const fields = readFields(rows.map((row) => toRecord(layout, row)));
  const known = { ...fields, isEvery: fields.isEvery && isWhole };
  const some = fields.seen < total ? ` (values of ${formatCount(fields.seen)} rows)` : "";
  const room = Math.min(budgetChars * COLUMNS_SHARE, MAX_COLUMNS_CHARS);
  const most = Math.floor(budgetChars * ROW_SHARE);
  const shown = isWhole
    ? [...rows.slice(0, FIRST_ROWS), ...rows.slice(FIRST_ROWS).slice(-1)]
    : rows.slice(0, FIRST_ROWS);
  const quoted = shown.map(({ line }) => clip(quote(line - 1), most));
  const names = `Columns${some}: ${listFields(known, room)}`;
  return clip([title, names, ...quoted].join("\n"), budgetChars);
}

function splitLines(text: string): string[] {
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Whether nearly all of the lines are rows, and these are enough to tell. */
function isTable(
  rows: readonly TableRow[],
  lines: readonly string[],
  { columns, hasQuotes, format }: TableLayout,
): boolean {
  const least = columns.length === 2 && hasQuotes && format !== "TSV" ? 4 : 2;
  const fitting = rows.filter(({ cells }) => cells.length === columns.length).length;
  if (rows.length < least || fitting < rows.length * MIN_SHARE) return false;
  return hasQuotes || rows.length >= (lines.length - 4) * MIN_SHARE;
}
