import { fitEntries, type OutlineEntry } from "./fit-entries.js";
import { LineCounter } from "./line-counter.js";
import type { SampledText } from "./line-scanner.js";
import { clip, countOf, formatCount, toPrintableLine } from "./printable.js";

/** Only this much is searched for headings. */
const SCANNED_CHARS = 131_072;
/** The same for a page that is only sampled. */
const SCANNED_CHARS_OF_LARGE = 49_152;
const TEXT_CHARS = 4_000;
const HEADING_CHARS = 400;
/** Elements whose content is not text to read. */
const HIDDEN = new Set(["script", "style", "noscript", "template", "svg"]);

interface Page {
  readonly title: string;
  readonly headings: readonly OutlineEntry[];
  readonly text: string;
}

/** Title and headings of a page, and how its text begins where there is room. */
export function htmlDigest(head: string, sampled: SampledText, budgetChars: number): string {
  const scanned = head.slice(0, sampled.whole ? SCANNED_CHARS : SCANNED_CHARS_OF_LARGE);
  const page = readPage(scanned);
  const part =
    scanned.length < sampled.chars
      ? ` (sampled: the first ${formatCount(scanned.length)} chars)`
      : "";
  const lines = [`HTML, ${countOf(sampled.lines, "line")}, ${countOf(sampled.chars, "char")}.`];
  const room = (): number => budgetChars - lines.join("\n").length - 1;
  if (page.title !== "") lines.push(`Title: ${clip(page.title, Math.min(200, room() - 8))}`);
  const title = `Headings${part}:`;
  const headings = fitEntries(page.headings, room() - title.length - 1);
  if (headings.length > 0) lines.push(title, ...headings);
  const lead = "Text begins: ";
  const width = Math.min(600, room() - lead.length);
  if (page.text !== "" && width > 60) lines.push(lead + clip(page.text, width));
  return clip(lines.join("\n"), budgetChars);
}

function readPage(html: string): Page {
  let title = "";
  let body = "";
  const headings: OutlineEntry[] = [];
  let open: { readonly level: number; readonly line: number; text: string } | undefined;
  let inTitle = false;
  const missing = new Set<string>();
  const lines = new LineCounter(html);
  let at = 0;
  const addText = (text: string): void => {
    if (inTitle) title += text.slice(0, HEADING_CHARS - title.length);
    else {
      if (open !== undefined) open.text += text.slice(0, HEADING_CHARS - open.text.length);
      if (body.length < TEXT_CHARS) body += text.slice(0, TEXT_CHARS - body.length);
    }
  };
  while (at < html.length) {
    const start = html.indexOf("<", at);
    if (start === -1) break;
    if (start > at && (inTitle || open !== undefined || body.length < TEXT_CHARS)) {
      addText(html.slice(at, Math.min(start, at + TEXT_CHARS)));
    }
    if (html.startsWith("<!--", start)) {
      at = endOf(html, "-->", start + 4);
      continue;
    }
    if (isOtherTag(html, start)) {
      at = endOf(html, ">", start);
      addText(" ");
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
    else if (/^h[1-6]$/.test(name)) {
      if (open !== undefined) pushHeading(headings, open);
      open = closing ? undefined : { level: Number(name[1]), line: lines.lineAt(start), text: "" };
    } else addText(" ");
  }
  if (open !== undefined) pushHeading(headings, open);
  return { title: plain(title), headings, text: plain(body) };
}

function pushHeading(
  headings: OutlineEntry[],
  open: { readonly level: number; readonly line: number; readonly text: string },
): void {
  const { line, level, text: raw } = open;
  if (raw.trim() === "") return;
  // Most headings of a long page are never shown, so each is cleaned on demand.
  headings.push({
    line,
    level,
    get text() {
      return `h${level} ${plain(raw)}`;
    },
  });
}

/** The first letter rules out most tags quickly. */
function isOtherTag(html: string, start: number): boolean {
  const closing = html.charCodeAt(start + 1) === 47 ? 1 : 0;
  const letter = html.charCodeAt(start + 1 + closing) | 32;
  // h1 to h6 and hidden elements begin with h, n, s or t.
  return (
    letter >= 97 &&
    letter <= 122 &&
    !(letter === 104 || letter === 110 || letter === 115 || letter === 116)
  );
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
