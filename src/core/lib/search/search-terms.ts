import type { ByteSource } from "../text/byte-source.js";

/** What to look for in a text, line by line. */
export interface SearchQuery {
  /** A regular expression, or plain text if `literal` is set. It never matches across a line break. */
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  /** How many lines to show before a match. */
  readonly contextBefore: number;
  /** How many lines to show after a match. */
  readonly contextAfter: number;
  /** How many matches to return; further matching lines are only counted. */
  readonly maxResults: number;
  /** How many matching lines are only counted before the first that is returned. Default: none. */
  readonly skipMatches?: number;
  /** Once matches and context lines, with their numbers, have more characters than this, no further matches are returned. Default: no limit. */
  readonly maxChars?: number;
  /** The maximum length of the text shown of one line, in UTF-16 units. */
  readonly windowChars: number;
  /** The first line to search, from 1, to continue where an earlier search ended. Default: 1. */
  readonly fromLine?: number;
  /** The first character of that line to search, from 1, in UTF-16 units. Default: 1. */
  readonly fromChar?: number;
}

/** A line before or after a match. */
export interface ContextLine {
  readonly line: number;
  /** The line's start, cut to the query's `windowChars`. */
  readonly text: string;
  /** Length of the whole line, in UTF-16 units. */
  readonly lineChars: number;
}

/** A match, and what is shown of its line. */
export interface MatchWindow {
  /** Where the match begins in the line, from 1, in UTF-16 units. */
  readonly column: number;
  /** The line without its line break; of a line longer than `windowChars`, a window around the match. */
  readonly text: string;
  /** Column of the first character of `text`; 1 for a whole line. */
  readonly textColumn: number;
}

/** A matching line, with its first match. */
export interface SearchMatch extends MatchWindow {
  /** Number of the line, from 1. */
  readonly line: number;
  /** On a line longer than `windowChars`, the matches that the windows before do not show. */
  readonly further?: readonly MatchWindow[];
  /** How many matches come after the last window; not all are counted if there are many. */
  readonly unshown?: number;
  /** Length of the whole line, in UTF-16 units; only of the part that was read if the search stopped inside it. */
  readonly lineChars: number;
  readonly before: readonly ContextLine[];
  readonly after: readonly ContextLine[];
  /** The line that names the function or section that the line is in. */
  readonly heading?: ContextLine;
}

/** What a search found. */
export interface SearchOutcome {
  readonly matches: readonly SearchMatch[];
  /** How many matching lines were found, including those beyond `maxResults`. */
  readonly matchingLines: number;
  /** How many lines were read, from the start of the text; continue at `scannedLines + 1`. */
  readonly scannedLines: number;
  /** True when `matches` holds every match from `fromLine` to the end of the text. */
  readonly complete: boolean;
  /**
   * Why `complete` is false. `maxResults`: the text was searched to its end and `matchingLines` is
   * exact, but there were more matches than requested. `deadline`: the text was not searched to its end.
   */
  readonly stoppedBy?: "deadline" | "maxResults";
}

/** A text to search. */
export interface SearchSource extends ByteSource {
  /** An open file descriptor of this process, so that a search can read the bytes directly. */
  readonly fd?: number | undefined;
}

/** A pattern cannot be searched for. */
export class PatternError extends Error {
  override readonly name = "PatternError";

  /** @param reason - What is wrong with it and how to fix it; a sentence without its full stop. */
  constructor(readonly reason: string) {
    super(`The pattern cannot be searched for: ${reason}.`);
  }

  /** Checked by shape: an error of another thread or realm is an instance of another class. */
  static isInstance(value: unknown): value is PatternError {
    const { name, reason } = (value ?? {}) as { name?: unknown; reason?: unknown };
    return name === "PatternError" && typeof reason === "string";
  }
}
