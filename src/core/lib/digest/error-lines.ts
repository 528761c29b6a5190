import type { Line, Segment, SampledText } from "./line-scanner.js";
import { LineCounter } from "./line-counter.js";
import { maskVarying } from "./mask-varying.js";
import { countOf, formatCount, quoteLine, toPrintable } from "./printable.js";

/** A first, cheap test for lines that are worth a closer look. */
const CANDIDATE =
  /err(?:or|!)|fail|exception|panic|fatal|traceback|warn|critical|severe|denied|refused|not found|no such|timed out|abort|unhandled|undefined reference|segmentation|[✗✘✖]/gi;
/** The same without mere warnings, for a text that has plenty of them. */
const BEYOND_WARNINGS = new RegExp(CANDIDATE.source.replace("|warn|", "|"), "gi");
/** So many warnings are looked at; after them, only what may be more than a warning is. */
const MOST_WARNINGS = 64;

/** Names of tests that pass or merely start may contain "error". */
const PASSING =
  /^\s*(?:✓|✔|√|ok\b|PASS\b|--- (?:PASS|SKIP)|=== (?:RUN|CONT|PAUSE|NAME))|(?:\bPASSED|\.\.\. ?ok|\bXFAIL|\bxfailed)\b/;
const BENIGN =
  /\b(?:0|no|zero|without|ignor(?:e|ed|ing))\s+(?:any\s+|\w+\s+)?(?:errors?|failures?|failed|failing|fails?|warnings?|exceptions?)\b|\b(?:errors?|failures?|failed|warnings?|exceptions?)["']?\s*[:=]\s*(?:0(?![.\d])|null|none|nil|false|undefined|""|''|\[\]|\{\})|\b(?:error-free|fail-?safe|fail-?over|fail-?fast|xfail(?:ed)?|on-?error|stderr|std::error)\b/gi;
const STRONG =
  /\b(?:ERROR|ERR|FATAL|FAILED|FAIL|CRITICAL|SEVERE|PANIC|Traceback)\b|\b(?:[Ee]rror|[Ff]atal|[Pp]anic|[Ee]xception)\b(?:\[\w+\])?["']?\s?[:\])]|[A-Z]\w{0,60}(?:Error|Exception)\b(?!\()|\berror TS\d|[✗✘✖]|=(?:error|fatal)\b|"(?:error|fatal)"\s*[,}]|Segmentation fault|undefined reference|ERR!/;
/** A line that begins like this is the error itself, not code or text about it. */
const HEADLINE =
  /^\s{0,4}(?:E {2,}|--- FAIL|FAIL(?:ED|URE)?\b|ERROR\b|[Pp]anic: |Traceback|[Ee]rror(?:\[\w+\])?: |fatal: |Caused by|[\w.]{0,60}(?:Error|Exception): )/;
const MEDIUM =
  /\b(?:errors?|fail(?:s|ed|ure|ures|ing)?|exceptions?|panic(?:ked|s)?|fatal|traceback|critical|severe|abort(?:ed|ing)?|denied|refused|unhandled|not found|no such|timed out)\b/i;
const WEAK = /\bwarn(?:ing|ings)?\b/i;
const QUIET_LEVEL = /\b(?:INFO|DEBUG|TRACE|NOTICE)\b|\[(?:info|debug|trace)\]|level=(?:info|debug)/;

/** A line without any of these is at most a warning. */
const MORE_THAN_WARN =
  /err|fail|exception|panic|fatal|traceback|warning|critical|severe|denied|refused|not found|no such|timed out|abort|unhandled|undefined reference|segmentation|[✗✘✖]/i;

/** Only this much around the word is examined, so that a long line costs no more than a short one. */
const JUDGED_CHARS = 400;
const MOST_CANDIDATES = 4_000;

interface ErrorGroup {
  readonly line: Line;
  readonly at: number;
  readonly rank: number;
  count: number;
}

export interface ErrorLines {
  /** Groups of lines that differ only in numbers and the like. */
  readonly groups: readonly ErrorGroup[];
  /** How many lines there are. */
  readonly lines: number;
  /** Whether every line of the content was looked at. */
  readonly exact: boolean;
}

/** How much a line looks like an error: 4 begins with one, 3 certainly, 2 probably, 1 a warning, 0 not at all. */
export function rankErrorLine(line: string): number {
  if (PASSING.test(line)) return 0;
  if (!MORE_THAN_WARN.test(line)) return WEAK.test(line) ? 1 : 0;
  const rest = line.replace(BENIGN, " ");
  const strong = STRONG.test(rest);
  if (strong && HEADLINE.test(rest)) return 4;
  const rank = strong ? 3 : MEDIUM.test(rest) ? 2 : WEAK.test(rest) ? 1 : 0;
  return rank > 1 && QUIET_LEVEL.test(rest.slice(0, 120)) ? 1 : rank;
}

/** The lines that look like errors; lines that differ only in numbers and times are grouped. */
export function findErrorLines(sampled: SampledText): ErrorLines {
  const groups = new Map<string, ErrorGroup>();
  let lines = 0;
  let candidates = 0;
  let warnings = 0;
  let candidate = CANDIDATE;
  for (const segment of sampled.segments) {
    const { text } = segment;
    const numbers = new LineCounter(text, segment.firstLine);
    candidate.lastIndex = 0;
    for (let match = candidate.exec(text); match !== null; match = candidate.exec(text)) {
      candidates += 1;
      if (candidates > MOST_CANDIDATES)
        return { groups: [...groups.values()], lines, exact: false };
      const start = text.lastIndexOf("\n", match.index) + 1;
      const feed = text.indexOf("\n", match.index);
      const end = feed === -1 ? text.length : feed;
      // Each line is examined once, at its first suspicious word.
      candidate.lastIndex = end;
      const at = match.index - start;
      const from = at < JUDGED_CHARS / 2 ? start : match.index - JUDGED_CHARS / 2;
      const judged = toPrintable(text.slice(from, Math.min(end, from + JUDGED_CHARS)));
      const rank = rankErrorLine(judged);
      if (rank === 0) continue;
      lines += 1;
      if (rank === 1 && ++warnings === MOST_WARNINGS) {
        candidate = BEYOND_WARNINGS;
        candidate.lastIndex = end;
      }
      const key = `${rank} ${maskVarying(judged)}`;
      const group = groups.get(key);
      if (group !== undefined) {
        group.count += 1;
        continue;
      }
      const number = numbers.lineAt(start);
      groups.set(key, { line: lineOf(segment, number, start, end), at, rank, count: 1 });
    }
  }
  return {
    groups: [...groups.values()],
    lines,
    exact: sampled.whole && candidate === CANDIDATE,
  };
}

function lineOf(segment: Segment, number: number, start: number, end: number): Line {
  const last = end === segment.text.length;
  const text = segment.text.slice(start, end);
  return {
    number,
    text: text.endsWith("\r") ? text.slice(0, -1) : text,
    length: text.length + (last ? (segment.rest?.length ?? 0) : 0),
    atLeast: last && (segment.rest?.atLeast ?? false),
    cutStart: segment.cutStart && start === 0,
    ending: "",
  };
}

/** The worst lines that fit, in the order of the text; [] when there is nothing to say. */
export function quoteErrorLines(
  found: ErrorLines,
  budgetChars: number,
  shown: ReadonlySet<number>,
): string[] {
  const fresh = found.groups.filter(({ line }) => !shown.has(line.number));
  if (fresh.length === 0) return [];
  const title = titleOf(found);
  const ranked = [...fresh].sort((a, b) => b.rank - a.rank || a.line.number - b.line.number);
  // Room for the closing line about what is not shown.
  let room = budgetChars - title.length - 1 - (ranked.length > 1 ? 34 : 0);
  // If there is little room, one readable line is better than pieces of several.
  const width = Math.max(24, Math.min(100, room - 12), Math.min(180, Math.floor(room / 4)));
  const quoted: { readonly number: number; readonly text: string }[] = [];
  for (const group of ranked) {
    const more = group.count > 1 ? ` (${formatCount(group.count - 1)} more like it)` : "";
    const text = quoteLine(group.line, width, group.at) + more;
    if (text.length + 1 > room) break;
    room -= text.length + 1;
    quoted.push({ number: group.line.number, text });
  }
  if (quoted.length === 0) return [];
  quoted.sort((a, b) => a.number - b.number);
  const left = ranked.length - quoted.length;
  const closing = left > 0 ? [`… ${formatCount(left)} more, not shown …`] : [];
  return [title, ...quoted.map(({ text }) => text), ...closing];
}

function titleOf(found: ErrorLines): string {
  const different = found.groups.length;
  const kinds = different < found.lines ? `, ${formatCount(different)} different` : "";
  const count = countOf(found.lines, "line");
  const verb = found.lines === 1 ? "looks like an error" : "look like errors";
  return found.exact ? `${count} ${verb}${kinds}:` : `${count} ${verb}${kinds} (sampled):`;
}
