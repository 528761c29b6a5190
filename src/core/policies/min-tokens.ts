import { serializeContent, type Content } from "../content.js";
import type { Policy } from "../policy.js";
import { estimateTokens, type CountTokens } from "../tokens.js";
import type { ToolResult } from "../tool-result.js";
import { eachResult } from "./each-result.js";

const MOST_REMEMBERED = 20_000;
const SAMPLED_ENDS = 32;
const SAMPLED_PLACES = 16;

/** A result leaves when it has at least this many tokens. */
export function minTokens(threshold: number, countTokens: CountTokens = estimateTokens): Policy {
  // An agent asks about the same results at every turn, whether or not it holds the same objects.
  const remembered = new Map<string, number>();
  const tokensOf = (result: ToolResult): number => {
    const key = keyOf(result);
    let tokens = remembered.get(key);
    if (tokens === undefined) {
      tokens = countTokens(serializeContent(result.content));
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      remembered.set(key, tokens);
    }
    return tokens;
  };
  return eachResult(
    `minTokens(${threshold})`,
    // A token has at least one character, so that a short result need not be counted.
    (result) => result.chars >= threshold && tokensOf(result) >= threshold,
    { leaves: "long enough", stays: "too short" },
  );
}

/**
 * What a result is known by here: its id, its size and a sample of its text. Another content that
 * shares all of these has about as many tokens, which is all that is asked.
 */
function keyOf({ id, chars, content }: ToolResult): string {
  return JSON.stringify([id, chars, sampleOf(content)]);
}

function sampleOf(content: Content): string {
  const text = serializeContent(content);
  let sample = text.slice(0, SAMPLED_ENDS) + text.slice(-SAMPLED_ENDS);
  const step = Math.floor(text.length / SAMPLED_PLACES) || 1;
  for (let at = step; at < text.length; at += step) sample += text.charAt(at);
  return sample;
}
