import { endOfWholeCharacters } from "../search/line-search.js";
import { readPieces, type ByteSource } from "../text/byte-source.js";
import { decodeWtf8 } from "../text/wtf8.js";
import type { PlacedRecord } from "./json-records.js";
import {
  MAX_ROW_CHARS,
  RowReader,
  beginsTable,
  endsTable,
  findLayout,
  findMatches,
  toRecord,
  type TableLayout,
} from "./table-layout.js";

/** How much of a text is looked at to tell whether it is a table. */
const OPENING_BYTES = 65_536;

/** A table that was found: the first one with a header in the opening of the text, or the matches of a search. */
export async function findTable(source: ByteSource): Promise<TableLayout | undefined> {
  const opening = decodeWtf8(await source.read(0, OPENING_BYTES));
  const lines = opening.split("\n").map((line) => line.replace(/\r$/, ""));
  // The last one may be cut.
  if (source.size > OPENING_BYTES) lines.pop();
  return findLayout(lines) ?? findMatches(lines);
}

/** The rows of this table and of those with `|` below it, each with the number of its line. */
export async function* readTableRecords(
  source: ByteSource,
  layout: TableLayout,
  signal?: AbortSignal,
): AsyncGenerator<readonly PlacedRecord[]> {
  const reader = new RowReader(layout);
  let { columns } = layout;
  let isInside = true;
  let isHeader = false;
  let number = 0;
  const take = (text: string, below: string): PlacedRecord[] => {
    const row = reader.take(text);
    number += 1;
    if (number <= layout.headerLine) return [];
    // The rule below a header is no row, either.
    const isRule = isHeader;
    isHeader = row !== undefined && beginsTable(layout, text, below);
    if (isHeader) columns = layout.split(text);
    isInside = isHeader || (isInside && !endsTable(layout, text));
    if (row === undefined || !isInside || isHeader || isRule) return [];
    return [{ place: `line ${row.line}`, value: toRecord(columns, row) }];
  };
  let held: string | undefined;
  for await (const lines of readLines(source, signal)) {
    const records: PlacedRecord[] = [];
    for (const line of lines) {
      if (held !== undefined) records.push(...take(held, line));
      held = line;
    }
    yield records;
  }
  if (held !== undefined) yield take(held, "");
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
