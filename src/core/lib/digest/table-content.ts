import { countRecords, readRecords, splitCells, type DelimitedRecord } from "./delimited.js";
import {
  firstLines,
  isBlank,
  lastLines,
  linesOf,
  type Line,
  type SampledText,
} from "./line-scanner.js";

export interface TableContent {
  readonly format: string;
  /** [] when the table has none. */
  readonly header: readonly string[];
  readonly columns: number;
  readonly rows: number;
  /** Whether `rows` was counted rather than estimated from the number of lines. */
  readonly exact: boolean;
  readonly firstRows: readonly Line[];
}

const CHECKED = 60;
const DELIMITERS = [
  ["\t", "TSV"],
  [",", "CSV"],
  [";", "CSV with semicolons"],
  ["|", "delimited by |"],
] as const;
const TIME = /\d\d:\d\d(?::\d\d)?/;

/** A table whose header can be recognized with certainty. */
export function readTable(sampled: SampledText): TableContent | undefined {
  return (
    readPiped(sampled) ??
    readDelimited(sampled, true) ??
    readListing(sampled) ??
    readAligned(sampled)
  );
}

/** Tab-separated rows without a header; a log may look the same, so logs are detected first. */
export function readHeaderless(sampled: SampledText): TableContent | undefined {
  return readDelimited(sampled, false);
}

function readDelimited(sampled: SampledText, withHeader: boolean): TableContent | undefined {
  const segment = sampled.segments[0];
  if (segment === undefined) return undefined;
  const opening = segment.text.slice(0, 4_000);
  for (const [delimiter, format] of DELIMITERS) {
    if (!withHeader && delimiter !== "\t") break;
    if (!opening.includes(delimiter)) continue;
    // Two records rule out most texts that are not tables.
    const [one, two] = readRecords(segment, delimiter, 2);
    if (one === undefined || two?.cells.length !== one.cells.length) continue;
    const records = readRecords(segment, delimiter, CHECKED);
    const first = records[0];
    const columns = first?.cells.length ?? 0;
    if (first === undefined || !isConsistent(records, columns, delimiter, sampled)) continue;
    if (withHeader && !isHeader(records, delimiter)) continue;
    if (!withHeader && records.length < 5) continue;
    const all = sampled.whole
      ? sampled.segments.reduce((sum, part) => sum + countRecords(part), 0)
      : sampled.lines;
    const skipped = withHeader ? 1 : 0;
    return {
      format,
      header: withHeader ? first.cells : [],
      columns,
      rows: all - skipped,
      exact: sampled.whole,
      firstRows: records.slice(skipped, skipped + 2).map(({ line }) => line),
    };
  }
  return undefined;
}

function isConsistent(
  records: readonly DelimitedRecord[],
  columns: number,
  delimiter: string,
  sampled: SampledText,
): boolean {
  if (columns < 2 || records.length < (columns === 2 && delimiter !== "\t" ? 5 : 3)) return false;
  const same = records.filter(({ cells }) => cells.length === columns).length;
  if (same < records.length * 0.95) return false;
  const last = lastLines(sampled, 8).filter(
    ({ text, cutStart }) => !cutStart && !text.includes('"'),
  );
  const alike = last.filter(({ text }) => splitCells(text, delimiter).length === columns).length;
  return alike >= last.length * 0.7;
}

function isHeader(records: readonly DelimitedRecord[], delimiter: string): boolean {
  const [first, ...rows] = records;
  if (first === undefined) return false;
  const cells = first.cells.map((cell) => cell.trim());
  const named = cells.filter((cell) => cell !== "");
  // A data frame's index column has no name.
  if (named.length < cells.length - 1 || new Set(named).size < named.length) return false;
  const most = cells.length === 2 ? 32 : 64;
  const isName = (cell: string): boolean =>
    cell.length <= most &&
    !/^[-+.\d]+$/.test(cell) &&
    !/[{}<>=;]|\($/.test(cell) &&
    !TIME.test(cell);
  if (!named.every(isName)) return false;
  // In prose and code, a comma is followed by a space.
  if (delimiter === "," && cells.length === 2 && first.cells[1]?.startsWith(" ") === true)
    return false;
  const repeated = cells.filter((cell, column) =>
    rows.slice(0, 2).every((row) => row.cells[column]?.trim() === cell),
  ).length;
  return repeated * 2 < cells.length;
}

/** Markdown tables, and those that psql, MySQL and similar tools print. */
function readPiped(sampled: SampledText): TableContent | undefined {
  const lines = firstLines(sampled, CHECKED).filter(({ text }) => !/^\s*\+[-+=]+\+\s*$/.test(text));
  const rule = lines.findIndex(({ text }) => /^[\s|]*:?-{2,}[-:|+\s]*$/.test(text.slice(0, 4_000)));
  // MySQL's header has no rule of its own once the frames are removed.
  const framed = /^\s*\+[-+]+\+/.test(firstLines(sampled, 1)[0]?.text ?? "");
  const at = framed ? 0 : rule - 1;
  const header = lines[at];
  if (at < 0 || at > 2 || header?.text.includes("|") !== true) return undefined;
  const rows = lines
    .slice(framed ? 1 : rule + 1)
    .filter(({ text }) => !/^\(\d+ rows?\)/.test(text));
  const piped = rows.filter(({ text }) => text.includes("|"));
  if (piped.length === 0 || piped.length < rows.length * 0.9) return undefined;
  const last = lastLines(sampled, 10);
  if (last.filter(({ text }) => /[|+]|^\(\d+ rows?\)/.test(text)).length < last.length * 0.5) {
    return undefined;
  }
  const cells = cellsOf(header.text);
  let count = 0;
  for (const segment of sampled.whole ? sampled.segments : []) {
    for (const { number, text } of linesOf(segment)) {
      if (number >= (rows[0]?.number ?? 0) && text.includes("|")) count += 1;
    }
  }
  const total = sampled.whole ? count : sampled.lines - (rows[0]?.number ?? 1) + 1;
  const format = /^\s*\|/.test(header.text) && !framed ? "Markdown" : "drawn with |";
  const columns = cells.length;
  return {
    format,
    header: cells,
    columns,
    rows: total,
    exact: sampled.whole,
    firstRows: piped.slice(0, 2),
  };
}

function cellsOf(line: string): string[] {
  const text = line.trim();
  const inner = text.slice(text.startsWith("|") ? 1 : 0, text.endsWith("|") ? -1 : text.length);
  return inner.split("|", 2_000).map((cell) => cell.trim());
}

const LISTED = /^[-dlbcps][-rwxsStTl]{9}[@+.]?\s+\d/;
const LS_COLUMNS = ["mode", "links", "owner", "group", "size", "date", "name"];

/** `ls -l`, which has no header but well-known columns. */
function readListing(sampled: SampledText): TableContent | undefined {
  const lines = firstLines(sampled, CHECKED).filter(({ text }) => !/^total \d/.test(text));
  const listed = lines.filter(({ text }) => LISTED.test(text));
  if (listed.length < 3 || listed.length < lines.length * 0.9) return undefined;
  const last = lastLines(sampled, 8);
  if (last.filter(({ text }) => LISTED.test(text)).length < last.length * 0.7) return undefined;
  let rows = 0;
  for (const segment of sampled.segments) {
    for (const { text } of linesOf(segment)) if (LISTED.test(text)) rows += 1;
  }
  const total = sampled.whole ? rows : sampled.lines;
  const columns = LS_COLUMNS.length;
  return {
    format: "ls -l",
    header: LS_COLUMNS,
    columns,
    rows: total,
    exact: sampled.whole,
    firstRows: listed.slice(0, 2),
  };
}

/** Column names in capitals, and rows with a gap before every column, as kubectl prints them. */
function readAligned(sampled: SampledText): TableContent | undefined {
  const [header, ...rows] = firstLines(sampled, CHECKED);
  if (header === undefined || rows.length < 2 || header.length > 400) return undefined;
  const names = header.text.trim().split(/\s{2,}/);
  const capitals = names.every((name) => /^[A-Z][A-Z0-9 _()%/.#-]{0,30}$/.test(name));
  if (names.length < 3 || !capitals) return undefined;
  const starts: number[] = [];
  for (const name of names) starts.push(header.text.indexOf(name, (starts.at(-1) ?? -1) + 1));
  const fits = rows.filter(({ text }) =>
    starts.every((start) => start === 0 || start > text.length || text[start - 1] === " "),
  );
  if (fits.length < rows.length * 0.9) return undefined;
  let count = -1;
  for (const segment of sampled.segments) {
    for (const { text } of linesOf(segment)) if (!isBlank(text)) count += 1;
  }
  const total = sampled.whole ? count : sampled.lines - 1;
  return {
    format: "aligned columns",
    header: names,
    columns: names.length,
    rows: total,
    exact: sampled.whole,
    firstRows: rows.slice(0, 2),
  };
}
