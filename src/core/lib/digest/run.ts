import type { Lines } from "./lines.js";
import { Quotes } from "./outline.js";
import { signOf, type Sign } from "./verdicts.js";

/** A text up to this length is searched whole; of a longer one, the parts in which failures are. */
const SEARCHED_CHARS = 49_152;
const TAIL_CHARS = 20_480;
/** What is searched before each failed step that GitHub marks. */
const STEP_CHARS = 40_960;
const STEP = "##[error]";
const GROUP = "##[group]Run ";
const MAX_STEPS = 4;
/** What a line that a reader may have to see has in it. Several short searches are faster than a long one. */
const SPOTS = [
  /[Ee]rror|ERR|FAIL|[Ff]ail(?:ed|ure|s|ing)|[Pp]anic|xception|[Ff]atal|FATAL/g,
  /annot|enied|ot found|nable|imed out|passed|ismatch|BUILD|nexpected/g,
  /\nnot ok|\nE {2}|\*\*\*|[✗✘✖❌✕×●]/g,
];
/** The same, short and rare. */
const RARE = [/Error|ERROR|FAIL|rror:|panic|fatal:|rror\[/g];
const MAX_FOUND = { usual: 300, rare: 40 };
/** All lines of the end, and those before a failed step, are judged. */
const END_LINES = 30;
const MAX_LINE = 200;
const MAX_NEXT = 120;
const MAX_ALIKE = 130;
const WEIGHTS: Readonly<Record<Sign, number>> = {
  ...{ verdict: 10, good: 6, failed: 8, compiler: 7.5, thrown: 7, weak: 3 },
};
/** Of lines that say the same, the first and the last are worth the most. */
const LOSS = { form: 0.9, sign: 0.35, most: 5 };
const FORM_CHARS = 12;
const FAR_CHARS = 250;
const NEAR_LINES = 60;
const MIN_SCORE = 2.5;

interface Candidate {
  readonly index: number;
  readonly position: number;
  readonly sign: Sign;
  /** What lines that say the same begin with. */
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
  asked: readonly number[],
  room: number,
  isMaybe = false,
): string | undefined {
  const { size } = lines;
  const steps = failedSteps(lines);
  const candidates = rate(findCandidates(lines, steps), steps, size - 1);
  const isFailed = candidates.some(({ sign, score }) => sign !== "good" && score >= MIN_SCORE);
  if (!isFailed && isMaybe) return undefined;
  const quotes = new Quotes(lines, room);
  for (const index of asked) quotes.add(index, MAX_LINE);
  // What the failed step ran, as GitHub prints it.
  for (const step of steps.slice(0, 2)) {
    const from = Math.max(0, lines.start(step) - STEP_CHARS);
    const group = lines.text.slice(from, lines.start(step)).lastIndexOf(GROUP);
    if (group !== -1) quotes.add(lines.at(from + group), MAX_NEXT);
  }
  const judged = new Set(candidates.map(({ index }) => index));
  for (const { index, position, sign, score, isAlike } of candidates) {
    if (score < MIN_SCORE) break;
    // Tests and places in code may differ in a number alone.
    const isNamed = sign === "failed" || sign === "compiler";
    const isNew = quotes.add(index, isAlike ? MAX_ALIKE : MAX_LINE, position, isNamed);
    if (!isNew || isAlike || (!isNamed && sign !== "thrown")) continue;
    // The line that follows a failure says what it was.
    let next = index + 1;
    while (next < index + 3 && next < size && lines.line(next).trim().length <= 3) next += 1;
    if (!judged.has(next)) quotes.add(next, MAX_NEXT);
  }
  const [step] = steps;
  // How it began, and how it ended; of a step, the end of what it printed.
  if (isMaybe) for (const at of [0, 1]) quotes.add(at, MAX_NEXT);
  if (!isFailed) for (const at of [0, size - 1, size - 2, 1, size - 3]) quotes.add(at, MAX_LINE);
  else if (step === undefined) quotes.add(size - 1, MAX_NEXT);
  else {
    for (let at = step - 1; at >= step - 10 && !lines.line(at).startsWith("##["); at -= 1) {
      quotes.add(at, MAX_NEXT);
    }
  }
  return quotes.text;
}

function failedSteps(lines: Lines): number[] {
  const steps: number[] = [];
  let at = lines.text.indexOf(STEP);
  for (; at !== -1 && steps.length < MAX_STEPS; at = lines.text.indexOf(STEP, at + 1)) {
    steps.push(lines.at(at));
  }
  return steps;
}

/** The lines that may say what went wrong, and what they say, in their order. */
function findCandidates(lines: Lines, steps: readonly number[]): Candidate[] {
  const { text } = lines;
  const found = new Map<number, number>();
  const search = (from: number, to: number, spots: readonly RegExp[], most: number): void => {
    const start = Math.max(0, from);
    const part = text.slice(start, to);
    for (const spot of spots) {
      spot.lastIndex = 0;
      let count = 0;
      for (let match = spot.exec(part); match && count < most; match = spot.exec(part)) {
        const position = start + match.index + (match[0].startsWith("\n") ? 1 : 0);
        const index = lines.at(position);
        if (!found.has(index)) found.set(index, position);
        // On with the next line, or the next part of a long one.
        const next = Math.min(lines.start(index + 1) - 1, position + 4_000) - start;
        spot.lastIndex = Math.max(spot.lastIndex, next);
        count += 1;
      }
    }
  };
  if (text.length <= SEARCHED_CHARS) search(0, text.length, SPOTS, MAX_FOUND.usual);
  else {
    search(text.length - TAIL_CHARS, text.length, SPOTS, MAX_FOUND.usual);
    for (const step of steps) {
      search(lines.start(step) - STEP_CHARS, lines.start(step), SPOTS, MAX_FOUND.usual);
    }
    search(0, text.length - TAIL_CHARS, RARE, MAX_FOUND.rare);
  }
  // A harness may put the exit status first.
  for (const end of [1, ...steps, lines.size - 1]) {
    for (let index = Math.max(0, end - END_LINES); index <= end; index += 1) {
      if (!found.has(index)) found.set(index, lines.start(index));
    }
  }
  const judged = [...found]
    .filter(([index]) => index >= 0 && index < lines.size)
    .sort(([one], [other]) => one - other)
    .map(([index, position]) => {
      // Far behind on a long line, it tells what it is only if that begins with it.
      const isFar = position - lines.start(index) > FAR_CHARS;
      const end = Math.min(position + FAR_CHARS, lines.start(index + 1));
      const seen = isFar ? text.slice(position, end) : lines.line(index);
      const line = seen.trimStart();
      return { index, position, isFar, line, form: line.slice(0, FORM_CHARS).replace(/\d+/g, "0") };
    });
  return judged.flatMap(({ index, position, isFar, line, form }, at) => {
    // Of many in a row that begin alike, the outer ones tell.
    const isInner = judged[at - 2]?.form === form && judged[at + 2]?.form === form;
    const sign = isInner ? undefined : signOf(line);
    if (sign === undefined || (isFar && sign === "weak")) return [];
    return { index, position, sign, form: sign + form, score: WEIGHTS[sign], isAlike: false };
  });
}

/** The first and the last of each sort, and what is near to a failed step or the end, come first. */
function rate(candidates: Candidate[], steps: readonly number[], last: number): Candidate[] {
  const ends = steps.length > 0 ? steps : [last];
  const groups = new Map<string, Candidate[]>();
  for (const one of candidates) {
    const { index, sign, form } = one;
    if (ends.some((end) => index <= end && end - index < NEAR_LINES)) one.score += 1.5;
    if (steps.length > 0 && index > (ends.at(-1) ?? 0)) one.score *= 0.3;
    one.isAlike = groups.has(form);
    // That a part went well matters less than what did not.
    if (sign === "good" && one.isAlike) one.score -= 4;
    for (const key of [form, sign]) {
      const group = groups.get(key);
      if (group) group.push(one);
      else groups.set(key, [one]);
    }
  }
  for (const [key, same] of groups) {
    const loss = key in WEIGHTS ? LOSS.sign : LOSS.form;
    for (const [place, one] of same.entries()) {
      const isFirst = one.sign === "compiler" || one.sign === "failed";
      const fromEnd = same.length - 1 - place;
      const rank = isFirst ? Math.min(place, fromEnd + 0.5) : Math.min(place + 0.5, fromEnd);
      one.score -= Math.min(LOSS.most, rank * loss);
    }
  }
  return candidates.sort((one, other) => other.score - one.score || one.index - other.index);
}
