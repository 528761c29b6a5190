import type { ContentKind } from "./content-kind.js";
import { countCues, type Cues } from "./line-cues.js";
import { firstLines, lastLines, linesOf, type SampledText, type Segment } from "./line-scanner.js";
import { toPrintable } from "./printable.js";

const CHECKED_FIRST = 90;
const CHECKED_LAST = 20;
const CHECKED_MIDDLE = 3;

const HTML_START =
  /^(?:\s|<!--[^>]{0,2000}>|<\?xml[^>]{0,200}\?>)*<(?:!doctype\s+html|html|head|body)\b/i;
const HTML_TAG =
  /<\/?(?:div|p|span|a|ul|ol|li|table|tr|td|th|h[1-6]|section|article|nav|img|br|form|input|script|style|meta|link|header|footer|main)\b/gi;

/** Whether a text is an HTML page, or part of one. */
export function isHtml(head: string): boolean {
  const opening = head.slice(0, 4_096);
  if (HTML_START.test(opening)) return true;
  // A fetching tool may put a line or two before the page.
  const page = /^\s{0,20}<(?:!doctype\s+html|html)\b/im.exec(opening);
  if (page !== null && page.index < 1_000 && !opening.slice(0, page.index).includes("```")) {
    return true;
  }
  if (!/^[\s\ufeff]*<[a-z!]/i.test(opening)) return false;
  const tags = opening.match(HTML_TAG)?.length ?? 0;
  return tags >= 4 && tags * 120 >= opening.length;
}

/** The kind of a text that is not JSON, a table with a header, a diff or HTML. */
export function detectLineKind(sampled: SampledText, numbered: boolean): ContentKind {
  const cues = countCues(checkedLines(sampled));
  if (cues.lines === 0) return "text";
  const share = (count: number): number => count / cues.lines;
  if (numbered) {
    if (isMarkdown(cues, share(cues.code))) return "markdown";
    if (share(cues.code) >= 0.2) return "code";
  }
  if (cues.strongLog > 0 && share(cues.code) < 0.75 && share(cues.log) > 0.03) return "log";
  if (share(cues.log) >= 0.3 && cues.log > cues.code && cues.log > cues.markdown) return "log";
  if (isMarkdown(cues, share(cues.code))) return "markdown";
  if (cues.lines >= 3 && share(cues.code) >= 0.45 && cues.code > cues.log) return "code";
  return share(cues.log) >= 0.4 ? "log" : "text";
}

function isMarkdown(cues: Cues, codeShare: number): boolean {
  if (codeShare >= 0.4 || cues.settings > cues.lines * 0.5) return false;
  if (cues.headings >= 2) return cues.markdown >= cues.lines * 0.1;
  return cues.headings === 1 && cues.markdown >= Math.max(2, cues.lines * 0.25);
}

/** Lines from the start, the end and the windows between, without colours. */
function checkedLines(sampled: SampledText): string[] {
  const lines = firstLines(sampled, CHECKED_FIRST);
  const seen = lines.at(-1)?.number ?? 0;
  for (const segment of sampled.segments.slice(1, -1)) {
    let taken = 0;
    for (const line of linesOf(segment)) {
      if (taken >= CHECKED_MIDDLE) break;
      taken += 1;
      lines.push(line);
    }
  }
  for (const line of lastLines(sampled, CHECKED_LAST)) if (line.number > seen) lines.push(line);
  return lines.map(({ text }) => toPrintable(text.slice(0, 400)));
}

const CHECKED_LINES = 40;
/** `   12→`, `   12<tab>`, `12: `, `12| `, and the bare number with a space of `nl`-like tools. */
const PREFIX = /^ {0,8}(\d{1,7})(→|\t|: ?|\| ?| |$)/;

/**
 * The text without the line numbers that a listing (`cat -n`, an editor tool) puts before each line,
 * or undefined if it has none. Lines keep their positions, so that line numbers in the digest are
 * those of the content itself.
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

const MOST_LINES = 10;

/**
 * The output without the few lines about the run that some agent frameworks put before it, which end
 * with a line such as `Output:` or `OBSERVATION:`. No other preamble is recognized.
 */
export function withoutPreamble(sampled: SampledText): {
  readonly sampled: SampledText;
  readonly offset: number;
} {
  const [segment, ...others] = sampled.segments;
  if (segment === undefined) return { sampled, offset: 0 };
  let offset = 0;
  let seen = 0;
  for (const line of linesOf(segment)) {
    if (seen >= MOST_LINES || line.text.length > 200) break;
    seen += 1;
    offset = segment.text.indexOf("\n", offset) + 1;
    if (offset === 0) break;
    if (!/^(?:output|observation|stdout|result):\s*$/i.test(line.text)) continue;
    const rest = { ...segment, text: segment.text.slice(offset), firstLine: line.number + 1 };
    return { sampled: { ...sampled, segments: [rest, ...others] }, offset };
  }
  return { sampled, offset: 0 };
}
