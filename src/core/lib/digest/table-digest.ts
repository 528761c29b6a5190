import { lineDigest } from "./line-digest.js";
import { markShown } from "./list-names.js";
import { clip, countOf, formatCount, toPrintable, toPrintableLine } from "./printable.js";
import { isNumber, type Scan } from "./scan-text.js";
import type { TableContent } from "./table-content.js";

const COLUMNS_SHARE = 0.4;
const ROW_SHARE = 0.3;
const MAX_ROWS = 24;
/** Of the many numbers in a table, hardly any is a name. */
const NUMBER_WORTH = 0.3;

/** Header, number of columns and rows, the first two rows, and further rows where there is room. */
export function tableDigest(
  table: TableContent,
  scan: Scan,
  lines: number,
  scale: number,
  budgetChars: number,
): string {
  const before = (table.rows[0]?.number ?? 1) - 1;
  const rows =
    scale > 1 ? `about ${countOf(lines - before, "row")}` : countOf(table.rows.length, "row");
  const title = `Table (${table.format}), ${countOf(table.columns, "column")}, ${rows}, ${countOf(lines, "line")}.`;
  const names =
    table.header.length === 0
      ? "No header."
      : nameColumns(table, Math.floor(budgetChars * COLUMNS_SHARE));
  const first = table.rows.slice(0, 2).map(({ number, start, end, names: shown }) => {
    for (const name of shown) name.worth = 0;
    return clip(
      `${number}: ${toPrintable(scan.text.slice(start, end)).trimEnd()}`,
      Math.floor(budgetChars * ROW_SHARE),
    );
  });
  const opening = clip([title, names, ...first].join("\n"), budgetChars);
  markShown(scan, names);
  // Further rows from all over the table, and the last one.
  const step = Math.max(1, Math.floor(table.rows.length / MAX_ROWS));
  const others = table.rows.filter(
    (_, index) => index > 1 && (table.rows.length - 1 - index) % step === 0,
  );
  for (const name of scan.names) if (isNumber(scan.text, name)) name.worth *= NUMBER_WORTH;
  const rest = { text: scan.text, lines: others, names: scan.names };
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
