import { RowReader, findLayout } from "../records/table-layout.js";
import type { Lines } from "./lines.js";
import { clip, countOf, formatCount } from "../text/printable.js";
import { quoteAll } from "./plain.js";
import { listFields } from "./record-fields.js";
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
export function tableDigest(
  { text, chars, lines: lineCount }: SampledText,
  page: Lines,
  budgetChars: number,
): string | undefined {
  // Without what a harness put before it.
  const from = page.start(0);
  const isWhole = text.length >= chars && chars - from <= WHOLE_CHARS;
  const body = text
    .slice(from, isWhole ? undefined : from + OPENING_CHARS)
    .replaceAll("\r\n", "\n");
  const layout = findLayout(body.slice(0, OPENING_CHARS).split("\n", OPENING_LINES));
  if (layout === undefined || layout.headerLine > MAX_HEADER_LINE) return undefined;
  const { columns, format, headerLine, hasQuotes } = layout;
  const lines = body.split("\n");
  // The last line may be cut.
  if (!isWhole || lines.at(-1) === "") lines.pop();
  const reader = new RowReader(layout);
  const rows = lines.flatMap((line) => reader.take(line) ?? []);
  // Nearly all of the lines are rows, and these are enough to tell.
  const least = columns.length === 2 && hasQuotes && format !== "TSV" ? 4 : 2;
  const fitting = rows.filter(({ cells }) => cells.length === columns.length).length;
  if (rows.length < least || fitting < rows.length * MIN_SHARE) return undefined;
  if (!hasQuotes && rows.length < (lines.length - 4) * MIN_SHARE) return undefined;

  // Without quotes and blank lines, each line is a row.
  const isCounted = isWhole || (text.length >= chars && !/"|\n\r?\n/.test(text));
  const total = isWhole ? rows.length : lineCount - headerLine;
  const title = `Table (${format}), ${countOf(columns.length, "column")}, ${isCounted ? "" : "about "}${countOf(total, "row")}, ${countOf(lineCount, "line")}.`;
  const all = quoteAll(page, budgetChars - title.length - 1);
  if (all !== undefined) return `${title}\n${all}`;
  const fields = columns.map((name, at) => {
    const values = rows.map(({ cells }) => cells[at] ?? "").filter((cell) => cell !== "");
    return { path: [name], values };
  });
  const known = { fields, seen: rows.length, isEvery: isWhole };
  const some = isWhole ? "" : ` (values of ${formatCount(rows.length)} rows)`;
  const room = Math.min(budgetChars * COLUMNS_SHARE, MAX_COLUMNS_CHARS);
  const names = `Columns${some}: ${listFields(known, room)}`;
  const last = isWhole ? rows.slice(FIRST_ROWS).slice(-1) : [];
  const quoted = [...rows.slice(0, FIRST_ROWS), ...last].map(({ line }) =>
    page.quote(line - 1, Math.floor(budgetChars * ROW_SHARE)),
  );
  return clip([title, names, ...quoted].join("\n"), budgetChars);
}
