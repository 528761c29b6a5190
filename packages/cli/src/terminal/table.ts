import widthOf from "string-width";
import { inLine } from "./printable.js";

/** A column of a table. */
export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

/** Rows under titles, in columns that are as wide as they must be. */
export function renderTable(
  columns: readonly Column[],
  cells: readonly (readonly string[])[],
): string {
  const rows = cells.map((row) => row.map(inLine));
  const titles = columns.map(({ title }) => title);
  const widths = columns.map((_, at) =>
    Math.max(...[titles, ...rows].map((row) => widthOf(row[at] ?? ""))),
  );
  return [titles, ...rows]
    .map((row) =>
      columns
        .map(({ align }, at) => pad(row[at] ?? "", widths[at] ?? 0, align))
        .join("  ")
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

/** Words in lines of at most this many columns. */
export function wrap(text: string, columns: number): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1) ?? ""} ${word}`.trimStart();
    if (widthOf(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
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
