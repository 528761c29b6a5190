/** Every threshold of the package, in one place. The documentation quotes these. */
export const DEFAULTS = Object.freeze({
  /** The folder of an offloader that was given neither a folder nor a workspace. */
  root: ".offload",
  /** The session of artifacts whose caller names none. */
  session: "default",
  /** Minimum size of a tool result that a history pass offloads, in characters (`OFFLOAD_CHAR_THRESHOLD`). */
  charThreshold: 100,
  /** Minimum share of the conversation that a history pass must free; below it, the pass is skipped (`OFFLOAD_RATIO_THRESHOLD`). */
  ratioThreshold: 0.2,
  /** How many results are written at the same time. */
  writeConcurrency: 8,
  /** `freshAndStale`, the default: a result of at least this many tokens is offloaded when it arrives … */
  giantTokens: 6_400,
  /** … one of at least this many once the model has replied this often since … */
  staleTokens: 300,
  staleTurns: 5,
  /** … together with others, once they have this many tokens. */
  gatherTokens: 8_000,
  /** … if that pays over the turns ahead, which are believed to be this share of the replies so far. */
  aheadShare: 0.125,
  /** What a reference without a digest takes. */
  shortReferenceTokens: 80,
  /** In the structured content of an MCP answer, strings and lists of strings of at least this many characters are replaced. */
  structuredChars: 200,
  /** `offloadRequests` lets the model read this often before it has to answer. */
  readReplies: 50,
  /** A reference must save at least this share of the tokens of the result that it replaces. */
  minSavedShare: 0.35,
  /** `createToolResultOffload`: a result of more tokens than this is stored at arrival, whatever its tool and metadata say. */
  toolResultTokenThreshold: 30_000,
  /** `createToolResultOffload` stores content shorter than this, in characters, but still returns it whole. */
  inlineChars: 40_000,
  /** The length of the digest in a reference, as a share of the content. */
  digestShare: 0.2,
  /** Minimum and maximum length of the digest in a reference, in characters. */
  digestMinChars: 480,
  digestChars: 1_000,
  /** Maximum number of characters that one read returns. */
  readChars: 20_000,
  /** Which reading tools an offloader tells its model of: `"one"` costs few tokens in every request. */
  readingTools: "one",
  /** Maximum number of matches that one search returns. */
  searchResults: 50,
  /** Maximum number of artifacts that one search of a session goes through. */
  searchArtifacts: 200,
  /** How much of a long line is shown around a match, in characters. */
  searchWindowChars: 400,
  /** Maximum length of a search pattern, in characters. */
  patternChars: 10_000,
  /** A search is stopped after this time. */
  searchDeadlineMs: 2_000,
  /** Maximum number of artifacts that one listing returns. */
  listLimit: 50,
  /** Maximum number of array elements that one query returns. */
  queryLimit: 20,
  /** Maximum number of fields that one query asks for. */
  queryFields: 100,
  /** JSON of more characters than this is not read from its start to its end just to describe it. */
  wholeJsonChars: 262_144,
  /** The longest JSON that has a readable view, in bytes; longer JSON is read by pointer and by characters. */
  viewBytes: 67_108_864,
  /** The longest content that is taken out of its wrapping in memory, in bytes; of longer content, only a single text block is. */
  unwrapBytes: 8_388_608,
  /** `verify` deletes no orphan that is younger than this. */
  orphanAgeMs: 3_600_000,
  /** Retention removes nothing that was stored or handed out within this time … */
  retentionMinAgeMs: 3_600_000,
  /** … and what is handed out again is renewed if it was last renewed longer ago than this. */
  renewAfterMs: 600_000,
  /** For this time, 90 days, it is known of a removed artifact that there was one. */
  tombstoneMs: 7_776_000_000,
  /** How long one call of a store over a network may take, with all its attempts … */
  storeDeadlineMs: 30_000,
  /** … and how long one attempt. */
  storeAttemptMs: 10_000,
  /** How long the ledger gathers before it writes … */
  ledgerDelayMs: 2_000,
  /** … of how many results it tells one by one in a session … */
  ledgerRows: 1_000,
  /** … and how many of its entries are replaced by their sum at a time. */
  ledgerEntries: 32,
  /** Ranges of lines that the ledger keeps for a result … */
  ledgerRanges: 32,
  /** For how many times its deadline a search waits, while no other one is completed, before it gives up. */
  searchWaits: 5,
  /** The price of a token that is read from the prompt cache, and of one that is written to it. */
  cacheReadPrice: 0.1,
  cacheWritePrice: 1.25,
  /** How many more turns `cacheAware` expects a conversation to have. */
  turnsAhead: 10,
  /** What a reference takes, roughly, where it is not known yet. */
  referenceTokens: 550,
  referenceChars: 1_700,
  /** A rough rate, where a text is not at hand. */
  charsPerToken: 4,
});
