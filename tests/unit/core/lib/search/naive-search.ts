import type { ContextLine, SearchQuery } from "../../../../../src/core/lib/search/search-terms.js";

/** What the search must find, worked out the plain way: every line on its own, nothing cut. */
export interface NaiveMatch {
  readonly line: number;
  readonly column: number;
  readonly matched: string;
  readonly text: string;
  readonly before: readonly ContextLine[];
  readonly after: readonly ContextLine[];
}

export function naiveSearch(text: string, query: SearchQuery, expression: RegExp): NaiveMatch[] {
  const parts = text.split("\n");
  const broken = parts.length - 1;
  const lines = parts
    .slice(0, text.endsWith("\n") || text === "" ? -1 : undefined)
    .map((line, index) => (index < broken && line.endsWith("\r") ? line.slice(0, -1) : line));
  const context = (from: number, to: number): ContextLine[] =>
    lines.slice(Math.max(0, from), Math.max(0, to)).map((line, index) => ({
      line: Math.max(0, from) + index + 1,
      text: line,
      lineChars: line.length,
    }));
  return lines.flatMap((line, index) => {
    const match = index + 1 < (query.fromLine ?? 1) ? null : expression.exec(line);
    if (match === null) return [];
    return [
      {
        line: index + 1,
        column: match.index + 1,
        matched: match[0],
        text: line,
        before: context(index - query.contextBefore, index),
        after: context(index + 1, index + 1 + query.contextAfter),
      },
    ];
  });
}
