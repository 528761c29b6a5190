import { importPeer } from "../peers.mjs";

/** An exact tokenizer takes seconds on a run of this length without a break. */
const LONG_RUN = /\S{2000,}|\s{2000,}/;
const PIECE_CHARS = 1_000;

/**
 * Counts tokens of o200k, exactly but for runs of thousands of characters without a break, which are
 * counted in pieces. A text that was counted before is not counted again.
 *
 * @returns {Promise<(text: string) => number>}
 */
export async function createTokenCounter() {
  const { countTokens } = await importPeer("gpt-tokenizer/encoding/o200k_base");
  /** @type {Map<string, number>} */
  const counted = new Map();
  // What looks like a special token is plain text in a recorded conversation.
  const options = { allowedSpecial: new Set(), disallowedSpecial: new Set() };
  return (text) => {
    const known = counted.get(text);
    if (known !== undefined) return known;
    let tokens = 0;
    for (const piece of LONG_RUN.test(text) ? piecesOf(text) : [text]) {
      tokens += countTokens(piece, options);
    }
    counted.set(text, tokens);
    return tokens;
  };
}

/** @param {string} text */
function piecesOf(text) {
  return text.match(new RegExp(`[\\s\\S]{1,${PIECE_CHARS}}`, "g")) ?? [];
}
