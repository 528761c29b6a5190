import type { Lines } from "./lines.js";
import { outlineWith, type Entry } from "./outline.js";
import { clip, formatCount, toPrintableLine } from "../text/printable.js";

/** Only this much of a page is read. */
const PAGE_CHARS = 131_072;

/** A heading, what is below one, and what begins or ends a block of code. */
const MARKS = /^(?:#{1,6} \S|={3,}[ \t]*$|-{3,}[ \t]*$| {0,3}(?:`{3}|~{3}))/gm;

const LINK = /^\d{1,3}\. {1,3}\[/gm;

/** All headings of a document; `undefined` if it has none. */
export function markdownDigest(
  lines: Lines,
  asked: readonly number[],
  room: number,
): string | undefined {
  const headings: Entry[] = [];
  let fence = "";
  for (const index of lines.find(MARKS)) {
    const line = lines.line(index);
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark?.startsWith(fence) === true) fence = fence === "" ? mark : "";
    if (fence !== "" || mark !== undefined) continue;
    const level = line.startsWith("#") ? line.indexOf(" ") : line.startsWith("=") ? 1 : 2;
    if (line.startsWith("#")) {
      const name = line.slice(level + 1).replace(/\]\([^)]{0,400}\)/g, "]");
      headings.push({ number: lines.number(index), text: line, name, level });
      continue;
    }
    const title = index > 0 ? lines.line(index - 1) : "";
    if (/^[^\s#|>`*-]/.test(title)) {
      headings.push({ number: lines.number(index - 1), text: title, level });
    }
  }
  const [first] = headings;
  if (first === undefined) return undefined;
  const quoted = new Set([...(first.number === lines.number(0) ? [] : [0]), ...asked]);
  const quotes = [...quoted].map((index) => lines.quote(index, 160));
  // The results of a search stand under one heading again and again, each a link with a number.
  const links = lines.find(LINK);
  if (new Set(headings.map(({ text }) => text)).size * 4 < links.length) {
    const titles = links.map((index): Entry => {
      const text = lines.line(index).replace(/\[([^\]]{0,200})\]\([^)]{0,400}\)/g, "$1");
      return { number: lines.number(index), text, name: text.replace(/^\d{1,3}\. {1,3}/, "") };
    });
    return outlineWith(lines, quotes, titles, `links${lines.part}`, room);
  }
  return outlineWith(lines, quotes, headings, `headings${lines.part}`, room);
}

/** What a page snapshot has on a line: its address, or a node of the page and what that is. */
const NODE =
  /^\s{0,40}(?:- '?|\[\d+\] ?|uid=\w+ )([a-z]{3,16})\b|^(?:- )?(?:Page )?(?:URL|Title):/gm;
const LANDMARK =
  /^(?:heading|navigation|main|banner|dialog|alert|form|search|region|tab|table|contentinfo|article)$/;
const USED = /^(?:link|button|textbox|checkbox|combobox|img|row|listitem)$/;

/** A snapshot of a page as a browser tool prints it: what divides it, how much can be used. */
export function snapshotDigest(
  lines: Lines,
  asked: readonly number[],
  room: number,
): string | undefined {
  const counts = new Map<string, number>();
  const quoted: number[] = [];
  const entries = lines.find(NODE).flatMap((index): Entry[] => {
    const text = lines.line(index).trim();
    NODE.lastIndex = 0;
    const [, role] = NODE.exec(text) ?? [];
    if (role === undefined) quoted.push(index);
    else if (USED.test(role)) counts.set(role, (counts.get(role) ?? 0) + 1);
    if (role === undefined || !LANDMARK.test(role)) return [];
    const level = role === "heading" ? 2 : 1;
    return [{ number: lines.number(index), text: text.replace(/^- /, ""), level }];
  });
  if (counts.size === 0 && entries.length === 0) return undefined;
  const quotes = [...quoted.slice(0, 3), ...asked].map((index) => lines.quote(index, 160));
  const used = [...counts].map(([role, count]) => `${formatCount(count)} ${role}`);
  const sum = used.length > 0 ? `In it: ${used.join(", ")}.` : "";
  return outlineWith(lines, [...quotes, sum], entries, `headings and landmarks${lines.part}`, room);
}

const HIDDEN = /<(script|style|noscript|template|svg)\b[^]*?(?:<\/\1>|$)|<!--[^]*?(?:-->|$)/gi;
const HEADING = /<(title|h[1-6])(?:\s[^>]{0,300})?>([^]{0,300}?)<\/\1>/gi;
const PAGE = /<(?:!doctype html|html|body)\b/i;
const ENTITIES = new Map(Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " " }));

/** Title and headings of a page; `undefined` if it has neither these nor a text. */
export function htmlDigest(lines: Lines, _: readonly number[], room: number): string | undefined {
  const offset = lines.start(0);
  const page = lines.text.slice(offset, offset + PAGE_CHARS);
  // What is hidden has no headings; the others stay where they are.
  const html = page.replace(HIDDEN, (hidden) => " ".repeat(hidden.length));
  const entries = Array.from(
    html.matchAll(HEADING),
    ({ 1: tag = "", 2: inner = "", index }): Entry => {
      const number = lines.number(lines.at(offset + index));
      const name = clip(readText(inner), 100);
      return {
        number,
        text: `${tag.toLowerCase()} ${name}`,
        name,
        level: Number(tag.slice(1)) || 1,
      };
    },
  );
  const text = entries.length > 2 ? "" : readText(html.slice(0, 8_000)).slice(0, 300);
  // Of other markup, the lines as they are tell more.
  if (entries.length === 0 && (text === "" || !PAGE.test(html.slice(0, 8_000)))) return undefined;
  const isPart = page.length < lines.text.length - offset;
  const part = isPart ? ` in its first ${formatCount(page.length)} chars` : "";
  const quotes = text === "" ? [] : [`Text begins: ${text}`];
  return outlineWith(lines, quotes, entries, `titles and headings${part}`, room);
}

/** The text between tags, entities decoded and white space collapsed. */
function readText(html: string): string {
  const text = html
    .replace(/<[^>]*(?:>|$)/g, " ")
    .replace(/&(?:#(\d{1,6})|(\w{2,5}));/g, (entity, code?: string, name = "") =>
      code ? String.fromCodePoint(Number(code)) : (ENTITIES.get(name as string) ?? entity),
    );
  return toPrintableLine(text.replace(/\s+/g, " ")).trim();
}
