/** Whoever needs more than this of one result reads it rather than search for each. */
const MANY_FACTS = 25;

/**
 * Whether the scripted reader searches for these facts of a result, or reads it from the start.
 *
 * @param {"search" | "page"} reader
 * @param {readonly string[]} facts
 */
export function isSearch(reader, facts) {
  return reader === "search" && facts.length <= MANY_FACTS;
}

/**
 * Facts as one regular expression.
 *
 * @param {readonly string[]} facts
 */
export function patternOf(facts) {
  return facts.map((fact) => fact.trim().replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|");
}
