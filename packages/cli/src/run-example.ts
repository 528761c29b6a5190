import type { Example } from "./conversations/offload-input.js";
import { inLine } from "./terminal/printable.js";
import { countOf, clip, wrap } from "./terminal/table.js";
import type { Colors } from "./terminal/colors.js";

const BEFORE_LINES = 3;
/** Of a reference, its digest's start, and how it ends. */
const REFERENCE_START = 8;
const REFERENCE_END = 3;

/** What the model had before, what it has now, and with which tools it reads on. */
export function describeExample(
  { row, content }: Example,
  columns: number,
  colors: Colors,
): string {
  const { toolName = "a tool", tokens = 0, reference = "", referenceTokens = 0 } = row;
  const lines = content.replace(/\r?\n$/, "").split(/\r?\n/);
  const quote = (texts: readonly string[]) =>
    texts.map((text) => colors.dim("│ ") + clip(text, columns - 2));
  return [
    `${colors.bold("Before")}: what ${inLine(toolName)} returned, ${countOf(lines.length, "line")}, ${countOf(tokens, "token")}`,
    ...quote(shorten(lines, BEFORE_LINES, 0)),
    "",
    `${colors.bold("After")}: a reference with a digest, ${countOf(referenceTokens, "token")}`,
    ...quote(shorten(reference.split("\n"), REFERENCE_START, REFERENCE_END)),
    "",
    wrap("The model reads the rest with read_stored, by lines, by pattern or by pointer", columns),
  ].join("\n");
}

function shorten(lines: readonly string[], start: number, end: number): readonly string[] {
  const left = lines.length - start - end;
  if (left <= 1) return lines;
  const more = `… ${countOf(left, "more line")}`;
  return [...lines.slice(0, start), more, ...lines.slice(lines.length - end)];
}
