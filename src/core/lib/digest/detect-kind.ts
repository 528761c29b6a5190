import type { ContentKind } from "./content-kind.js";
import { countCues, type Cues } from "./line-cues.js";
import { firstLines, lastLines, linesOf, type SampledText } from "./line-scanner.js";
import { toPrintable } from "./printable.js";

const CHECKED_FIRST = 90;
const CHECKED_LAST = 20;
const CHECKED_MIDDLE = 3;

const HTML_START =
  /^(?:\s|\ufeff|<!--[^>]{0,2000}>|<\?xml[^>]{0,200}\?>)*<(?:!doctype\s+html|html|head|body)\b/i;
const HTML_TAG =
  /<\/?(?:div|p|span|a|ul|ol|li|table|tr|td|th|h[1-6]|section|article|nav|img|br|form|input|script|style|meta|link|header|footer|main)\b/gi;

/** Whether a text is a page, or a part of one. */
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

/** The kind of a text that is neither JSON, a table with a header, a diff nor HTML. */
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
