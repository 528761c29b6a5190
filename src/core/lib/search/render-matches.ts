import { takeStart } from "../text/code-units.js";
import type {
  SearchOutcome,
  SearchQuery,
  MatchWindow,
  SearchMatch,
  ContextLine,
} from "./search-terms.js";

/** Matches as text, and what did not fit. */
export interface RenderedMatches {
  readonly text: string;
  /** How many matches `text` shows: lines, or windows on long lines. */
  readonly shown: number;
  /** How many are left; those beyond the limits of the search count as one per line. */
  readonly left: number;
  /** Where to continue: the line and, inside of a long line, the character. */
  readonly nextLine: number;
  readonly nextChar: number | undefined;
  /** Whether context lines were left out for lack of room. */
  readonly isNarrowed: boolean;
}

/** Renders matches as `grep -n` prints them, as many as fit. */
export function renderMatches(
  { matches, matchingLines }: Pick<SearchOutcome, "matches" | "matchingLines">,
  query: SearchQuery,
  maxChars: number,
): RenderedMatches {
  const separator = query.contextBefore + query.contextAfter > 0 ? "\n--\n" : "\n";
  let text = "";
  let shown = 0;
  let lines = 0;
  const end = (nextLine: number, nextChar?: number, inLine = 0, isNarrowed = false) => ({
    ...{ text, shown, nextLine, nextChar, isNarrowed },
    left: matchingLines - lines + inLine,
  });
  for (const match of matches) {
    const { line, further = [], unshown = 0 } = match;
    const first = text + (shown === 0 ? "" : separator) + renderMatch(match, further.length > 0);
    if (first.length > maxChars) {
      if (shown > 0) return end(line);
      text = renderFitting(match, maxChars);
      shown = lines = 1;
      const rest = further.length + unshown;
      return rest > 0
        ? end(line, afterWindow(match), rest, true)
        : end(line + 1, undefined, 0, true);
    }
    text = first;
    shown += 1;
    lines += 1;
    let last: MatchWindow = match;
    for (const [index, window] of further.entries()) {
      const wider = `${text}\n${line}:${renderWindow(window, match.lineChars)}`;
      if (wider.length > maxChars) {
        return end(line, afterWindow(last), further.length - index + unshown);
      }
      text = wider;
      shown += 1;
      last = window;
    }
    if (further.length > 0 && match.after.length > 0) {
      text += match.after.map((after) => `\n${renderContext(after)}`).join("");
    }
    if (unshown > 0) return end(line, afterWindow(last), unshown);
  }
  return end((matches.at(-1)?.line ?? 0) + 1);
}

function afterWindow({ textColumn, text }: MatchWindow): number {
  return textColumn + text.length;
}

function renderMatch(match: SearchMatch, withoutAfter = false): string {
  return [
    ...match.before.map(renderContext),
    `${match.line}:${renderWindow(match, match.lineChars)}`,
    ...(withoutAfter ? [] : match.after.map(renderContext)),
  ].join("\n");
}

/** The matching line, with as many of the nearest context lines as fit. */
function renderFitting({ before, after, ...match }: SearchMatch, maxChars: number): string {
  let text = takeStart(renderMatch({ ...match, before: [], after: [] }), maxChars);
  for (let step = 1; step <= Math.max(before.length, after.length); step++) {
    const above = before.at(-step);
    const below = after[step - 1];
    const wider = [above && renderContext(above), text, below && renderContext(below)]
      .filter((part) => part !== undefined)
      .join("\n");
    if (wider.length > maxChars) break;
    text = wider;
  }
  return text;
}

/** A window says where in the line it is, so that the rest can be read by character range. */
function renderWindow({ text, textColumn }: MatchWindow, lineChars: number): string {
  if (text.length >= lineChars) return text;
  return `[chars ${textColumn}-${textColumn + text.length - 1} of ${lineChars}] ${text}`;
}

function renderContext({ line, text, lineChars }: ContextLine): string {
  return `${line}-${text}${text.length < lineChars ? ` [… ${lineChars} chars]` : ""}`;
}
