import { freshAndStale, type FreshAndStaleOptions } from "../../src/policies.js";

/**
 * Lets results, answers of the reading tools and large parts go as soon as they are stale, however
 * short the conversation: for tests that are about what goes, not about when.
 */
export const EAGER: FreshAndStaleOptions = {
  afterTurns: 1,
  gatherTokens: 0,
  minTokens: 90,
  turnsAhead: 1_000,
};

export const eagerPolicy = freshAndStale({ ...EAGER, afterTurns: 2 });
