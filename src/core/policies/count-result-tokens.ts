import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import type { ToolResult } from "../engine/tool-result.js";
import { renderValue } from "../workspace/reading/readable-view.js";

/** Contents up to this length are remembered, up to this many characters together. */
const MAX_REMEMBERED_CHARS = 16_000;
const MAX_TOGETHER_CHARS = 8_000_000;

/**
 * Counts the tokens of results by what there is to read of them: pictures and the like are not text.
 * An agent asks about the same contents at every turn, so that short ones are remembered, by the
 * text itself: the same text always gives the same number.
 */
export function createResultTokenCounter(countTokens: CountTokens): (result: ToolResult) => number {
  const remembered = new Map<string, number>();
  let together = 0;
  return ({ content }) => {
    const text = typeof content === "string" ? content : renderValue(content);
    if (text.length > MAX_REMEMBERED_CHARS) return countTokens(text);
    const known = remembered.get(text);
    if (known !== undefined) return known;
    const tokens = countTokens(text);
    together += text.length;
    if (together > MAX_TOGETHER_CHARS) {
      remembered.clear();
      together = text.length;
    }
    remembered.set(text, tokens);
    return tokens;
  };
}
