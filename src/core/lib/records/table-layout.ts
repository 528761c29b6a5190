/** How the lines of a text are the rows of a table. */
export interface TableLayout {
  readonly format: string;
  readonly columns: readonly string[];
  /** The line, from 1, after which the rows begin. */
  readonly headerLine: number;
  /** The cells of a row. */
  readonly split: (line: string) => string[];
  /** Whether a line between rows belongs to none of them, such as a rule. */
  readonly isRow: (line: string) => boolean;
  /** Whether a quoted cell may go on in the next line. */
  readonly hasQuotes: boolean;
}

const CHECKED_ROWS = 40;
/** So many of the rows that are looked at must have a cell for each column. */
const MIN_SHARE = 0.8;
/** Further cells of a row are not looked at. */
const MAX_CELLS = 2_000;
const DELIMITERS = [
  ["\t", "TSV"],
  [",", "CSV"],
  [";", "CSV with semicolons"],
  ["|", "delimited by |"],
] as const;

/** How lines, of which the last is whole, are a table; `undefined` if they are none with a header. */
export function findLayout(lines: readonly string[]): TableLayout | undefined {
  return findPiped(lines) ?? findDelimited(lines) ?? findAligned(lines);
}

/** Markdown tables, and those that psql, MySQL and similar tools print. */
function findPiped(lines: readonly string[]): TableLayout | undefined {
  const rule = lines.findIndex(
    (line, at) => at > 0 && isRule(line) && lines[at - 1]?.includes("|") === true,
  );
  const header = lines[rule - 1];
  if (header === undefined) return undefined;
  const columns = splitPiped(header);
  const format = /^\s*\|/.test(header) && !isFrame(lines[rule - 2]) ? "Markdown" : "drawn with |";
  const isRow = (line: string): boolean => line.includes("|");
  return { format, columns, headerLine: rule + 1, split: splitPiped, isRow, hasQuotes: false };
}

function isRule(line: string): boolean {
  return /^[\s|:+-]*$/.test(line) && line.includes("--");
}

/** Whether a line is the header of a table, by the line below it. */
export function beginsTable({ split }: TableLayout, line: string, below: string): boolean {
  return split === splitPiped && line.includes("|") && below.includes("|") && isRule(below);
}

/** Whether a line is behind the table before it. */
export function endsTable({ split }: TableLayout, line: string): boolean {
  return split === splitPiped && !line.includes("|") && !isRule(line);
}

function isFrame(line = ""): boolean {
  return /^\s*\+[-+=]+\+\s*$/.test(line);
}

function splitPiped(line: string): string[] {
  const inner = line.trim().replace(/^\||(?<!\\)\|$/g, "");
  return inner.split(/(?<!\\)\|/, MAX_CELLS).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function findDelimited(lines: readonly string[]): TableLayout | undefined {
  const first = lines.findIndex((line) => line.trim() !== "");
  const header = lines[first];
  if (header === undefined) return undefined;
  const after = lines.slice(first + 1, first + 1 + CHECKED_ROWS);
  // Rows of quoted cells may go on in the next line.
  const rows = after.filter((line) => line.trim() !== "" && !isOpenRow(line));
  for (const [delimiter, format] of DELIMITERS) {
    if (!header.includes(delimiter) || isOpenRow(header)) continue;
    const split = (line: string): string[] => splitDelimited(line, delimiter);
    const columns = split(header);
    const cells = rows.map(split);
    const same = cells.filter(({ length }) => length === columns.length).length;
    if (same === 0 || same < cells.length * MIN_SHARE) continue;
    // In prose and code, a comma is followed by a space.
    if (delimiter === "," && /^[^,"]*, /.test(header)) continue;
    if (!isHeader(columns, cells)) continue;
    const isRow = (line: string): boolean => line.trim() !== "";
    return { format, columns, headerLine: first + 1, split, isRow, hasQuotes: true };
  }
  return undefined;
}

/** Names that differ, and are not what the rows below have. */
function isHeader(columns: readonly string[], rows: readonly (readonly string[])[]): boolean {
  const named = columns.filter((name) => name !== "");
  // A data frame's index column has no name.
  if (named.length < columns.length - 1 || new Set(named).size < named.length) return false;
  const most = columns.length === 2 ? 32 : 64;
  if (!named.every((name) => name.length <= most && isColumnName(name))) return false;
  const repeated = columns.filter((name, at) => rows.slice(0, 2).every((row) => row[at] === name));
  return repeated.length * 2 < columns.length;
}

function isColumnName(name: string): boolean {
  return !/^[-+.\d]+$/.test(name) && !/[{}<>=;]|\($|\d\d:\d\d/.test(name);
}

/** Column names in capitals, and rows with a gap before every column, as kubectl prints them. */
function findAligned(lines: readonly string[]): TableLayout | undefined {
  const first = lines.findIndex((line) => line.trim() !== "");
  const header = lines[first];
  if (header === undefined) return undefined;
  const columns = header.split("  ", MAX_CELLS).flatMap((name) => name.trim() || []);
  const isName = (name: string): boolean =>
    name.length <= 32 && /^[A-Z][A-Z0-9 _()%/.#-]*$/.test(name);
  if (columns.length < 3 || !columns.every(isName)) return undefined;
  const starts: number[] = [];
  for (const name of columns) starts.push(header.indexOf(name, (starts.at(-1) ?? -1) + 1));
  const rows = lines.slice(first + 1, first + 1 + CHECKED_ROWS).filter((row) => row.trim() !== "");
  const fits = rows.filter((row) =>
    starts.every((start) => start === 0 || start > row.length || row[start - 1] === " "),
  );
  if (fits.length === 0 || fits.length < rows.length * MIN_SHARE) return undefined;
  const split = (line: string): string[] =>
    starts.map((start, at) => line.slice(at === 0 ? 0 : start, starts[at + 1]).trim());
  const isRow = (line: string): boolean => line.trim() !== "";
  return {
    ...{ format: "aligned columns", columns, headerLine: first + 1 },
    ...{ split, isRow, hasQuotes: false },
  };
}

/** What a search in files prints: `src/a.ts:12:the line`, or `src/a.ts:3` where it counts. */
const MATCH =
  /^(?:\s*\d+\t)?(?!\d{4}-\d\d)(?=(?:[A-Za-z]:)?[^:\n]{0,400}[./\\])((?:[A-Za-z]:)?[^\s:](?:[^:\n]{0,400}[^\s:])?):(\d+)(?::|$)/;

/** The matches of a search as rows, which need no header. */
export function findMatches(lines: readonly string[]): TableLayout | undefined {
  const rows = lines.filter((line) => line.trim() !== "").slice(0, CHECKED_ROWS);
  const isRow = (line: string): boolean => MATCH.test(line);
  const fits = rows.filter(isRow);
  if (fits.length < 2 || fits.length < rows.length * MIN_SHARE) return undefined;
  const isCount = fits.every((row) => /:\d+$/.test(row) && MATCH.exec(row)?.[0] === row);
  const split = (line: string): string[] => {
    const [whole = "", file = "", number = ""] = MATCH.exec(line) ?? [];
    return isCount ? [file, number] : [file, number, line.slice(whole.length)];
  };
  const columns = isCount ? ["file", "count"] : ["file", "line", "text"];
  return { format: "matches", columns, headerLine: 0, split, isRow, hasQuotes: false };
}

function splitDelimited(line: string, delimiter: string): string[] {
  if (!line.includes('"')) return line.split(delimiter, MAX_CELLS).map((cell) => cell.trim());
  const cells: string[] = [];
  let cell = "";
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < line.length && cells.length < MAX_CELLS; at++) {
    const char = line.charAt(at);
    if (char === '"') {
      cell += line.slice(from, at);
      // Two of them stand for one.
      const isEscaped = isQuoted && line.charAt(at + 1) === '"';
      if (isEscaped) at += 1;
      else isQuoted = !isQuoted;
      from = isEscaped ? at : at + 1;
    } else if (char === delimiter && !isQuoted) {
      cells.push((cell + line.slice(from, at)).trim());
      cell = "";
      from = at + 1;
    }
  }
  return [...cells, (cell + line.slice(from)).trim()];
}

/** True when a quoted cell is not closed. */
export function isOpenRow(row: string): boolean {
  let isOpen = false;
  for (let at = row.indexOf('"'); at !== -1; at = row.indexOf('"', at + 1)) isOpen = !isOpen;
  return isOpen;
}

/** A longer line is not the row of a table. */
export const MAX_ROW_CHARS = 1_048_576;

/** A row, and the number of the line that it begins on. */
export interface TableRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Puts the lines of a table together to rows, as they come. */
export class RowReader {
  readonly #layout: TableLayout;
  #line = 0;
  #row = "";
  #rowLine = 0;
  #isOpen = false;

  constructor(layout: TableLayout) {
    this.#layout = layout;
  }

  /** The row that ends with this line. */
  take(text: string): TableRow | undefined {
    const { headerLine, hasQuotes, isRow, split } = this.#layout;
    this.#line += 1;
    if (this.#line <= headerLine) return undefined;
    if (!this.#isOpen) this.#rowLine = this.#line;
    this.#row = this.#isOpen ? `${this.#row}\n${text}` : text;
    if (hasQuotes && isOpenRow(text)) this.#isOpen = !this.#isOpen;
    if (this.#isOpen && this.#row.length < MAX_ROW_CHARS) return undefined;
    this.#isOpen = false;
    const cells = isRow(this.#row) ? split(this.#row) : [];
    return cells.length < 2 ? undefined : { line: this.#rowLine, cells };
  }
}

/** A row as a record: a value for each column. */
export function toRecord(columns: readonly string[], { cells }: TableRow): Record<string, string> {
  return Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? ""]));
}
