import { lineDigest } from "./line-digest.js";
import { clip, countOf, formatCount, toPrintable, toPrintableLine } from "./printable.js";
import type { Scan } from "./scan-text.js";
import type { TableContent } from "./table-content.js";

const COLUMNS_SHARE = 0.4;
const ROW_SHARE = 0.3;

/** Header, number of columns and rows, the first two rows, and further rows where there is room. */
export function tableDigest(
  table: TableContent,
  scan: Scan,
  lines: number,
  scale: number,
  budgetChars: number,
): string {
  const rows = scale > 1 ? `about ${countOf(Math.round(table.rows.length * scale), "row")}` : countOf(table.rows.length, "row");
  const title = `Table (${table.format}), ${countOf(table.columns, "column")}, ${rows}, ${countOf(lines, "line")}.`;
  const names = table.header.length === 0 ? "No header." : nameColumns(table, Math.floor(budgetChars * COLUMNS_SHARE));
  const first = table.rows.slice(0, 2).map(({ number, start, end, names: shown }) => {
    for (const name of shown) name.worth = 0;
    return clip(`${number}: ${toPrintable(scan.text.slice(start, end)).trimEnd()}`, Math.floor(budgetChars * ROW_SHARE));
  });
  const opening = clip([title, names, ...first].join("\n"), budgetChars);
  const rest = { text: scan.text, lines: table.rows.slice(2), names: scan.names };
  return lineDigest(rest, { kind: "table", title: opening, budgetChars, scale });
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
