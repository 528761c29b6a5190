/** Every threshold of the package, once. The documentation quotes these. */
export const DEFAULTS = Object.freeze({
  /** A tool result shorter than this stays in a history pass (`OFFLOAD_CHAR_THRESHOLD`). */
  charThreshold: 100,
  /** A history pass is skipped when less than this share could leave (`OFFLOAD_RATIO_THRESHOLD`). */
  ratioThreshold: 0.2,
  /** How many contents are written at the same time. */
  writeConcurrency: 8,
  /** An offloader lets a result of at least this many tokens leave. */
  minTokens: 1_000,
  /** A workspace offloads a tool result of more tokens than this. */
  tokenThreshold: 30_000,
  /** A workspace hands back an offloaded content shorter than this as it is. */
  inlineChars: 40_000,
  /** The longest digest in a reference. */
  digestChars: 1_200,
  /** The most characters that one reading gives back. */
  readChars: 20_000,
  /** The most matches that one search gives back. */
  searchResults: 50,
  /** How much of a long line is shown around a match. */
  searchWindowChars: 400,
  /** The longest pattern that is searched for. */
  patternChars: 10_000,
  /** When a search is stopped. */
  searchDeadlineMs: 2_000,
  /** The most artifacts that one listing gives back. */
  listLimit: 50,
  /** The most elements of an array that one query gives back. */
  queryLimit: 20,
});
