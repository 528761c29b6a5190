import type { ContentKind } from "./content-kind.js";
import { chooseLines } from "./choose-lines.js";
import { listNames } from "./list-names.js";
import { isNumber, type Line, type Scan } from "./scan-text.js";
import { clipMiddle, formatCount, toPrintable } from "./printable.js";
import { rankTrouble } from "./trouble.js";
import { declares, hasWords, headingBonus, isWordCode, saysAnything } from "./line-looks.js";

/** The share of the budget for lines; the rest is for names. */
const LINE_SHARE = 0.5;
const MAX_LINE = 240;
/** So many lines of one form are a pattern. */
const PATTERN = 3;
/** Room for " (about 12,345,678 like it)". */
const ALIKE_CHARS = 28;
/** What a name is worth that is the varying part of such lines. */
const PATTERN_WORTH = 0.3;
const CHECKED_LINES = 40;
/** A failure is shown even if its line does not fit: its beginning, in so much of the room for lines. */
const FAILURE_SHARE = 0.6;
const MIN_FAILURE_CHARS = 60;
/** A shorter beginning is repeated with each line. */
const MIN_PREFIX = 24;

export interface LineDigestOptions {
  readonly kind: ContentKind;
  /** What the content is. */
  readonly title: string;
  readonly budgetChars: number;
  /** How many lines of the content there are for each that was scanned. */
  readonly scale: number;
}

/** The title, then the lines that tell the most, then further names with their lines. */
export function lineDigest(given: Scan, options: LineDigestOptions): string {
  const { budgetChars } = options;
  const prefix = hasPatterns(options.kind) ? sharedPrefix(given) : "";
  const scan = prefix === "" ? given : withoutPrefix(given, prefix);
  const note = `Most lines begin with "${toPrintable(prefix)}", left out here.`;
  const title = prefix === "" ? options.title : `${options.title}\n${note}`;
  const candidates = candidatesOf(scan, options);
  const room = budgetChars - title.length - 2;
  const isRepeating = candidates.some(({ alike }) => alike > 0);
  const everything = isRepeating ? undefined : quoteAll(scan, room);
  if (everything !== undefined) return [title, ...everything].join("\n");
  const chosen = chooseLines(candidates, Math.floor(room * LINE_SHARE));
  let left = room - costOf(chosen);
  const names = listNames(scan, left);
  left -= names.length + 1;
  // What the names did not need goes to further lines.
  if (left > 40 && chosen.length < candidates.length) {
    const taken = new Set(chosen);
    for (const line of candidates) line.bonus += 0.1 + 0.2 * line.names.length;
    chosen.push(
      ...chooseLines(
        candidates.filter((one) => !taken.has(one)),
        left,
      ),
    );
  }
  chosen.sort((a, b) => a.start - b.start);
  const lines = chosen.map((line) => quote(scan.text, line, options.scale));
  return [title, ...lines, names].filter((part) => part !== "").join("\n");
}

/** All lines, where they fit. */
function quoteAll({ text, lines }: Scan, room: number): string[] | undefined {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined || last.end - first.start > room) return undefined;
  const shown = lines.filter(({ start, end }) => end > start);
  const quoted = shown.map((line) => quote(text, line, 1));
  return quoted.reduce((sum, line) => sum + line.length + 1, 0) <= room ? quoted : undefined;
}

/** Whether lines of this kind repeat each other, and report failures. */
function hasPatterns(kind: ContentKind): boolean {
  return kind === "text" || kind === "log" || kind === "build";
}

/** What most lines of a log begin with, if it is long: a name, a date, the first digits of a time. */
function sharedPrefix({ text, lines }: Scan): string {
  const step = Math.max(1, Math.floor(lines.length / CHECKED_LINES));
  const checked: Line[] = [];
  for (let index = 0; index < lines.length; index += step) {
    const line = lines[index];
    if (line !== undefined && !line.isPart && line.end > line.start) checked.push(line);
  }
  const one = checked[0];
  if (one === undefined || checked.length < 8) return "";
  let length = Math.min(one.end - one.start, MAX_LINE);
  for (let probe = 1; probe <= 4; probe += 1) {
    const other = checked[Math.floor((checked.length * probe) / 5) + probe - 1];
    if (other === undefined) continue;
    let same = 0;
    const most = Math.min(length, other.end - other.start);
    while (
      same < most &&
      text.charCodeAt(one.start + same) === text.charCodeAt(other.start + same)
    ) {
      same += 1;
    }
    // One line may be unlike the others.
    if (same >= MIN_PREFIX) length = same;
  }
  while (length > 0 && isWordCode(text.charCodeAt(one.start + length - 1))) length -= 1;
  if (length < MIN_PREFIX || length === one.end - one.start) return "";
  const prefix = text.slice(one.start, one.start + length);
  const alike = checked.filter(({ start }) => text.startsWith(prefix, start)).length;
  return alike >= checked.length * 0.8 ? prefix : "";
}

function withoutPrefix({ text, lines, names }: Scan, prefix: string): Scan {
  const cut = lines.map((line) => {
    const isCut = !line.isPart && text.startsWith(prefix, line.start);
    return isCut ? { ...line, start: line.start + prefix.length } : line;
  });
  return { text, lines: cut, names };
}

function costOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { cost }) => sum + cost, 0);
}

function candidatesOf(scan: Scan, { kind, scale, budgetChars }: LineDigestOptions): Line[] {
  const { text, lines } = scan;
  const isOutput = hasPatterns(kind);
  const forms = isOutput || kind === "markdown" ? countForms(lines) : undefined;
  // Where every other line speaks of errors, they are the topic, not the news.
  const troubled = lines.reduce((sum, { trouble }) => sum + (trouble > 0 ? 1 : 0), 0);
  const isTopic = kind === "text" && troubled > lines.length * 0.25 && troubled > 8;
  const troubleBonus = isTopic ? 0.3 : 1.5;
  const candidates: Line[] = [];
  const seen = new Set<number>();
  let isFenced = false;
  // How a run ended is told in its last lines.
  const closing = (lines.at(-1)?.number ?? 0) - 3;
  const failureChars = Math.max(
    MIN_FAILURE_CHARS,
    Math.floor(budgetChars * LINE_SHARE * FAILURE_SHARE),
  );
  for (const line of lines) {
    const count = forms?.counts.get(line.form) ?? 1;
    const isPattern = count >= PATTERN && !line.isPart;
    const isBare = line.names.length === 0 && line.trouble === 0 && !isPattern;
    const isOuter = line === lines[0] || line === lines.at(-1);
    const isEnd = kind !== "code" && isOuter && (!isBare || saysAnything(text, line));
    if (isBare && !isEnd && kind !== "markdown" && !hasWords(text, line)) continue;
    if (line.end === line.start) continue;
    if (kind === "build" && text.startsWith("=== ", line.start)) continue;
    let bonus = isOutput && line.number > closing ? 1 : 0;
    let alike = 0;
    if (forms !== undefined) {
      if (isPattern) {
        for (const name of line.names) {
          if (name.line.number === line.number)
            name.worth *= isNumber(text, name) ? 0 : PATTERN_WORTH;
        }
        const isWanted = isEnd || line.names.some(({ asked }) => asked);
        if (seen.has(line.form) && !isWanted) continue;
        if (!seen.has(line.form)) alike = Math.round(count * scale) - 1;
        seen.add(line.form);
        bonus += 0.5;
      } else if (forms.regular && isOutput) bonus += 2;
    }
    if (isOutput && line.trouble > 0) {
      bonus +=
        troubleBonus *
        rankTrouble(text.slice(line.start, Math.min(line.end, line.start + 240))) ** 2;
      cutLine(line, failureChars);
    } else if (kind === "code") bonus += declares(text, line) ? 1.5 : 0;
    else if (kind === "markdown") {
      if (text.startsWith("```", line.start)) isFenced = !isFenced;
      else if (!isFenced) bonus += headingBonus(text, line.start);
    }
    // What the call names is of interest, unless it is everywhere.
    for (const name of line.names) if (name.asked) bonus += 2 / name.uses;
    if (isEnd) bonus += 0.2;
    line.alike = alike;
    line.bonus = bonus;
    const length = Math.min(line.end - line.start, MAX_LINE) + (alike > 0 ? ALIKE_CHARS : 0);
    line.cost = length + String(line.number).length + (line.isPart || line.isCut ? 4 : 3);
    candidates.push(line);
  }
  return candidates;
}

/** Shows only so much of a line. Names behind that are still to be listed. */
function cutLine(line: Line, chars: number): void {
  const end = line.start + chars;
  if (line.end <= end) return;
  line.isCut = true;
  line.end = end;
  line.names = line.names.filter((name) => name.end <= end);
}

/** How many lines have which form, and whether most lines have one that repeats. */
function countForms(lines: readonly Line[]): { counts: Map<number, number>; regular: boolean } {
  const counts = new Map<number, number>();
  let whole = 0;
  for (const { form, isPart, start, end } of lines) {
    if (isPart || start === end) continue;
    whole += 1;
    counts.set(form, (counts.get(form) ?? 0) + 1);
  }
  let repeated = 0;
  for (const count of counts.values()) if (count >= PATTERN) repeated += count;
  return { counts, regular: repeated >= whole * 0.5 };
}

function quote(
  text: string,
  { number, start, end, isPart, isCut, alike }: Line,
  scale: number,
): string {
  const shown = toPrintable(text.slice(start, end)).trimEnd();
  const about = scale > 1 ? "about " : "";
  const suffix = alike > 0 ? ` (${about}${formatCount(alike)} like it)` : "";
  const rest = isCut ? "…" : "";
  return `${number}: ${isPart ? "…" : ""}${clipMiddle(shown, MAX_LINE)}${rest}${suffix}`;
}
