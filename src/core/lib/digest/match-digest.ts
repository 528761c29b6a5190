import { isDigit } from "../text/code-units.js";
import { lineDigest } from "./line-digest.js";
import { clip, countOf, formatCount, toPrintable } from "./printable.js";
import type { Line, Scan } from "./scan-text.js";

/** The share of the budget for the list of files. */
const FILES_SHARE = 0.4;
const MAX_PATH = 200;

/** The files of a search's output with the number of matches in each, then the matches that tell the most. */
export function matchDigest(scan: Scan, lines: number, scale: number, budgetChars: number): string {
  const files = new Map<string, number>();
  let matches = 0;
  const shown: Line[] = [];
  const context = new Set<Line>();
  let matchChars = 0;
  for (const line of scan.lines) {
    const found = line.isPart ? undefined : readMatch(scan.text, line);
    if (found === undefined) {
      shown.push(line);
      continue;
    }
    if (found.isMatch) {
      matches += 1;
      files.set(found.path, (files.get(found.path) ?? 0) + 1);
    }
    // The path is in the list of files, so a match shows only the file's own name.
    const names = line.names.filter(({ start }) => start >= found.end);
    const named = { ...line, start: found.nameStart, names };
    shown.push(named);
    if (found.isMatch) matchChars += named.end - named.start;
    else context.add(named);
  }
  const about = scale > 1 ? " (sampled)" : "";
  const inFiles = files.size > 1 || !files.has("") ? ` in ${countOf(files.size, "file")}` : "";
  const title = `Search output, ${countOf(lines, "line")}, ${countOf(matches, "match", "matches")}${inFiles}${about}:`;
  const list = files.has("") ? "" : listFiles(files, Math.floor(budgetChars * FILES_SHARE));
  const opening = list === "" ? title : `${title}\n${list}`;
  // Names that occur only in paths need not be listed again.
  const names = new Set(shown.flatMap((line) => line.names));
  const rest = {
    text: scan.text,
    // Lines around a match are shown where the matches alone would leave much of the budget unused.
    lines: shown.filter(
      (line) => !context.has(line) || (matchChars < budgetChars / 4 && line.names.length > 0),
    ),
    names: scan.names.filter((name) => names.has(name)),
  };
  return lineDigest(rest, { kind: "matches", title: opening, budgetChars, scale });
}

interface Match {
  readonly path: string;
  /** Where the file's own name starts, and where the prefix ends. */
  readonly nameStart: number;
  readonly end: number;
  /** Not a line of context. */
  readonly isMatch: boolean;
}

/** `path:12:`, or `12:` in the output for one file; `-` instead of `:` on lines of context. */
export function readMatch(text: string, { start, end }: Line): Match | undefined {
  let nameStart = start;
  const limit = Math.min(end, start + MAX_PATH);
  for (let at = start; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    // A path with blanks in it is not worth taking a sentence for one.
    if (code <= 32 || code === 124 || code === 34) return undefined;
    if (code === 47 || code === 92) nameStart = at + 1;
    const isStart = at === start && isDigit(code);
    if (!isStart && code !== 58 && code !== 45) continue;
    let digits = isStart ? at : at + 1;
    const from = digits;
    while (digits < end && digits - from < 8 && isDigit(text.charCodeAt(digits))) digits += 1;
    const after = text.charCodeAt(digits);
    if (digits === from || (after !== 58 && after !== 45)) continue;
    if (!isStart && after !== code) continue;
    const path = isStart ? "" : text.slice(start, at);
    return { path, nameStart, end: digits + 1, isMatch: after === 58 };
  }
  return undefined;
}

/** `path (matches)`, as many as fit. */
function listFiles(files: ReadonlyMap<string, number>, room: number): string {
  let text = "";
  let shown = 0;
  for (const [path, count] of files) {
    const next = `${text === "" ? "" : ", "}${toPrintable(path)} (${formatCount(count)})`;
    const rest = files.size - shown - 1;
    if (text.length + next.length + (rest > 0 ? 12 : 0) > room) break;
    text += next;
    shown += 1;
  }
  const left = files.size - shown;
  return clip(
    left === 0 ? text : `${text}${text === "" ? "" : ", "}… ${formatCount(left)} more`,
    room,
  );
}
