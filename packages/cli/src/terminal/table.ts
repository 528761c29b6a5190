import widthOf from "string-width";
import { inLine } from "./printable.js";

/** A column of a table. */
export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** In a narrow table, the column is left out, the last one first, or its cells are cut, which one column can be. */
  readonly ifNarrow?: "omit" | "cut";
}

export function omittable(column: Column): Column {
  return { ...column, ifNarrow: "omit" };
}

const GAP = "  ";
const MIN_CUT_COLUMNS = 12;

/** Rows under titles, in columns that are as wide as they must be, and in all as wide as there is room. */
export function renderTable(
  columns: readonly Column[],
  cells: readonly (readonly string[])[],
  room = Infinity,
): string {
  const rows = [columns.map(({ title }) => title), ...cells.map((row) => row.map(inLine))];
  const widths = columns.map((_, at) =>
    rows.reduce((max, row) => Math.max(max, widthOf(row[at] ?? "")), 0),
  );
  const omitted = new Set<number>();
  const cut = columns.findIndex(({ ifNarrow }) => ifNarrow === "cut");
  const cutWidth = widths[cut] ?? 0;
  /** How wide the column that is cut may be; below zero, there is no room for the others. */
  const roomForCut = (): number =>
    widths.reduce(
      (left, width, at) => (at === cut || omitted.has(at) ? left : left - width - GAP.length),
      room,
    );
  for (let at = columns.length - 1; at >= 0; at--) {
    if (roomForCut() >= Math.min(cutWidth, MIN_CUT_COLUMNS)) break;
    if (columns[at]?.ifNarrow === "omit") omitted.add(at);
  }
  const left = Math.min(cutWidth, Math.max(MIN_CUT_COLUMNS, roomForCut()));
  return rows
    .map((row) =>
      columns
        .flatMap(({ align }, at) => {
          const cell = row[at] ?? "";
          if (omitted.has(at)) return [];
          return at === cut
            ? pad(clip(cell, left), left, align)
            : pad(cell, widths[at] ?? 0, align);
        })
        .join(GAP)
        .trimEnd(),
    )
    .join("\n");
}

function pad(text: string, width: number, align: Column["align"]): string {
  const blanks = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "right" ? blanks + text : text + blanks;
}

/** A line of at most this many columns; what is cut off is marked. */
export function clip(text: string, columns: number): string {
  const expanded = inLine(text.replaceAll("\t", "  "));
  if (widthOf(expanded) <= columns) return expanded;
  let kept = "";
  let width = 0;
  // What is seen as one character is kept or cut as a whole.
  for (const { segment } of new Intl.Segmenter().segment(expanded)) {
    width += widthOf(segment);
    if (width >= columns) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Words in lines of at most this many columns; a line that goes on is indented by this much more. */
export function wrap(text: string, columns: number, indent = ""): string {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const [first = "", ...words] = line.split(/(?<=\S) /);
    const [own = ""] = /^ */.exec(first) ?? [];
    lines.push(first);
    for (const word of words) {
      const longer = `${lines.at(-1) ?? ""} ${word}`;
      if (widthOf(longer) <= columns) lines[lines.length - 1] = longer;
      else lines.push(own + indent + word.trimStart());
    }
  }
  return lines.join("\n");
}

const BAR_CHARS = 20;
const PARTS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A share of one as a bar. */
export function renderBar(share: number, chars = BAR_CHARS): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * chars * 8);
  return "█".repeat(Math.floor(eighths / 8)) + (PARTS[eighths % 8] ?? "");
}

export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let size = bytes;
  let unit = 0;
  while (size >= 1_000 && unit < units.length - 1) {
    size /= 1_000;
    unit++;
  }
  return `${unit === 0 ? size : size.toFixed(size < 10 ? 1 : 0)} ${units[unit] ?? ""}`;
}

export function formatShare(share: number): string {
  return `${Math.round(share * 100)} %`;
}

export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}
