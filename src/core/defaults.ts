/** Every threshold of the package, once. The documentation quotes these. */
export const DEFAULTS = Object.freeze({
  /** The folder of an offloader that is given neither a folder nor a workspace. */
  root: ".offload",
  /** A shorter tool result is kept in a history pass, in characters (`OFFLOAD_CHAR_THRESHOLD`). */
  charThreshold: 100,
  /** A history pass is skipped when it could offload less than this share (`OFFLOAD_RATIO_THRESHOLD`). */
  ratioThreshold: 0.2,
  /** How many results are written at the same time. */
  writeConcurrency: 8,
  /** An offloader offloads a result of at least this many tokens. */
  minTokens: 1_000,
  /** A reference must save at least this share of the tokens that it stands for. */
  minSavedShare: 0.25,
  /** `createToolResultOffload` stores a tool result of more tokens than this. */
  tokenThreshold: 30_000,
  /** `createToolResultOffload` returns shorter content itself, in characters, although it is stored. */
  inlineChars: 40_000,
  /** The longest digest in a reference, in characters. */
  digestChars: 1_200,
  /** The most characters that one read returns. */
  readChars: 20_000,
  /** The most matches that one search returns. */
  searchResults: 50,
  /** How much of a long line is shown around a match, in characters. */
  searchWindowChars: 400,
  /** The longest pattern that is searched for. */
  patternChars: 10_000,
  /** When a search is stopped. */
  searchDeadlineMs: 2_000,
  /** The most artifacts that one listing returns. */
  listLimit: 50,
  /** The most elements of an array that one query returns. */
  queryLimit: 20,
});
