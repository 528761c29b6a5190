import type { Lines } from "./lines.js";
import type { Page } from "./outline.js";
import { isGood, signOf, type Sign } from "./verdicts.js";

/** A text up to this length is searched whole; of a longer one, its end and what is before failed steps. */
const SEARCHED_CHARS = 49_152;
const TAIL_CHARS = 20_480;
/** What is searched before each failed step that GitHub marks. */
const STEP_CHARS = 40_960;
const STEP = "##[error]";
const MAX_STEPS = 4;
/** What a line that a reader may have to see has in it. Several short searches are faster than a long one. */
const SPOTS = [
  /[Ee]rror|ERR|FAIL|[Ff]ail(?:ed|ure|s|ing)|[Pp]anic|xception|[Ff]atal|FATAL/g,
  /annot|lint\/|nexpected|passed|BUILD/g,
  /not ok|E {3}/g,
  /[✗✘✖❌✕×●]/g,
];
/** What is searched before it and at the start, short and rare. */
const RARE_CHARS = 212_992;
const START_CHARS = 98_304;
const RARE = [/rror|ERROR|FAIL|panic|fatal:/g];
const MAX_FOUND = { usual: 300, rare: 40 };
/** All lines of the end, and those before a failed step, are judged. */
const END_LINES = 30;
const MAX_LINE = 200;
const MAX_NEXT = 120;
const WEIGHTS: Readonly<Record<Sign, number>> = {
  ...{ verdict: 10, failed: 8, compiler: 7.5, thrown: 7, passed: 6, good: 6, weak: 3 },
};
/** Of lines that say the same, the first and the last are worth the most. */
const LOSS = { form: 0.9, sign: 0.35, most: 5 };
const FORM_CHARS = 12;
const FAR_CHARS = 250;
const NEAR_LINES = 60;
const MIN_SCORE = 2.5;
/** Of failures that begin alike, so many are shown with the line that follows. */
const MAX_FOLLOWED = 3;
/** A line of the code that a message is about. */
const FRAME = /^[ >]{0,8}\d{1,6} ?[|│]/;
/** How far from the end the verdict of a test run may be. */
const VERDICT_LINES = 12;

/** A line that may say what went wrong. */
interface Candidate {
  readonly index: number;
  readonly position: number;
  readonly sign: Sign;
  /** What lines that say the same begin with. */
  readonly form: string;
  score: number;
}

/**
 * How a run ended: the verdict, the first and the last failures, and the line that follows each.
 *
 * @param isMaybe - Whether it is a run only if something failed in it.
 */
export function runDigest(page: Page, isMaybe = false): boolean {
  const { lines } = page;
  const { size, text } = lines;
  const steps: number[] = [];
  for (let at = text.indexOf(STEP); at !== -1 && steps.length < MAX_STEPS;) {
    steps.push(lines.at(at));
    at = text.indexOf(STEP, at + 1);
  }
  const found = withoutNoise(lines, findCandidates(lines, steps));
  const candidates = rate(found, steps.length > 0 ? steps : [size - 1]);
  const isFailed = candidates.some(({ sign, score }) => !isGood(sign) && score >= MIN_SCORE);
  if (!isFailed && isMaybe) return false;
  const followed = new Map<string, number>();
  const chosen = new Set(candidates.map(({ index, sign }) => (sign === "weak" ? -1 : index)));
  for (const { index, position, sign, score, form } of candidates) {
    if (score < MIN_SCORE) break;
    // Tests and places in code may differ in a number alone.
    const isNamed = sign === "failed" || sign === "compiler";
    const isNew = page.quote(index, MAX_LINE, position, isNamed);
    const before = followed.get(form) ?? 0;
    if (!isNew || before >= MAX_FOLLOWED || (!isNamed && sign !== "thrown")) continue;
    // The line that follows a failure says what it was.
    let next = index + 1;
    while (next < index + 3 && lines.line(next).trim().length <= 3) next += 1;
    if (chosen.has(next) || FRAME.test(lines.line(next))) continue;
    followed.set(form, before + 1);
    page.quote(next, MAX_NEXT);
  }
  const [step] = steps;
  // How it began, and how it ended; of a step, the end of what it printed.
  if (isMaybe) for (const at of [0, 1]) page.quote(at, MAX_NEXT);
  if (!isFailed) for (const at of [0, size - 1, size - 2, 1, size - 3]) page.quote(at, MAX_LINE);
  else if (step === undefined) page.quote(size - 1, MAX_NEXT);
  else {
    for (let at = step - 1; at >= step - 10 && !lines.line(at).startsWith("##["); at -= 1) {
      page.quote(at, MAX_NEXT);
    }
  }
  return true;
}

/** The lines that may say what went wrong, and what they say, in their order. */
function findCandidates(lines: Lines, steps: readonly number[]): Candidate[] {
  const { size, text } = lines;
  const tail = text.length > SEARCHED_CHARS ? text.length - TAIL_CHARS : 0;
  const inTail = tail > 0 ? steps.map((step) => lines.start(step)) : [];
  const ranges: readonly (readonly [spots: readonly RegExp[], from: number, to: number])[] = [
    [SPOTS, tail, text.length],
    ...inTail.map((at) => [SPOTS, at - STEP_CHARS, at] as const),
    [RARE, tail - RARE_CHARS, tail],
    [RARE, 0, Math.min(START_CHARS, tail - RARE_CHARS)],
  ];
  const found = new Map<number, number>();
  for (const [spots, from, to] of ranges) {
    const part = text.slice(0, Math.max(0, to));
    const most = spots === RARE ? MAX_FOUND.rare : MAX_FOUND.usual;
    for (const spot of part === "" ? [] : spots) {
      spot.lastIndex = Math.max(0, from);
      for (let left = most, match = spot.exec(part); match && left > 0; left -= 1) {
        const index = lines.at(match.index);
        if (!found.has(index)) found.set(index, match.index);
        // On with the next line, or the next part of a long one.
        spot.lastIndex = Math.max(
          spot.lastIndex,
          Math.min(lines.start(index + 1) - 1, match.index + 4_000),
        );
        match = spot.exec(part);
      }
    }
  }
  // A harness may put the exit status first.
  for (const end of [1, ...steps, size - 1]) {
    for (let index = Math.max(0, end - END_LINES); index <= end; index += 1) {
      if (!found.has(index)) found.set(index, lines.start(index));
    }
  }
  const inOrder = [...found].sort(([one], [other]) => one - other);
  return inOrder.flatMap(([index, position]): Candidate[] => {
    if (index < 0 || index >= lines.size) return [];
    // Far behind on a long line, it tells what it is only if that begins with it.
    const isFar = position - lines.start(index) > FAR_CHARS;
    const end = Math.min(position + FAR_CHARS, lines.start(index + 1));
    const line = isFar ? text.slice(position, end) : lines.line(index);
    const sign = signOf(line);
    if (sign === undefined || (isFar && sign === "weak")) return [];
    const form = sign + line.trimStart().slice(0, FORM_CHARS).replace(/\d+/g, "0");
    return [{ index, position, sign, form, score: WEIGHTS[sign] }];
  });
}

/**
 * Where something failed, what passed is not worth a line; where all tests passed, the errors that they
 * printed are not.
 */
function withoutNoise(lines: Lines, candidates: Candidate[]): Candidate[] {
  const isBad = candidates.some(({ sign }) => sign === "verdict");
  const passed = candidates.findLast(({ sign }) => sign === "passed");
  const isPassed = !isBad && passed !== undefined && passed.index >= lines.size - VERDICT_LINES;
  const hasFailed = isBad || candidates.some(({ sign }) => sign === "failed");
  return candidates.filter(({ sign, index }) => {
    if (isGood(sign)) return isPassed || !hasFailed;
    return !isPassed || sign === "compiler" || index > passed.index;
  });
}

/** The first and the last of each sort, and what is near to a failed step or the end, come first. */
function rate(candidates: Candidate[], ends: readonly number[]): Candidate[] {
  const groups = new Map<string, Candidate[]>();
  for (const one of candidates) {
    const { index, sign, form } = one;
    if (ends.some((end) => index <= end && end - index < NEAR_LINES)) one.score += 1.5;
    if (index > (ends.at(-1) ?? 0)) one.score *= 0.3;
    for (const key of [form, sign]) (groups.get(key) ?? groups.set(key, []).get(key))?.push(one);
  }
  for (const [key, same] of groups) {
    const loss = key in WEIGHTS ? LOSS.sign : LOSS.form;
    for (const [place, one] of same.entries()) {
      const rank = Math.min(place, same.length - 0.5 - place);
      one.score -= Math.min(LOSS.most, rank * loss);
    }
  }
  return candidates.sort((one, other) => other.score - one.score || one.index - other.index);
}
