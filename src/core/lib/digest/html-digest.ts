import { countLineFeeds } from "../text/text-index.js";
import { clip, countOf, formatCount, toPrintableLine } from "./printable.js";
import type { SampledText } from "./sampled-text.js";

/** Only this much of a page is read. */
const READ_CHARS = 28_672;
const TEXT_CHARS = 2_000;
const HEADING_CHARS = 200;
/** Elements whose content is not text to read. */
const HIDDEN = new Set(["script", "style", "noscript", "template", "svg"]);

interface Heading {
  readonly line: number;
  readonly level: number;
  text: string;
}

interface Page {
  readonly title: string;
  readonly headings: readonly Heading[];
  readonly text: string;
}

/** Title and headings of a page, and how its text begins. */
export function htmlDigest(sampled: SampledText, budgetChars: number): string {
  const from = sampled.pieces[0]?.from ?? 0;
  const html = sampled.text.slice(from, from + READ_CHARS);
  const page = readPage(html, sampled.pieces[0]?.line ?? 1);
  const part =
    html.length < sampled.text.length - from
      ? ` (sampled: the first ${formatCount(html.length)} chars)`
      : "";
  const lines = [
    `HTML, ${countOf(sampled.lines, "line")}, ${countOf(sampled.chars, "char")}${part}.`,
  ];
  let room = budgetChars - (lines[0]?.length ?? 0) - 1;
  const add = (line: string, least: number): boolean => {
    if (line.length + 1 + least > room) return false;
    room -= line.length + 1;
    lines.push(line);
    return true;
  };
  if (page.title !== "") add(`Title: ${clip(page.title, 200)}`, 0);
  // The outer headings first, in the order of the page.
  const kept = new Set<Heading>();
  let cost = 0;
  for (const heading of [...page.headings].sort((a, b) => a.level - b.level)) {
    const text = renderHeading(heading);
    if (cost + text.length + 1 > room * 0.6) break;
    cost += text.length + 1;
    kept.add(heading);
  }
  for (const heading of page.headings) if (kept.has(heading)) add(renderHeading(heading), 0);
  const hidden = page.headings.length - kept.size;
  if (hidden > 0) add(`… ${countOf(hidden, "more heading")}`, 0);
  const lead = "Text begins: ";
  if (page.text !== "" && room > 80) add(lead + clip(page.text, room - lead.length - 1), 0);
  return clip(lines.join("\n"), budgetChars);
}

function renderHeading({ line, level, text }: Heading): string {
  return `${line}: h${level} ${clip(plain(text), 100)}`;
}

function readPage(html: string, firstLine: number): Page {
  let title = "";
  let body = "";
  const headings: Heading[] = [];
  let open: Heading | undefined;
  let inTitle = false;
  const missing = new Set<string>();
  let line = firstLine;
  let counted = 0;
  const lineAt = (position: number): number => {
    line += countLineFeeds(html.slice(counted, position));
    counted = position;
    return line;
  };
  let at = 0;
  const addText = (text: string): void => {
    if (inTitle) title += text.slice(0, Math.max(0, HEADING_CHARS - title.length));
    else {
      if (open !== undefined)
        open.text += text.slice(0, Math.max(0, HEADING_CHARS - open.text.length));
      if (body.length < TEXT_CHARS) body += text.slice(0, TEXT_CHARS - body.length);
    }
  };
  const close = (): void => {
    if (open !== undefined && open.text.trim() !== "") headings.push(open);
    open = undefined;
  };
  while (at < html.length) {
    const start = html.indexOf("<", at);
    if (start === -1) break;
    if (start > at) addText(html.slice(at, Math.min(start, at + TEXT_CHARS)));
    if (html.startsWith("<!--", start)) {
      at = endOf(html, "-->", start + 4);
      continue;
    }
    const tag = /^<(\/?)([a-zA-Z][a-zA-Z0-9]{0,15})/.exec(html.slice(start, start + 20));
    if (tag === null) {
      at = start + 1;
      // A declaration is not text, but a lone "<" is.
      if (html.charCodeAt(at) === 33 || html.charCodeAt(at) === 63) at = endOf(html, ">", at);
      else addText("<");
      continue;
    }
    at = endOf(html, ">", start);
    const closing = tag[1] === "/";
    const name = (tag[2] ?? "").toLowerCase();
    if (!closing && HIDDEN.has(name)) at = endOfElement(html, name, at, missing);
    else if (name === "title") inTitle = !closing && title === "";
    else if (name.length === 2 && name >= "h1" && name <= "h6") {
      close();
      if (!closing) open = { level: Number(name[1]), line: lineAt(start), text: "" };
    } else addText(" ");
  }
  close();
  return { title: plain(title), headings, text: plain(body) };
}

function endOf(html: string, mark: string, from: number): number {
  const end = html.indexOf(mark, from);
  return end === -1 ? html.length : end + mark.length;
}

/**
 * The position after the closing tag, which may be in lower or upper case. `missing` remembers tags
 * that do not occur any more, so that a page full of opening tags is not searched again for each.
 */
function endOfElement(html: string, name: string, from: number, missing: Set<string>): number {
  for (const spelling of [`</${name}`, `</${name.toUpperCase()}`]) {
    if (missing.has(spelling)) continue;
    const end = html.indexOf(spelling, from);
    if (end !== -1) return endOf(html, ">", end);
    missing.add(spelling);
  }
  return html.length;
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
  ["copy", "©"],
  ["reg", "®"],
  ["trade", "™"],
  ["hellip", "…"],
  ["mdash", "—"],
  ["ndash", "–"],
  ["lsquo", "‘"],
  ["rsquo", "’"],
  ["ldquo", "“"],
  ["rdquo", "”"],
  ["laquo", "«"],
  ["raquo", "»"],
  ["middot", "·"],
  ["bull", "•"],
]);

/** Decodes entities and collapses white space. */
function plain(text: string): string {
  const decoded = text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, decode);
  return toPrintableLine(decoded.replace(/\s+/g, " ")).trim();
}

function decode(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return ENTITIES.get(name) ?? whole;
  const code = decimal === undefined ? parseInt(hex ?? "", 16) : Number(decimal);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}
