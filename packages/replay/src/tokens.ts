import type { ImportPeer } from "./systems/import-peer.js";

/** An exact tokenizer takes seconds on a run of this length without a break. */
const LONG_RUN = /\S{2000,}|\s{2000,}/;
const PIECES = /[\s\S]{1,1000}/g;

interface Tokenizer {
  readonly countTokens: (text: string, options: object) => number;
}

/**
 * Counts tokens of o200k, exactly but for runs of thousands of characters without a break, which are
 * counted in pieces.
 */
export async function createTokenCounter(
  importPeer: ImportPeer,
): Promise<(text: string) => number> {
  const { countTokens } = await importPeer<Tokenizer>("gpt-tokenizer/encoding/o200k_base");
  // What looks like a special token is plain text in a recorded conversation.
  const options = { allowedSpecial: new Set(), disallowedSpecial: new Set() };
  return rememberCounts((text) => {
    const pieces = LONG_RUN.test(text) ? (text.match(PIECES) ?? []) : [text];
    return pieces.reduce((sum, piece) => sum + countTokens(piece, options), 0);
  });
}

/** Counts each text once: the same texts are sent again and again. */
export function rememberCounts(count: (text: string) => number): (text: string) => number {
  const counted = new Map<string, number>();
  return (text) => {
    const tokens = counted.get(text) ?? count(text);
    counted.set(text, tokens);
    return tokens;
  };
}
