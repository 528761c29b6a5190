import { nameOf, parseDeclaration } from "./declarations.js";
import { fitEntries, type OutlineEntry } from "./fit-entries.js";
import { quoteEnds } from "./head-tail.js";
import { linesOf, type SampledText } from "./line-scanner.js";
import { clip, countOf } from "./printable.js";

const MOST_ENTRIES = 5_000;

/** Declarations of a source file with their lines. */
export function codeDigest(sampled: SampledText, budgetChars: number): string {
  return outlineDigest("Code", "Outline", declarationsOf(sampled), sampled, budgetChars);
}

/** Headings of a Markdown document with their lines. */
export function markdownDigest(sampled: SampledText, budgetChars: number): string {
  return outlineDigest("Markdown", "Headings", headingsOf(sampled), sampled, budgetChars);
}

function outlineDigest(
  name: string,
  what: string,
  entries: readonly OutlineEntry[],
  sampled: SampledText,
  budgetChars: number,
): string {
  const lines = countOf(sampled.lines, "line");
  const mark = sampled.whole ? "" : " (sampled)";
  const title = `${name}, ${lines}. ${what}${mark}:`;
  const outline = fitEntries(entries, budgetChars - title.length - 1);
  if (outline.length === 0) {
    const plain = `${name}, ${lines}.`;
    return withEnds([plain], sampled, budgetChars);
  }
  const all = outline.length === entries.length;
  return all ? withEnds([title, ...outline], sampled, budgetChars) : [title, ...outline].join("\n");
}

/** Adds the first and last lines of the text if the outline leaves room for them. */
export function withEnds(
  parts: readonly string[],
  sampled: SampledText,
  budgetChars: number,
): string {
  const used = parts.join("\n");
  const room = budgetChars - used.length - 1;
  const titleOnly = parts.length === 1;
  if (!titleOnly && room < budgetChars / 3) return clip(used, budgetChars);
  const between = titleOnly ? [] : ["First and last lines:"];
  const budget = room - (titleOnly ? 0 : 22);
  const ends = quoteEnds(sampled, { budgetChars: budget, headShare: 0.7 });
  if (ends.head.length === 0) return clip(used, budgetChars);
  const body = [...ends.head, ...(ends.gap === "" ? [] : [ends.gap]), ...ends.tail];
  return clip([used, ...between, ...body].join("\n"), budgetChars);
}

export function declarationsOf(sampled: SampledText): OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  for (const segment of sampled.segments) {
    for (const line of linesOf(segment)) {
      if (entries.length >= MOST_ENTRIES) return entries;
      const found = line.cutStart ? undefined : parseDeclaration(line.text);
      if (found !== undefined)
        entries.push({ line: line.number, ...found, short: nameOf(found.text) });
    }
  }
  return entries;
}

/** Headings outside code fences, with `#` marks or underlined. */
export function headingsOf(sampled: SampledText): OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  for (const segment of sampled.segments) {
    // A window may begin inside a fence; then the closing fence is taken for an opening one, which
    // only hides headings and never invents them.
    let fence = "";
    let above = "";
    for (const line of linesOf(segment)) {
      if (entries.length >= MOST_ENTRIES) return entries;
      const text = line.text.length > 300 ? line.text.slice(0, 300) : line.text;
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1];
      if (mark !== undefined) {
        if (fence === "") fence = mark;
        else if (mark.startsWith(fence)) fence = "";
        above = "";
        continue;
      }
      if (fence !== "") continue;
      const atx = /^ {0,3}(#{1,6})[ \t]+\S/.exec(text)?.[1];
      if (atx !== undefined) {
        entries.push({ line: line.number, text: text.trim(), level: atx.length });
      } else if (/^(?:={3,}|-{3,})[ \t]*$/.test(text) && /^[^\s|>*+-]/.test(above)) {
        const level = text.startsWith("=") ? 1 : 2;
        entries.push({ line: line.number - 1, text: above.trim(), level });
      }
      above = atx === undefined ? text : "";
    }
  }
  return entries;
}
