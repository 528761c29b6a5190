import { isBlank, linesOf, type Line, type Segment } from "./line-scanner.js";

const MOST_LINES_PER_RECORD = 50;
/** Further cells are cut off; there is no need to split a row of a minified file completely. */
const MOST_CELLS = 2_000;
const MOST_CHARS = 20_000;

export interface DelimitedRecord {
  /** The line on which the record starts. */
  readonly line: Line;
  readonly cells: readonly string[];
}

/** Up to `limit` records of a CSV-like text; a quoted cell may hold line feeds. */
export function readRecords(segment: Segment, delimiter: string, limit: number): DelimitedRecord[] {
  const records: DelimitedRecord[] = [];
  let open: { readonly line: Line; text: string; lines: number } | undefined;
  for (const line of linesOf(segment)) {
    if (open === undefined && isBlank(line.text)) continue;
    const text: string = open === undefined ? line.text : `${open.text}\n${line.text}`;
    if (text.length > MOST_CHARS) return records;
    const started: Line = open?.line ?? line;
    const lines: number = (open?.lines ?? 0) + 1;
    if (hasOpenQuote(text) && lines < MOST_LINES_PER_RECORD) {
      open = { line: started, text, lines };
      continue;
    }
    records.push({ line: started, cells: splitCells(text, delimiter) });
    open = undefined;
    if (records.length >= limit) break;
  }
  return records;
}

/** How many records the text of a segment has, by the same rules. */
export function countRecords(segment: Segment): number {
  let count = 0;
  let open = false;
  for (const line of linesOf(segment)) {
    if (!open && isBlank(line.text)) continue;
    if (!open) count += 1;
    if (hasOpenQuote(line.text)) open = !open;
  }
  return count;
}

function hasOpenQuote(text: string): boolean {
  let odd = false;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) odd = !odd;
  return odd;
}

export function splitCells(text: string, delimiter: string): string[] {
  if (!text.includes('"')) return text.split(delimiter, MOST_CELLS);
  const cells: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length && cells.length < MOST_CELLS; at += 1) {
    const unit = text[at];
    if (unit === '"') quoted = !quoted;
    else if (unit === delimiter && !quoted) {
      cells.push(unquote(text.slice(start, at)));
      start = at + 1;
    }
  }
  cells.push(unquote(text.slice(start)));
  return cells;
}

function unquote(cell: string): string {
  const text = cell.trim();
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"')
    ? text.slice(1, -1).split('""').join('"')
    : cell;
}
