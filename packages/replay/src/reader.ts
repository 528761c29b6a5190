/** How the scripted reader looks for a fact. */
export type ReaderKind = "search" | "page";

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
