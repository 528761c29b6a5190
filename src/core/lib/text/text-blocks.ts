/** A number that a tool put before a line of a file: `   12→`, `   12<tab>`, `12: `, `12| `. */
const LISTED = /^\s{0,8}\d{1,7}(?:→|\t|: ?|\| ?)/;
const HEADING = /^(#{1,6})\s/;
/** What ends a block rather than begins the next one. */
const CLOSING = /^(?:[)\]}]|end\b|fi\b|done\b|esac\b|<\/|```)/;

/**
 * How many of these lines belong to the block that begins with the first of them, or that the first is
 * in: a function or a value with brackets by its indentation, a section by its heading. `undefined` if
 * the lines have no such structure, or if it does not end here.
 */
export function blockLines(given: readonly string[]): number | undefined {
  const isListing = given.slice(0, 3).every((line) => LISTED.test(line)) && given.length > 1;
  const lines = isListing ? given.map((line) => line.replace(LISTED, "")) : given;
  const [first = ""] = lines;
  const level = headingLevel(lines, 0);
  if (level > 0) return sectionLines(lines, level);
  if (first.trim() === "") return undefined;
  const own = indentOf(first);
  const next = lines.slice(1).find((line) => line.trim() !== "");
  if (next === undefined) return undefined;
  // A line with deeper ones below it begins a block; any other is inside of one, unless nothing is.
  const isOpening = indentOf(next) > own;
  if (!isOpening && own === 0) return undefined;
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === "") continue;
    const indent = indentOf(line);
    const isClosing = CLOSING.test(line.trimStart());
    if (isOpening ? indent > own : indent >= own) continue;
    // A bracket at the level of the first line belongs to it: `}`, or `} else {`, which goes on.
    if (!isClosing) return withoutBlank(lines, index);
    if (isOpening && indent === own && /[[({]$/.test(line.trimEnd())) continue;
    return indent < own && isOpening ? withoutBlank(lines, index) : index + 1;
  }
  return undefined;
}

function sectionLines(lines: readonly string[], level: number): number | undefined {
  let isCode = false;
  for (const [index, line] of lines.entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const other = isCode || index === 0 ? 0 : headingLevel(lines, index);
    if (other > 0 && other <= level) return withoutBlank(lines, index);
  }
  return undefined;
}

/** The level of a heading; 0 for other lines. In many languages a single `#` begins a comment, which code follows. */
function headingLevel(lines: readonly string[], index: number): number {
  const [, marks = ""] = HEADING.exec(lines[index] ?? "") ?? [];
  return marks.length > 1 || (lines[index + 1] ?? "").trim() === "" ? marks.length : 0;
}

/** Blank lines before the next block belong to neither. */
function withoutBlank(lines: readonly string[], end: number): number {
  let count = end;
  while (count > 1 && lines[count - 1]?.trim() === "") count -= 1;
  return count;
}

/** How far a line is indented; a tab counts as four. */
function indentOf(line: string): number {
  const [blanks = ""] = /^[ \t]*/.exec(line) ?? [];
  return blanks.replaceAll("\t", "    ").length;
}

/** A line that names what follows below it: a declaration, a test, a heading. */
const NAMING =
  /^\s*(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|override|pub(?:\(\w+\))?|unsafe)\s+)*(?:function\b|class\s|interface\s|enum\s|struct\s|trait\s|impl\b|fn\s|func\s|def\s|module\s|namespace\s|(?:describe|it|test)(?:\.\w+)?\(|(?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?(?:function\b|\(|\w+\s*=>))/;

/** Whether a line names what follows below it, be it as a tool printed it, with its number. */
export function isNaming(lines: readonly string[], index: number): boolean {
  return headingLevel(lines, index) > 0 || NAMING.test((lines[index] ?? "").replace(LISTED, ""));
}

/** How far above a line its name is looked for. */
const MAX_LINES_ABOVE = 2_000;

/**
 * The index of the line that names the block a line is in: the nearest declaration above it that is
 * indented less, or the nearest heading. `undefined` if there is none.
 */
export function namingLine(lines: readonly string[], index: number): number | undefined {
  const line = lines[index] ?? "";
  const indent = indentOf(line);
  if (NAMING.test(line) && indent === 0) return undefined;
  const last = Math.max(0, index - MAX_LINES_ABOVE);
  for (let at = index - 1; at >= last; at -= 1) {
    const above = lines[at] ?? "";
    if (headingLevel(lines, at) > 0) return at;
    if (indent > 0 && NAMING.test(above) && indentOf(above) < indent) return at;
  }
  return undefined;
}
