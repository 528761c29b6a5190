import type { SampledText } from "./line-scanner.js";
import { clip, countOf, formatCount, quoteLine, toPrintableLine } from "./printable.js";
import type { TableContent } from "./table-content.js";

/** Header, number of columns and rows, and the first two rows with their lines. */
export function tableDigest(
  table: TableContent,
  sampled: SampledText,
  budgetChars: number,
): string {
  const about = table.exact ? "" : "about ";
  const title = `Table (${table.format}), ${countOf(table.columns, "column")}, ${about}${countOf(table.rows, "row")}, ${countOf(sampled.lines, "line")}.`;
  const room = budgetChars - title.length - 1;
  const names =
    table.header.length === 0 ? "No header." : nameColumns(table, Math.floor(room * 0.4));
  const lines = [title, names];
  let left = room - names.length - 1;
  for (const [index, row] of table.firstRows.entries()) {
    const width = Math.floor(left / (table.firstRows.length - index)) - 12;
    if (width < 24) break;
    const quoted = quoteLine(row, width);
    lines.push(quoted);
    left -= quoted.length + 1;
  }
  return clip(lines.join("\n"), budgetChars);
}

function nameColumns(table: TableContent, budgetChars: number): string {
  const lead = "Columns: ";
  let text = "";
  let shown = 0;
  for (const cell of table.header) {
    const name = clip(toPrintableLine(cell).trim(), 60) || '""';
    const next = text === "" ? name : `${text}, ${name}`;
    // Room for the note about those that are left out.
    if (lead.length + next.length + 24 > budgetChars && shown > 0) break;
    text = next;
    shown += 1;
  }
  const left = table.columns - shown;
  return lead + text + (left > 0 ? `, … ${formatCount(left)} more` : "");
}
