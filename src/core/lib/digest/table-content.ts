import type { Line, Scan } from "./scan-text.js";

export interface TableContent {
  readonly format: string;
  /** [] when the table has none. */
  readonly header: readonly string[];
  readonly columns: number;
  /** The rows that were scanned, without header and rules. */
  readonly rows: readonly Line[];
}

const CHECKED = 40;
const CHECKED_CHARS = 4_000;
const DELIMITERS = [
  ["\t", "TSV"],
  [",", "CSV"],
  [";", "CSV with semicolons"],
  ["|", "delimited by |"],
] as const;

/** The lines of a text as a table, if that can be told with certainty. */
export function readTable({ text, lines }: Scan): TableContent | undefined {
  const [opening] = lines;
  if (opening === undefined || lines.length < 3) return undefined;
  const beginning = text.slice(opening.start, opening.start + 400);
  if (!/[\t,;|]| {2}|^\+-/.test(beginning)) return undefined;
  const textOf = ({ start, indent, end }: Line): string =>
    withoutReturn(text.slice(start - indent, Math.min(end, start + CHECKED_CHARS)));
  // Most texts that are not tables can be told from their first lines.
  if (readLines(wholeLines(lines.slice(0, CHECKED)), textOf) === undefined) return undefined;
  return readLines(wholeLines(lines), textOf);
}

function readLines(lines: readonly Line[], textOf: TextOf): TableContent | undefined {
  if (lines.length < 3) return undefined;
  return readPiped(lines, textOf) ?? readDelimited(lines, textOf) ?? readAligned(lines, textOf);
}

/** The lines that are not blank, each in one piece. */
function wholeLines(lines: readonly Line[]): Line[] {
  const whole: Line[] = [];
  for (const line of lines) {
    const before = whole.at(-1);
    if (line.isPart && before !== undefined) before.end = line.end;
    else if (line.end > line.start) whole.push({ ...line });
  }
  return whole;
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

type TextOf = (line: Line) => string;

function readDelimited(all: readonly Line[], textOf: TextOf): TableContent | undefined {
  const [first] = all;
  if (first === undefined) return undefined;
  const one = textOf(first);
  if (!DELIMITERS.some(([delimiter]) => one.includes(delimiter))) return undefined;
  const lines = startsOfRecords(all, textOf);
  const closed = lines.filter((line) => !hasOpenQuote(textOf(line)));
  const second = closed[1];
  if (second === undefined) return undefined;
  const two = textOf(second);
  for (const [delimiter, format] of DELIMITERS) {
    const header = splitCells(one, delimiter);
    const columns = header.length;
    if (columns < 2 || splitCells(two, delimiter).length !== columns) continue;
    if (lines.length < (columns === 2 && delimiter !== "\t" ? 5 : 3)) continue;
    const checked = [...closed.slice(0, CHECKED), ...closed.slice(-8)].map((line) =>
      splitCells(textOf(line), delimiter),
    );
    const same = checked.filter((cells) => cells.length === columns).length;
    if (same < checked.length * 0.9) continue;
    const hasHeader = isHeader(checked, delimiter);
    if (!hasHeader && (delimiter !== "\t" || lines.length < 5)) continue;
    return {
      format,
      header: hasHeader ? header : [],
      columns,
      rows: lines.slice(hasHeader ? 1 : 0),
    };
  }
  return undefined;
}

/** A cell in quotation marks may hold line feeds; what follows one is not a row of its own. */
function startsOfRecords(lines: readonly Line[], textOf: TextOf): readonly Line[] {
  let isOpen = false;
  return lines.filter((line) => {
    const wasOpen = isOpen;
    if (hasOpenQuote(textOf(line))) isOpen = !isOpen;
    return !wasOpen;
  });
}

function hasOpenQuote(text: string): boolean {
  let odd = false;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) odd = !odd;
  return odd;
}

function isHeader([first, ...rows]: readonly (readonly string[])[], delimiter: string): boolean {
  if (first === undefined) return false;
  const cells = first.map((cell) => cell.trim());
  const named = cells.filter((cell) => cell !== "");
  // A data frame's index column has no name.
  if (named.length < cells.length - 1 || new Set(named).size < named.length) return false;
  const most = cells.length === 2 ? 32 : 64;
  if (!named.every((cell) => cell.length <= most && isColumnName(cell))) return false;
  // In prose and code, a comma is followed by a space.
  if (delimiter === "," && first[1]?.startsWith(" ") === true) return false;
  const repeated = cells.filter((cell, column) =>
    rows.slice(0, 2).every((row) => row[column]?.trim() === cell),
  ).length;
  return repeated * 2 < cells.length;
}

function isColumnName(cell: string): boolean {
  return !/^[-+.\d]+$/.test(cell) && !/[{}<>=;]|\($|\d\d:\d\d/.test(cell);
}

/** Markdown tables, and those that psql, MySQL and similar tools print. */
function readPiped(lines: readonly Line[], textOf: TextOf): TableContent | undefined {
  const opening = lines.slice(0, 4).map(textOf);
  const isFramed = isFrame(opening[0] ?? "");
  const rule = isFramed
    ? 2
    : opening.findIndex((text) => /^[\s|:+-]*$/.test(text) && text.includes("--"));
  const header = opening[rule - 1];
  if (rule < 1 || header?.includes("|") !== true) return undefined;
  const rows = lines.slice(rule + 1).filter((line) => !isFrame(textOf(line)));
  const checked = [...rows.slice(0, CHECKED), ...rows.slice(-8)].map(textOf);
  const piped = checked.filter((text) => text.includes("|")).length;
  if (piped === 0 || piped < checked.length * 0.9 - 2) return undefined;
  const cells = header
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|", 2_000)
    .map((cell) => cell.trim());
  const format = !isFramed && /^\s*\|/.test(header) ? "Markdown" : "drawn with |";
  return {
    format,
    header: cells,
    columns: cells.length,
    rows: rows.filter((line) => textOf(line).includes("|")),
  };
}

function isFrame(line: string): boolean {
  return line.trim().length > 4 && /^\+[-+=]+\+$/.test(line.trim());
}

/** Column names in capitals, and rows with a gap before every column, as kubectl prints them. */
function readAligned([header, ...rows]: readonly Line[], textOf: TextOf): TableContent | undefined {
  if (header === undefined || rows.length < 2) return undefined;
  const names = textOf(header)
    .split("  ")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const isCapital = (name: string): boolean =>
    name.length <= 32 && /^[A-Z][A-Z0-9 _()%/.#-]*$/.test(name);
  if (names.length < 3 || !names.every(isCapital)) return undefined;
  const starts: number[] = [];
  const text = textOf(header);
  for (const name of names) starts.push(text.indexOf(name, (starts.at(-1) ?? -1) + 1));
  const checked = rows.slice(0, CHECKED).map(textOf);
  const fits = checked.filter((row) =>
    starts.every((start) => start === 0 || start > row.length || row[start - 1] === " "),
  );
  if (fits.length < checked.length * 0.9) return undefined;
  return { format: "aligned columns", header: names, columns: names.length, rows };
}

/** Further cells are cut off; there is no need to split a row of a minified file completely. */
const MAX_CELLS = 2_000;

/** The cells of a row; a cell in quotation marks may hold the delimiter. */
function splitCells(text: string, delimiter: string): string[] {
  if (!text.includes('"')) return text.split(delimiter, MAX_CELLS);
  const cells: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length && cells.length < MAX_CELLS; at += 1) {
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
