import { endOfWholeCharacters } from "../search/line-search.js";
import { readPieces, type ByteSource } from "../text/byte-source.js";
import { decodeWtf8 } from "../text/wtf8.js";
import type { PlacedRecord } from "./json-records.js";

/** How the lines of a text are the rows of a table. */
export interface TableLayout {
  readonly columns: readonly string[];
  /** The line, from 1, after which the rows begin. */
  readonly headerLine: number;
  readonly split: (line: string) => string[];
  /** Whether a quoted cell may go on in the next line. */
  readonly hasQuotes: boolean;
}

/** How much of a text is looked at to tell whether it is a table. */
const OPENING_BYTES = 65_536;
const CHECKED_ROWS = 40;
/** A longer line is not the row of a table. */
const MAX_ROW_CHARS = 1_048_576;
const DELIMITERS = ["\t", ",", ";", "|"];
const RULE = /^\s*\|?(?:\s*:?-{2,}:?\s*(?:\||\+|$))+\s*$/;

/** A table that was found: the first one with a header in the opening of the text. */
export async function findTable(source: ByteSource): Promise<TableLayout | undefined> {
  const opening = decodeWtf8(await source.read(0, OPENING_BYTES));
  const lines = opening.split("\n").map((line) => line.replace(/\r$/, ""));
  // The last one may be cut.
  if (source.size > OPENING_BYTES) lines.pop();
  return findMarkdown(lines) ?? findDelimited(lines);
}

function findMarkdown(lines: readonly string[]): TableLayout | undefined {
  const rule = lines.findIndex((line, at) => at > 0 && line.includes("|") && RULE.test(line));
  const header = lines[rule - 1];
  if (header === undefined || !header.includes("|")) return undefined;
  const columns = splitPiped(header);
  return { columns, headerLine: rule + 1, split: splitPiped, hasQuotes: false };
}

function findDelimited(lines: readonly string[]): TableLayout | undefined {
  const first = lines.findIndex((line) => line.trim() !== "");
  const header = lines[first];
  if (header === undefined) return undefined;
  const rows = lines.slice(first + 1, first + 1 + CHECKED_ROWS).filter((line) => line !== "");
  for (const delimiter of DELIMITERS) {
    const split = (line: string) => splitDelimited(line, delimiter);
    const columns = split(header);
    const isHeader =
      columns.length > 1 && columns.every((name) => name !== "" && !/^-?[\d.]+$/.test(name));
    if (!isHeader || new Set(columns).size < columns.length || rows.length === 0) continue;
    // Rows of quoted cells may go on in the next line.
    const whole = rows.filter((row) => !isOpen(row));
    const same = whole.filter((row) => split(row).length === columns.length).length;
    if (same > 0 && same >= 0.8 * whole.length) {
      return { columns, headerLine: first + 1, split, hasQuotes: true };
    }
  }
  return undefined;
}

function splitPiped(line: string): string[] {
  const inner = line.trim().replace(/^\||(?<!\\)\|$/g, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function splitDelimited(line: string, delimiter: string): string[] {
  if (!line.includes('"')) return line.split(delimiter).map((cell) => cell.trim());
  const cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    if (char === '"') {
      if (isQuoted && line.charAt(at + 1) === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = !isQuoted;
    } else if (char === delimiter && !isQuoted) {
      cells.push(cell.trim());
      cell = "";
    } else cell += char;
  }
  return [...cells, cell.trim()];
}

/** True when a quoted cell is not closed. */
function isOpen(row: string): boolean {
  return (row.match(/"/g)?.length ?? 0) % 2 === 1;
}

/** The rows, each with the number of its line. */
export async function* readTableRecords(
  source: ByteSource,
  layout: TableLayout,
  signal?: AbortSignal,
): AsyncGenerator<readonly PlacedRecord[]> {
  let line = 0;
  let row = "";
  let rowLine = 0;
  const take = (text: string, records: PlacedRecord[]): void => {
    line += 1;
    if (line <= layout.headerLine) return;
    if (row === "") rowLine = line;
    row = row === "" ? text : `${row}\n${text}`;
    if (layout.hasQuotes && isOpen(row) && row.length < MAX_ROW_CHARS) return;
    const cells =
      row.trim() === "" || (!layout.hasQuotes && !row.includes("|")) ? [] : layout.split(row);
    row = "";
    if (cells.length < 2) return;
    const value = Object.fromEntries(layout.columns.map((name, at) => [name, cells[at] ?? ""]));
    records.push({ place: `line ${rowLine}`, value });
  };
  for await (const lines of readLines(source, signal)) {
    const records: PlacedRecord[] = [];
    for (const text of lines) take(text, records);
    yield records;
  }
}

async function* readLines(source: ByteSource, signal?: AbortSignal): AsyncGenerator<string[]> {
  const decoder = new PieceDecoder();
  let held = "";
  for await (const piece of readPieces(source, signal)) {
    const lines = (held + decoder.decode(piece)).split("\n");
    held = (lines.pop() ?? "").slice(0, MAX_ROW_CHARS);
    yield lines.map((line) => line.replace(/\r$/, ""));
  }
  const last = held + decoder.decode(new Uint8Array(0));
  if (last !== "") yield [last.replace(/\r$/, "")];
}

/** Decodes pieces that may end inside a character: lines are cut at line feeds, which are whole. */
class PieceDecoder {
  #rest = new Uint8Array(0);

  decode(piece: Uint8Array): string {
    const bytes = new Uint8Array(this.#rest.length + piece.length);
    bytes.set(this.#rest);
    bytes.set(piece, this.#rest.length);
    const end = piece.length === 0 ? bytes.length : endOfWholeCharacters(bytes, bytes.length);
    this.#rest = bytes.slice(end);
    return decodeWtf8(bytes.subarray(0, end));
  }
}
