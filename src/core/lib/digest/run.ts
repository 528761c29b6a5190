import { joinLines } from "./compose.js";
import { renderQuote, type Lines } from "./lines.js";
import { signOf, type Sign } from "./verdicts.js";

/** A text up to this length is searched whole. */
const SEARCHED_CHARS = 49_152;
const HEAD_CHARS = 3_072;
const TAIL_CHARS = 20_480;
/** Before each failed step that GitHub marks. */
const STEP_CHARS = 40_960;
const STEP = "##[error]";
const GROUP = "##[group]Run ";
const MAX_STEPS = 4;
/** What is searched for in the rest; short and rare, so that a search costs little. */
const NEEDLES = ["Error", "ERROR", "FAIL", "rror:", "panic", "fatal:", "rror["];
const MAX_FOUND = 16;
const MAX_LAST = 6;
/** Of more lines, the first and the last are judged. */
const MAX_JUDGED = 600;
const FIRST_JUDGED = 200;
/** What a line that a reader may have to see has in it. Several short searches are faster than a long one. */
const SPOTS = [
  /[Ee]rror|ERR|FAIL|[Ff]ail(?:ed|ure|s|ing)|[Pp]anic|xception|[Ff]atal|FATAL/g,
  /\nnot ok|\nE {2}|[Cc]annot|enied|ot found|[Uu]nable|imed out/g,
  /[✗✘✖❌✕×●]| passed|ismatch|BUILD|unexpected|\*\*\*/g,
];
/** All lines of the end, and those before a failed step, are judged. */
const END_LINES = 40;
const MAX_LINE = 200;
const WEIGHTS: Readonly<Record<Sign, number>> = {
  ...{ verdict: 10, good: 6, failed: 8, compiler: 7.5, thrown: 7, weak: 3 },
};
/** Of lines that say the same, the first and the last are worth the most. */
const FORM_LOSS = 0.9;
const SIGN_LOSS = 0.35;
const MAX_LOSS = 5;
const FORM_CHARS = 12;
const NEAR_LINES = 60;
const MIN_SCORE = 2.5;
const MAX_NEXT = 120;
const MAX_ALIKE = 130;

interface Candidate {
  readonly index: number;
  readonly position: number;
  readonly sign: Sign;
  /** How it begins, which lines that say the same have in common. */
  readonly form: string;
  score: number;
  /** Whether one with this form comes before it. */
  isAlike: boolean;
}

/**
 * How a run ended: the verdict, the last failures, the first error, and what is around them.
 *
 * @param isMaybe - Whether it is a run only if something failed in it.
 */
export function runDigest(
  lines: Lines,
  asked: ReadonlySet<number>,
  room: number,
  isMaybe = false,
): string | undefined {
  const steps = failedSteps(lines);
  const candidates = findCandidates(lines, steps);
  rate(lines, candidates, steps);
  const chosen = new Map<number, string>();
  let left = room - lines.notes.reduce((sum, note) => sum + note.length + 1, 0);
  const seen = new Set<string>();
  const add = (index: number, most: number, position?: number, isNamed = false): boolean => {
    if (index < 0 || index >= lines.size || chosen.has(index)) return false;
    const quote = lines.quote(index, most, position);
    const form = isNamed ? quote.text : quote.text.replace(/\d+/g, "0");
    const shown = renderQuote(quote);
    if (quote.text.trim().length < 2 || seen.has(form) || shown.length + 1 > left) return false;
    seen.add(form);
    left -= shown.length + 1;
    chosen.set(index, shown);
    return true;
  };
  for (const index of asked) add(index, MAX_LINE);
  for (const { index } of steps.slice(0, 2)) addGroup(lines, index, add);
  const judged = new Set(candidates.map(({ index }) => index));
  let bad = 0;
  for (const { index, position, sign, score, isAlike } of candidates) {
    if (score < MIN_SCORE || left < 40) break;
    // Tests and places in code may differ in a number alone.
    const isNamed = sign === "failed" || sign === "compiler";
    if (!add(index, isAlike ? MAX_ALIKE : MAX_LINE, position, isNamed)) continue;
    if (sign === "good") continue;
    bad += 1;
    // The line that follows a failure says what it was.
    const next = sign === "weak" || sign === "verdict" || isAlike ? -1 : nextLine(lines, index);
    if (!judged.has(next)) add(next, MAX_NEXT);
  }
  if (bad === 0 && isMaybe) return undefined;
  if (isMaybe) for (const index of [0, 1]) add(index, MAX_NEXT);
  // Nothing failed: how it began, and how it ended.
  if (bad === 0) {
    for (const index of [0, lines.size - 1, lines.size - 2, 1, lines.size - 3])
      add(index, MAX_LINE);
  } else {
    if (steps.length === 0) add(lines.size - 1, 120);
    for (const { index } of steps.slice(0, 1)) addBefore(lines, index, add);
  }
  const shown = [...chosen].sort(([one], [other]) => one - other).map(([, line]) => line);
  return joinLines([...lines.notes, ...shown], room);
}

function nextLine(lines: Lines, index: number): number {
  for (let next = index + 1; next < Math.min(index + 4, lines.size); next += 1) {
    if (lines.line(next).trim().length > 3) return next;
  }
  return -1;
}

type Add = (index: number, most: number) => boolean;

/** The end of what the step printed. */
function addBefore(lines: Lines, index: number, add: Add): void {
  for (let back = index - 1; back >= Math.max(0, index - 10); back -= 1) {
    if (lines.line(back).startsWith("##[")) break;
    add(back, MAX_NEXT);
  }
}

/** What the failed step ran, as GitHub prints it. */
function addGroup(lines: Lines, index: number, add: Add): void {
  const start = lines.text.lastIndexOf(GROUP, lines.start(index));
  if (start !== -1) add(lines.at(start), 120);
}

interface Step {
  readonly index: number;
}

function failedSteps(lines: Lines): Step[] {
  const { text } = lines;
  const steps: Step[] = [];
  let at = text.indexOf(STEP);
  for (; at !== -1 && steps.length < MAX_STEPS; at = text.indexOf(STEP, at + STEP.length)) {
    steps.push({ index: lines.at(at) });
  }
  return steps;
}

/** The parts of the text that are searched. */
function searchedRanges(lines: Lines, steps: readonly Step[]): [number, number][] {
  const { text } = lines;
  const chars = text.length;
  if (chars <= SEARCHED_CHARS) return [[0, chars]];
  const ranges: [number, number][] = [
    [0, HEAD_CHARS],
    [chars - TAIL_CHARS, chars],
  ];
  for (const { index } of steps) {
    const at = lines.start(index);
    ranges.push([Math.max(0, at - STEP_CHARS), Math.min(chars, at + 400)]);
  }
  for (const needle of NEEDLES) {
    let found = 0;
    let at = text.indexOf(needle, HEAD_CHARS);
    for (; at !== -1 && found < MAX_FOUND; found += 1) {
      ranges.push([at - 1, Math.min(chars, at + needle.length)]);
      at = text.indexOf(needle, at + 200);
    }
    if (at === -1) continue;
    // There are many of them, so the last ones are found soon.
    let last = chars - TAIL_CHARS;
    for (let count = 0; count < MAX_LAST; count += 1) {
      const before = text.slice(Math.max(at, last - 65_536), last).lastIndexOf(needle);
      if (before === -1) break;
      last = Math.max(at, last - 65_536) + before;
      ranges.push([last - 1, last + needle.length]);
      last -= 200;
    }
  }
  return ranges.sort((one, other) => one[0] - other[0]);
}

function findCandidates(lines: Lines, steps: readonly Step[]): Candidate[] {
  const found = new Map<number, number>();
  let done = 0;
  for (const [from, to] of searchedRanges(lines, steps)) {
    const offset = Math.max(from, done);
    if (offset >= to) continue;
    done = to;
    const part = lines.text.slice(offset, to);
    for (const spot of SPOTS) search(lines, part, offset, spot, found);
  }
  for (const { index: end } of [...steps, { index: lines.size - 1 }]) {
    for (let index = Math.max(0, end - END_LINES); index <= end; index += 1) {
      if (!found.has(index)) found.set(index, lines.start(index));
    }
  }
  let all = [...found].sort(([one], [other]) => one - other);
  if (all.length > MAX_JUDGED) {
    all = [...all.slice(0, FIRST_JUDGED), ...all.slice(FIRST_JUDGED - MAX_JUDGED)];
  }
  const spots = all.map(([index, position]) => {
    const isFar = position - lines.start(index) > 250;
    const line = isFar ? lines.quote(index, 240, position).text : lines.line(index);
    return {
      index,
      position,
      line,
      form: line.trimStart().slice(0, FORM_CHARS).replace(/\d+/g, "0"),
    };
  });
  const candidates: Candidate[] = [];
  for (const [at, { index, position, line, form }] of spots.entries()) {
    // Of many in a row that begin alike, the outer ones tell.
    if (spots[at - 2]?.form === form && spots[at + 2]?.form === form) continue;
    const sign = isPrinted(lines.raw(index)) ? undefined : signOf(line);
    if (sign === undefined) continue;
    candidates.push({ index, position, sign, form, score: WEIGHTS[sign], isAlike: false });
  }
  return candidates;
}

function search(
  lines: Lines,
  part: string,
  offset: number,
  spot: RegExp,
  found: Map<number, number>,
): void {
  spot.lastIndex = 0;
  for (let match = spot.exec(part); match; match = spot.exec(part)) {
    const position = offset + match.index + (match[0].startsWith("\n") ? 1 : 0);
    const index = lines.at(position);
    if (index >= 0 && index < lines.size && !found.has(index)) found.set(index, position);
    // On with the next line, or the next part of a long one.
    const next = Math.min(lines.start(index + 1) - 1, position + 4_000) - offset;
    spot.lastIndex = Math.max(spot.lastIndex, next);
  }
}

/** GitHub prints the scripts that it runs in one color. */
function isPrinted(raw: string): boolean {
  return raw.includes("\u001b[36;1m");
}

/** The first and the last of each sort, and what is near to a failed step or the end, come first. */
function rate(lines: Lines, candidates: Candidate[], steps: readonly Step[]): void {
  const ends = steps.length > 0 ? steps.map(({ index }) => index) : [lines.size - 1];
  const lose = (groups: Map<string, Candidate[]>, loss: number): void => {
    for (const same of groups.values()) {
      const isFirst = same[0]?.sign === "compiler" || same[0]?.sign === "failed";
      for (const [place, one] of same.entries()) {
        const fromEnd = same.length - 1 - place;
        const rank = isFirst ? Math.min(place, fromEnd + 0.5) : Math.min(place + 0.5, fromEnd);
        one.score -= Math.min(MAX_LOSS, rank * loss);
      }
    }
  };
  const byForm = new Map<string, Candidate[]>();
  const bySign = new Map<string, Candidate[]>();
  for (const one of candidates) {
    const isNear = ends.some((end) => one.index <= end && end - one.index < NEAR_LINES);
    if (isNear) one.score += 1.5;
    const isAfter = steps.length > 0 && one.index > (ends.at(-1) ?? 0);
    if (isAfter) one.score *= 0.3;
    // That a part went well matters less than what did not.
    if (one.sign === "good" && (byForm.get(one.sign + one.form)?.length ?? 0) > 0) one.score -= 4;
    one.isAlike = (byForm.get(one.sign + one.form)?.length ?? 0) > 0;
    put(byForm, one.sign + one.form, one);
    put(bySign, one.sign, one);
  }
  lose(byForm, FORM_LOSS);
  lose(bySign, SIGN_LOSS);
  candidates.sort((one, other) => other.score - one.score || one.index - other.index);
}

function put(groups: Map<string, Candidate[]>, key: string, one: Candidate): void {
  const group = groups.get(key);
  if (group) group.push(one);
  else groups.set(key, [one]);
}
