/** A number that a tool put before a line of a file: `   12→`, `   12<tab>`, `12: `, `12| `. */
const LISTED = /^\s{0,8}\d{1,7}(?:→|\t|: ?|\| ?)/;
const HEADING = /^(#{1,6})\s/;
/** A title between rules, as test runners print them: `===== FAILURES =====`, `____ test_one ____`. */
const RULED = /^([=_])\1{2,} .*\S \1{3,}$/;
const RULE_LEVELS = "=_";
/** A part of a diff: what it does to a file, or a hunk of that. */
const FILE_DIFF = /^diff --/;
const HUNK = /^@@ -/;
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
  const decorators = lines.findIndex((line) => !DECORATOR.test(line));
  if (decorators > 0 && isNaming(lines, decorators)) {
    const count = blockLines(lines.slice(decorators));
    return count === undefined ? undefined : decorators + count;
  }
  const own = indentOf(first);
  const next = lines.slice(1).find((line) => line.trim() !== "");
  if (next === undefined) return undefined;
  const isBrace = (line: string): boolean => line.trim() === "{" && indentOf(line) === own;
  // A line with deeper ones below it begins a block; any other is inside of one, unless nothing is.
  const isOpening = indentOf(next) > own || isBrace(next);
  // Prose goes on up to the next heading.
  if (!isOpening && own === 0) return sectionLines(lines, MAX_LEVEL);
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === "" || (isOpening && isBrace(line))) continue;
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

const MAX_LEVEL = 6;

/** The level of a heading; 0 for other lines. In many languages a single `#` begins a comment, which code follows. */
function headingLevel(lines: readonly string[], index: number): number {
  const line = lines[index] ?? "";
  if (FILE_DIFF.test(line)) return 1;
  if (HUNK.test(line)) return 2;
  const [, rule] = RULED.exec(line) ?? [];
  if (rule !== undefined) return RULE_LEVELS.indexOf(rule) + 1;
  const [, marks = ""] = HEADING.exec(line) ?? [];
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

/** A line that names what follows below it: a declaration, a test. */
const NAMING =
  /^\s*(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|override|pub(?:\(\w+\))?|unsafe)\s+)*(?:(?:function|class|interface|enum|struct|trait|fn|fun|func|def\w*|sub|module|namespace)\s|impl\b|(?:describe|it|test)(?:\.\w+)?\(|(?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?(?:function\b|\(|\w+\s*=>))/;
/** A method, or a function of a language that has no word for it: a name, what it takes, and a brace. */
const METHOD =
  /^\s*(?!(?:if|for|foreach|while|switch|catch|else|return|do|try|using|lock|with|when|unless|until|new|throw|await|synchronized)\b)(?:[\w<>[\],.*&:?]{1,80}\s+){0,6}[\w$#~]{1,80}\s?\([^;"'`]*\)[^(){};=]*\{$/;
const DECORATOR = /^\s*@\w/;
/** A longer line names nothing. */
const MAX_NAMING_CHARS = 300;

/** Whether a line names what follows below it, be it as a tool printed it, with its number. */
export function isNaming(lines: readonly string[], index: number): boolean {
  return headingLevel(lines, index) > 0 || isDeclaration(lines, index);
}

function isDeclaration(lines: readonly string[], index: number): boolean {
  const line = (lines[index] ?? "").replace(LISTED, "").trimEnd();
  if (line.length > MAX_NAMING_CHARS) return false;
  if (NAMING.test(line)) return true;
  // The brace may have a line of its own.
  const next = line.endsWith(")") ? (lines[index + 1] ?? "").replace(LISTED, "").trim() : "";
  return !line.includes("=>") && METHOD.test(next === "{" ? `${line} {` : line);
}

/** How far above a line its name is looked for. */
const MAX_LINES_ABOVE = 2_000;

/** Whether lines are those of a diff: what a match is in is the file then. */
export function isDiff(lines: readonly string[]): boolean {
  return lines.some((line) => FILE_DIFF.test(line));
}

/**
 * The index of the line that names the block a line is in: the nearest declaration above it that is
 * indented less, or the nearest heading; in a diff, the file. `undefined` if there is none.
 */
export function namingLine(
  lines: readonly string[],
  index: number,
  inDiff: boolean,
): number | undefined {
  const indent = indentOf(lines[index] ?? "");
  if (indent === 0 && isDeclaration(lines, index)) return undefined;
  const isNamed = (at: number): boolean => {
    const above = lines[at] ?? "";
    if (inDiff) return FILE_DIFF.test(above);
    return headingLevel(lines, at) > 0 || (indentOf(above) < indent && isDeclaration(lines, at));
  };
  const last = Math.max(0, index - MAX_LINES_ABOVE);
  for (let at = index - 1; at >= last; at -= 1) if (isNamed(at)) return at;
  return undefined;
}
