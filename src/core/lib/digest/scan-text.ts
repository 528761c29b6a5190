import { CLASSES, DIGIT, FEED, HUMP, OTHER, PARTS, QUOTE, SPACE, UPPER } from "./characters.js";
import { NameFinder, NO_NAMES, isName, type Line, type Name } from "./name-finder.js";
import type { SampledText } from "./sampled-text.js";
import { isErrorName, isTrouble } from "./trouble.js";

export { isNumber, type Line, type Name } from "./name-finder.js";

// One pass finds the lines, the names on each and the form of each line. Every character is looked
// up once in a table, so that a digest costs less than storing the content does.

/** A longer line is split into parts of about this length, each of which can be shown. */
const PART_CHARS = 200;

export interface Scan {
  readonly text: string;
  readonly lines: readonly Line[];
  readonly names: readonly Name[];
}

const FEED_CODE = 10;
const BACKSLASH = 92;
const DASH = 45;

export interface ScanOptions {
  /** Length of the line number that a listing put before a line, with its separator. */
  readonly prefixOf?: ((text: string, start: number) => number) | undefined;
  /** Whether the text is JSON, with escapes in its strings. */
  readonly isEscaped?: boolean;
}

/** Finds lines and names in the sampled parts of a text. */
export function scanText(
  sampled: SampledText,
  { prefixOf, isEscaped = false }: ScanOptions = {},
): Scan {
  const { text } = sampled;
  const finder = new NameFinder(text);
  const lines: Line[] = [];
  for (const { from, to, line: first } of sampled.pieces) {
    let number = first;
    let at = from;
    let isPart = from > 0 && text.charCodeAt(from - 1) !== FEED_CODE;
    while (at < to) {
      if (!isPart && prefixOf !== undefined) at += prefixOf(text, at);
      const margin = at;
      while (at < to && CLASSES[text.charCodeAt(at)] === SPACE) at += 1;
      const line: Line = {
        start: at,
        indent: at - margin,
        end: at,
        number,
        isPart,
        isCut: false,
        form: 0,
        trouble: 0,
        names: NO_NAMES,
        cost: 0,
        bonus: 0,
        alike: 0,
      };
      lines.push(line);
      const limit = at + PART_CHARS;
      let form = 0;
      let kind = OTHER;
      while (at < to) {
        let code = text.charCodeAt(at);
        kind = CLASSES[code] ?? OTHER;
        if (kind >= FEED) {
          if (kind === FEED) break;
          // In a JSON string, the letter after a backslash is not the start of a word.
          at += code === BACKSLASH && isEscaped ? escapeLength(text, at) : 1;
          if (kind !== SPACE) form = (Math.imul(form, 31) + code) | 0;
          // Not between the halves of a pair.
          if (at >= limit && (code & 0xfc00) !== 0xd800) break;
          continue;
        }
        const begin = at;
        const first = code;
        let last: number;
        let flags = 0;
        let hash = 0;
        let before = 0;
        do {
          flags |= kind | (((before << 1) & kind & UPPER) << 7);
          hash = (Math.imul(hash, 31) + code) | 0;
          before = kind;
          last = code;
          at += 1;
          if (at >= to) break;
          code = text.charCodeAt(at);
          kind = CLASSES[code] ?? OTHER;
        } while (kind < FEED);
        const length = at - begin;
        form = (Math.imul(form, 31) + ((flags & DIGIT) === 0 ? hash : 7)) | 0;
        if ((flags & PARTS) !== 0 || first === DASH || last === DASH)
          finder.addRun(begin, at, line);
        else if (flags > 3) {
          if (isName(flags, length, first, last)) {
            finder.add(begin, at, hash, line);
            if ((flags & HUMP) !== 0 && isErrorName(text, at)) line.trouble += 1;
          }
        } else if (isTrouble(text, begin, at)) line.trouble += 1;
        else if (
          kind === QUOTE &&
          length >= 6 &&
          begin > from &&
          text.charCodeAt(begin - 1) === code
        ) {
          finder.add(begin, at, hash, line);
        }
        if (at >= limit) break;
      }
      line.end = at;
      line.form = form;
      isPart = kind !== FEED;
      if (!isPart) {
        at += 1;
        number += 1;
      }
    }
  }
  return { text, lines, names: finder.names };
}

/** `\\n` is two characters, `\\u001b` six. */
function escapeLength(text: string, at: number): number {
  return text.charCodeAt(at + 1) === 117 ? 6 : 2;
}
