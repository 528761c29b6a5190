import { firstLines, linesOf, type Segment, type SampledText } from "./line-scanner.js";

const CHECKED_LINES = 40;
/** `   12→`, `   12<tab>`, `12: `, `12| `, and the bare number with a space of `nl`-like tools. */
const PREFIX = /^ {0,8}(\d{1,7})(→|\t|: ?|\| ?| |$)/;

/**
 * The sampled without the line numbers that a listing (`cat -n`, an editor tool) puts before each
 * line, or undefined when it carries none. Lines keep their place, so that numbers quoted from the
 * result are those of the content itself.
 */
export function stripListingPrefixes(sampled: SampledText): SampledText | undefined {
  if (!isNumberedListing(sampled)) return undefined;
  return { ...sampled, segments: sampled.segments.map(stripSegment) };
}

function isNumberedListing(sampled: SampledText): boolean {
  let numbered = 0;
  let consecutive = 0;
  let previous = NaN;
  let seen = 0;
  for (const line of firstLines(sampled, CHECKED_LINES)) {
    if (seen >= 8 && numbered === 0) return false;
    seen += 1;
    const match = PREFIX.exec(line.text);
    if (match === null) continue;
    numbered += 1;
    const number = Number(match[1]);
    if (number === previous + 1) consecutive += 1;
    previous = number;
  }
  return numbered >= 3 && numbered >= seen * 0.75 && consecutive >= (numbered - 1) * 0.8;
}

function stripSegment(segment: Segment): Segment {
  const lines: string[] = [];
  for (const line of linesOf(segment)) {
    const match = PREFIX.exec(line.text);
    lines.push(match === null ? line.text : line.text.slice(match[0].length));
  }
  return { ...segment, text: lines.join("\n") + (segment.text.endsWith("\n") ? "\n" : "") };
}
