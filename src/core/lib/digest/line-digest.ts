import type { ContentKind } from "./content-kind.js";
import { chooseLines, type Candidate } from "./choose-lines.js";
import { listNames } from "./list-names.js";
import type { Line, Scan } from "./scan-text.js";
import { clipMiddle, formatCount, toPrintable } from "./printable.js";
import { rankTrouble } from "./trouble.js";
import { DECLARING_WORDS } from "./word-lists.js";

/** The share of the budget for lines; the rest is for names. */
const LINE_SHARE = 0.55;
const LONGEST_LINE = 240;
/** So many lines of one form are a pattern. */
const PATTERN = 4;

export interface LineDigestOptions {
  readonly kind: ContentKind;
  /** What the content is. */
  readonly title: string;
  readonly budgetChars: number;
  /** How many lines of the content there are for each that was scanned. */
  readonly scale: number;
}

/** The title, then the lines that tell the most, then further names with their lines. */
export function lineDigest(scan: Scan, options: LineDigestOptions): string {
  const { title, budgetChars } = options;
  const candidates = candidatesOf(scan, options);
  const room = budgetChars - title.length - 2;
  const chosen = chooseLines(candidates, Math.floor(room * LINE_SHARE));
  let left = room - costOf(chosen);
  const names = listNames(scan, left);
  left -= names.length + 1;
  // What the names did not need goes to further lines.
  if (left > 40 && chosen.length < candidates.length) {
    const taken = new Set(chosen);
    for (const candidate of candidates) candidate.bonus += 0.1 + 0.2 * candidate.line.names.length;
    chosen.push(...chooseLines(candidates.filter((one) => !taken.has(one)), left));
  }
  chosen.sort((a, b) => a.line.start - b.line.start);
  const lines = chosen.map((candidate) => quote(scan.text, candidate));
  return [title, ...lines, names].filter((part) => part !== "").join("\n");
}

function costOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { cost }) => sum + cost, 0);
}

function candidatesOf(scan: Scan, { kind, scale }: LineDigestOptions): Candidate[] {
  const { text, lines } = scan;
  const hasPatterns = kind === "text" || kind === "log" || kind === "build";
  const forms = hasPatterns ? countForms(lines) : undefined;
  const judgesTrouble = hasPatterns;
  const candidates: Candidate[] = [];
  const seen = new Set<number>();
  const last = lines.at(-1);
  for (const line of lines) {
    if (line.end - line.start < 12 && line.names.length === 0) continue;
    let bonus = line === last && kind !== "code" ? 0.5 : 0;
    let alike = 0;
    if (forms !== undefined) {
      const count = forms.counts.get(line.form) ?? 1;
      if (count >= PATTERN) {
        if (seen.has(line.form)) continue;
        seen.add(line.form);
        alike = Math.round(count * scale) - 1;
        bonus += 0.5;
      } else if (forms.regular) bonus += 2;
    }
    if (judgesTrouble && line.trouble > 0) {
      bonus += 2 * rankTrouble(text.slice(line.start, Math.min(line.end, line.start + 240)));
    } else if (kind === "code") bonus += declares(text, line) ? 1.5 : 0;
    else if (kind === "markdown" && text.charCodeAt(line.start) === 35) bonus += 1.5;
    for (const name of line.names) if (name.asked) bonus += 0.5;
    const suffix = alike > 0 ? ` (${formatCount(alike)} like it)` : "";
    const length = Math.min(line.end - line.start, LONGEST_LINE) + suffix.length;
    const cost = length + String(line.number).length + 3 + (line.isPart ? 1 : 0);
    candidates.push({ line, cost, bonus, suffix });
  }
  return candidates;
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

/** Whether a line of code declares what others may use. */
function declares(text: string, { start, end, indent }: Line): boolean {
  if (indent > 4) return false;
  let at = start;
  while (at < end && isLetter(text.charCodeAt(at))) at += 1;
  return at > start + 1 && DECLARING_WORDS.has(text.slice(start, at));
}

function isLetter(code: number): boolean {
  return (code | 32) >= 97 && (code | 32) <= 122;
}

function quote(text: string, { line, suffix }: Candidate): string {
  const { number, start, end, isPart } = line;
  const shown = toPrintable(text.slice(start, end)).trimEnd();
  return `${number}: ${isPart ? "…" : ""}${clipMiddle(shown, LONGEST_LINE)}${suffix}`;
}
