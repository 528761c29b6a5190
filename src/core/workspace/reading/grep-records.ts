import { JsonSyntaxError } from "../../lib/json/json-walker.js";
import { formatPointer } from "../../lib/json/json-pointer.js";
import { findJsonStart, placeMatches, type MatchPlace } from "../../lib/records/json-records.js";
import { parseExactly, renderRecord, type Leaf } from "../../lib/records/record-value.js";
import type { MatchWindow, SearchMatch, SearchOutcome } from "../../lib/search/search-terms.js";
import { sliceSource } from "../../lib/text/byte-source.js";
import { takeStart } from "../../lib/text/code-units.js";
import { seekChar, seekLineStart } from "../../lib/text/read-text.js";
import { decodeWtf8 } from "../../lib/text/wtf8.js";
import type { OpenTarget } from "./open-text.js";

/** A record is read whole to be told in a line. */
const MAX_RECORD_BYTES = 262_144;
/** About how long the line of a record is: shorter where there are many. */
const FEW_RECORDS = 3;
const LONG_ROW_CHARS = 420;
const SHORT_ROW_CHARS = 220;
/** How much of the text after a match tells where in a long value it is. */
const PROBE_CHARS = 24;

/** What one line of an answer stands for. */
export interface RecordLine {
  readonly text: string;
  /** The number of the last matching line in it. */
  readonly lastLine: number;
  /** How many matching lines it stands for. */
  readonly lines: number;
}

interface PlacedMatch extends MatchPlace {
  readonly match: SearchMatch;
  readonly window: MatchWindow;
}

/**
 * The matches in JSON as records: each with the number of its first matching line, its pointer, the
 * fields that match and its other short fields. `undefined` if the text is not JSON.
 */
export async function describeRecords(
  { text, signal }: OpenTarget,
  { matches }: Pick<SearchOutcome, "matches">,
): Promise<RecordLine[] | undefined> {
  const start = await findJsonStart(text.source);
  if (start === undefined) return undefined;
  const source = sliceSource(text.source, start);
  const placed = await placeAll(await text.withIndex(), start, matches, signal).catch(
    (error: unknown) => {
      if (error instanceof JsonSyntaxError) return undefined;
      throw error;
    },
  );
  if (!placed?.some(({ record }) => record)) return undefined;
  const groups = new Map<number | PlacedMatch, PlacedMatch[]>();
  for (const one of placed) {
    const isShort = one.record && one.record.end - one.record.start <= MAX_RECORD_BYTES;
    const key = isShort ? one.record.start : one;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const maxChars = groups.size > FEW_RECORDS ? SHORT_ROW_CHARS : LONG_ROW_CHARS;
  const lines: RecordLine[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const numbers = new Set(group.map(({ match }) => match.line));
    const { record } = first;
    const isRecord = record && record.end - record.start <= MAX_RECORD_BYTES;
    const value = isRecord
      ? parseExactly(decodeWtf8(await source.read(record.start, record.end)))
      : undefined;
    lines.push({
      text: isRecord
        ? `${first.match.line}:${formatPointer(record.path)} ${tell(value, record.path.length, group, maxChars)}`
        : `${first.match.line}:${formatPointer(first.path)} ${first.window.text.trim()}`,
      lastLine: Math.max(...numbers),
      lines: numbers.size,
    });
  }
  return lines;
}

async function placeAll(
  text: Awaited<ReturnType<OpenTarget["text"]["withIndex"]>>,
  jsonStart: number,
  matches: readonly SearchMatch[],
  signal: AbortSignal | undefined,
): Promise<PlacedMatch[] | undefined> {
  const found: { readonly match: SearchMatch; readonly window: MatchWindow; offset: number }[] = [];
  for (const match of matches) {
    const start = await seekLineStart(text, match.line, signal);
    for (const window of [match, ...(match.further ?? [])]) {
      const place = await seekChar(text, start.char + window.column - 1, signal);
      // Blanks before a value belong to no value; the end of a match does.
      found.push({ match, window, offset: place.byte - jsonStart });
    }
  }
  found.sort((a, b) => a.offset - b.offset);
  const offsets = found.map(({ offset }) => offset);
  // What stands before the JSON is in no record.
  if ((offsets[0] ?? 0) < 0) return undefined;
  const places = await placeMatches(sliceSource(text.source, jsonStart), offsets, signal);
  return found.map(({ match, window }, index) => ({
    ...(places[index] ?? { path: [] }),
    match,
    window,
  }));
}

function tell(
  value: unknown,
  depth: number,
  group: readonly PlacedMatch[],
  maxChars: number,
): string {
  const wanted = new Set(group.map(({ path }) => JSON.stringify(path.slice(depth))));
  const probes = group.map(({ window: { text, textColumn, column } }) =>
    text.slice(column - textColumn).slice(0, PROBE_CHARS),
  );
  return renderRecord(value, {
    maxChars,
    isWanted: ({ path }: Leaf) => wanted.has(JSON.stringify(path)),
    cut: (long, most) => {
      const at = Math.max(-1, ...probes.map((probe) => long.indexOf(probe)));
      if (at <= most / 2) return takeStart(long, most);
      return `…${takeStart(long.slice(at - Math.floor(most / 3)), most)}`;
    },
  });
}
