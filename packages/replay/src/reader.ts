import { createHash } from "node:crypto";

/** How the scripted reader looks for a fact. */
export type ReaderKind = "search" | "page";

/**
 * What the reader does with a result that is hidden when it arrives.
 *
 * - `live`: reads it back, by its size, as live agents did: it has just asked for it;
 * - `names`: nothing; a name that is shown is a need met. No agent was seen to read so.
 *
 * What either needs later, and what is not shown anywhere, it looks for.
 */
export type ReaderName = "live" | "names";

/** How results of a size are read back when they are hidden at arrival. */
export interface ReadBackBand {
  /** The smallest of them, in tokens. */
  readonly fromTokens: number;
  /** The share of them that is read back. */
  readonly share: number;
  /** How much of the text is read, from its start. */
  readonly part: number;
}

/**
 * What live agents did with 187 results of two investigations that were hidden when they arrived. Only
 * nine of these had 6,400 tokens or more.
 */
export const LIVE_READ_BACKS: readonly ReadBackBand[] = [
  { fromTokens: 0, share: 0.93, part: 0.95 },
  { fromTokens: 6_400, share: 0.67, part: 0.5 },
  { fromTokens: 12_800, share: 0.67, part: 0.03 },
];

/**
 * How much of a hidden result is read back at once: 0 if it is not. The choice goes by the content, so
 * that it is the same in every run and under every system.
 */
export function partReadBack(
  text: string,
  tokens: number,
  bands: readonly ReadBackBand[] = [],
): number {
  const band = bands.findLast(({ fromTokens }) => tokens >= fromTokens);
  return band && fractionOf(text) < band.share ? band.part : 0;
}

/** A number from 0 to 1 that looks random and goes by the text alone. */
function fractionOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE() / 2 ** 32;
}

/** How many lines from the start hold this part of a text; at least one. */
export function leadingLines(text: string, part: number): number {
  const end = Math.ceil(text.length * part);
  return text.slice(0, end).split("\n").length;
}

/** One call of a reading tool, and its answer. */
export interface ReadStep {
  readonly name: string;
  readonly input: object;
  readonly answer: string;
}

/**
 * Yields the calls of one request; is told which facts are still missing, and ends when it has nothing
 * more to try.
 */
export type ReadSteps = AsyncGenerator<readonly ReadStep[], void, readonly string[]>;

/** Yields the calls of one request after another. */
export type PartSteps = AsyncGenerator<readonly ReadStep[], void, void>;

/** Whoever needs more than this of one result reads it rather than search for each. */
const MANY_FACTS = 25;

/** How the systems say so, and may repeat the pattern; not a line of content that says it. */
const NOTHING_FOUND =
  /^\[?(?:[^\s\]]+: )?(?:no (?:lines? |text )?match|nothing matche|error: reference)/i;

/** Whether the scripted reader searches for these facts of a result, or reads it from the start. */
export function isSearch(reader: ReaderKind, facts: readonly string[]): boolean {
  return reader === "search" && facts.length <= MANY_FACTS;
}

/** Facts as one regular expression. */
export function patternOf(facts: readonly string[]): string {
  return facts.map((fact) => fact.trim().replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|");
}

/** What an answer brought back: a pattern that it merely repeats is nothing new. */
export function foundBy({ answer, input }: ReadStep): string {
  if (NOTHING_FOUND.test(answer)) return "";
  const pattern = "pattern" in input ? String(input.pattern) : "";
  if (!pattern.includes("|")) return answer;
  return answer.replaceAll(pattern, "").replaceAll(JSON.stringify(pattern).slice(1, -1), "");
}
