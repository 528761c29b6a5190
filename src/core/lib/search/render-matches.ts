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

/**
 * Renders matches as `grep -n` prints them, as many as fit. A line that is near two matches is printed
 * once.
 */
export function renderMatches(
  { matches, matchingLines }: Pick<SearchOutcome, "matches" | "matchingLines">,
  query: SearchQuery,
  maxChars: number,
): RenderedMatches {
  const hasContext = query.contextBefore + query.contextAfter > 0;
  let text = "";
  let shown = 0;
  let lines = 0;
  let lastLine = 0;
  let lastHeading = 0;
  /** The lines after the last match: they are printed when it is known that none of them matches. */
  let after: readonly ContextLine[] = [];
  const withContext = (context: readonly ContextLine[]): { text: string; lastLine: number } => {
    let longer = text;
    let last = lastLine;
    for (const line of context) {
      if (line.line <= last) continue;
      longer = append(longer, renderContext(line), hasContext && line.line > last + 1);
      last = line.line;
    }
    return { text: longer, lastLine: last };
  };
  const end = (nextLine: number, nextChar?: number, inLine = 0, isNarrowed = false) => {
    for (const line of after) {
      const longer = withContext([line]);
      if (longer.text.length > maxChars) break;
      ({ text, lastLine } = longer);
    }
    return {
      ...{ text, shown, nextLine, nextChar, isNarrowed },
      left: matchingLines - lines + inLine,
    };
  };
  for (const match of matches) {
    const { line, further = [], unshown = 0 } = match;
    const between = after.filter((one) => one.line < line);
    const above = withContext([...between, ...match.before]);
    const { heading } = match;
    const isNamed = heading && heading.line > lastHeading && heading.line > lastLine;
    if (isNamed && heading.line < (match.before[0]?.line ?? line)) {
      // As git grep prints it, in front of everything else near the match.
      const below = withContext(between);
      const named = append(below.text, renderContext(heading, "="), hasContext);
      above.text = named + above.text.slice(below.text.length).replace(/^(?!\n)(?=.)/s, "\n");
      lastHeading = heading.line;
    }
    const isApart = hasContext && line > above.lastLine + 1 && !isNamed;
    const first = append(above.text, renderMatch(match), isApart);
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
    lastLine = line;
    after = match.after;
    shown += 1;
    lines += 1;
    let last: MatchWindow = match;
    for (const [index, window] of further.entries()) {
      const wider = `${text}\n${line}:${renderWindow(window, match.lineChars)}`;
      if (wider.length > maxChars) {
        after = [];
        return end(line, afterWindow(last), further.length - index + unshown);
      }
      text = wider;
      shown += 1;
      last = window;
    }
    if (unshown > 0) return end(line, afterWindow(last), unshown);
  }
  return end((matches.at(-1)?.line ?? 0) + 1);
}

function append(text: string, line: string, isApart: boolean): string {
  if (text === "") return line;
  return isApart ? `${text}\n--\n${line}` : `${text}\n${line}`;
}

function afterWindow({ textColumn, text }: MatchWindow): number {
  return textColumn + text.length;
}

function renderMatch(match: SearchMatch): string {
  if (isNumbered(match)) return match.text;
  return `${match.line}:${renderWindow(match, match.lineChars)}`;
}

/** Whether a tool put this very number before the line: another one would only repeat it. */
function isNumbered({ line, text, lineChars }: ContextLine): boolean {
  const number = String(line);
  const [own = ""] = text.length < lineChars ? [] : (/^ *\d+(?=[→\t])/.exec(text) ?? []);
  return own.trimStart() === number;
}

/** The matching line, with as many of the nearest context lines as fit. */
function renderFitting({ before, after, ...match }: SearchMatch, maxChars: number): string {
  let text = takeStart(renderMatch({ ...match, before, after }), maxChars);
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

function renderContext(shown: ContextLine, mark = "-"): string {
  const { line, text, lineChars } = shown;
  if (isNumbered(shown)) return text;
  return `${line}${mark}${text}${text.length < lineChars ? ` [… ${lineChars} chars]` : ""}`;
}
