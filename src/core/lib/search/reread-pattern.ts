import type { SearchQuery } from "./search-terms.js";

/** A pattern in the syntax of another tool, as it was most likely meant. */
export type RereadPattern = Pick<SearchQuery, "pattern" | "ignoreCase">;

const SLASHED = /^\/(.+)\/([dgimsuvy]*)$/s;
const FLAGGED_GROUP = /\(\?([ims]+):/g;
const ESCAPE = /\\([^])/g;
/** Escapes of grep that stand for something else in JavaScript, where they are plain characters. */
const GREP_ESCAPES: Readonly<Record<string, string>> = { "<": "\\b", ">": "\\b", "|": "|" };

/**
 * Reads a pattern as the syntax of another tool: `/error/i`, `(?i:error)`, `\<word\>`, `one\|two`.
 * All of these also mean something in JavaScript, or may come to, so this is for a pattern that
 * matched nothing as it stands. Undefined if it would mean the same.
 */
export function rereadPattern({
  pattern,
  literal,
  ignoreCase,
}: Pick<SearchQuery, "pattern" | "literal" | "ignoreCase">): RereadPattern | undefined {
  if (literal) return undefined;
  let flags = "";
  const [, slashed = pattern, slashFlags = ""] = SLASHED.exec(pattern) ?? [];
  const read = slashed
    .replace(FLAGGED_GROUP, (_, letters: string) => {
      flags += letters;
      return "(?:";
    })
    .replace(ESCAPE, (escape, letter: string) => GREP_ESCAPES[letter] ?? escape);
  if (read === pattern) return undefined;
  return { pattern: read, ignoreCase: ignoreCase || `${slashFlags}${flags}`.includes("i") };
}
