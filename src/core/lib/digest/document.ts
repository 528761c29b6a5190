import { joinLines, outline, type Entry } from "./compose.js";
import { renderQuote, type Lines } from "./lines.js";
import { clip, formatCount, toPrintableLine } from "./printable.js";

const MAX_WALKED = 40_000;
/** Only this much of a page is read. */
const PAGE_CHARS = 131_072;
const HEADING_CHARS = 100;

/** All headings of a document; `undefined` if it has none. */
export function markdownDigest(
  lines: Lines,
  asked: ReadonlySet<number>,
  room: number,
): string | undefined {
  const headings: Entry[] = [];
  let fence = "";
  const most = Math.min(lines.size, MAX_WALKED);
  for (let index = 0; index < most; index += 1) {
    const line = lines.line(index);
    const code = line.charCodeAt(0);
    // # ` ~ = - or a blank
    if (code !== 35 && code !== 96 && code !== 126 && code !== 61 && code !== 45 && code !== 32)
      continue;
    const [mark] = /^ {0,3}(?:`{3,}|~{3,})/.exec(line) ?? [];
    if (mark !== undefined && (fence === "" || mark.trim().startsWith(fence))) {
      fence = fence === "" ? mark.trim() : "";
    }
    if (fence !== "") continue;
    const isRule = index > 0 && /^(?:={3,}|-{3,})$/.test(line);
    const title = isRule ? lines.line(index - 1) : "";
    if (/^[^\s#|>`*-]/.test(title)) {
      const level = code === 61 ? 1 : 2;
      headings.push({ number: lines.number(index - 1), text: title, level });
    }
    const level = /^#{1,6}(?= \S)/.exec(line)?.[0].length ?? 0;
    if (level === 0) continue;
    const name = line.slice(level + 1).replace(/\]\([^)]{0,400}\)/g, "]");
    headings.push({
      number: lines.number(index),
      text: line,
      name,
      level,
      isAsked: asked.has(index),
    });
  }
  if (headings.length === 0) return undefined;
  const shown = [...asked].map((index) => renderQuote(lines.quote(index, 160)));
  const first = headings[0]?.number === lines.number(0) ? [] : [renderQuote(lines.quote(0, 160))];
  const head = joinLines([...lines.notes, ...first, ...shown], Math.floor(room / 3));
  const text = outline(
    headings,
    headings.length === 1 ? "heading" : "headings",
    room - head.length - 1,
  );
  return head === "" ? text : `${head}\n${text}`;
}

/** A snapshot of a page as a browser tool prints it: what divides it, how much can be used. */
export function snapshotDigest(
  lines: Lines,
  asked: ReadonlySet<number>,
  room: number,
): string | undefined {
  const entries: Entry[] = [];
  const counts = new Map<string, number>();
  const head: string[] = [];
  for (let index = 0; index < Math.min(lines.size, MAX_WALKED); index += 1) {
    const line = lines.line(index).trim();
    const role = /^(?:- '?|\[\d+\] ?|uid=\w+ )([a-z]{3,16})\b/.exec(line)?.[1];
    if (/^-? ?Page (?:URL|Title)|^(?:URL|Title):/i.test(line))
      head.push(`${lines.number(index)}: ${clip(line, 160)}`);
    if (role === undefined) continue;
    counts.set(role, (counts.get(role) ?? 0) + 1);
    if (
      !/^(?:heading|navigation|main|banner|dialog|alert|form|search|region|tab|table|contentinfo|article)$/.test(
        role,
      )
    )
      continue;
    const level = role === "heading" ? 2 : 1;
    entries.push({
      number: lines.number(index),
      text: line.replace(/^- /, ""),
      level,
      isAsked: asked.has(index),
    });
  }
  const used = ["link", "button", "textbox", "checkbox", "combobox", "img", "row", "listitem"]
    .filter((role) => counts.has(role))
    .map((role) => `${formatCount(counts.get(role) ?? 0)} ${role}`);
  if (used.length === 0 && entries.length === 0) return undefined;
  const shown = [...asked].map((index) => renderQuote(lines.quote(index, 160)));
  const text = joinLines(
    [
      ...head.slice(0, 3),
      ...shown.slice(0, 4),
      used.length > 0 ? `In it: ${used.join(", ")}.` : "",
    ],
    Math.floor(room / 2),
  );
  return entries.length === 0
    ? text
    : `${text}\n${outline(entries, "headings and landmarks", room - text.length - 1)}`;
}

const HEADING =
  /<(title|h[1-6])(?:\s[^>]{0,300})?>|<(main|nav|header|footer|article|section|form|table|aside)(?=[\s>])(?:[^>]{0,200}?\b(?:id|class|aria-label)="([^"]{1,60}))?/gi;
const HIDDEN = /<(script|style|noscript|template|svg)\b|<!--/gi;

/** Title, headings and parts of a page; `undefined` if it has none. */
export function htmlDigest(lines: Lines, room: number): string | undefined {
  const html = lines.text.slice(lines.start(0), lines.start(0) + PAGE_CHARS);
  const offset = lines.start(0);
  const hidden = hiddenRanges(html);
  const entries: Entry[] = [];
  HEADING.lastIndex = 0;
  for (
    let match = HEADING.exec(html);
    match && entries.length < 2_000;
    match = HEADING.exec(html)
  ) {
    const at = match.index;
    if (hidden.some(([from, to]) => at > from && at < to)) continue;
    const [, heading, part, label] = match;
    const number = lines.number(lines.at(offset + at));
    if (heading !== undefined) {
      const rest = html.slice(HEADING.lastIndex, HEADING.lastIndex + 600);
      const text = readText(rest.split(/<\/(?:title|h[1-6])/i, 1)[0] ?? "");
      if (text === "") continue;
      const name = clip(text, HEADING_CHARS);
      const level = heading.length === 2 ? Number(heading[1]) : 1;
      entries.push({ number, text: `${heading.toLowerCase()} ${name}`, name, level });
    } else if (part !== undefined && label !== undefined) {
      entries.push({ number, text: `<${part.toLowerCase()} ${toPrintableLine(label)}>`, level: 4 });
    }
  }
  const count = (tag: string): number => html.split(tag).length - 1;
  const counts = (
    [
      ["<a ", "links"],
      ["<img", "images"],
      ["<input", "inputs"],
      ["<button", "buttons"],
      ["<tr", "rows of tables"],
    ] as const
  )
    .map(([tag, what]) => [count(tag), what] as const)
    .filter(([found]) => found > 0)
    .map(([found, what]) => `${formatCount(found)} ${what}`);
  const part =
    html.length < lines.text.length - offset
      ? ` in its first ${formatCount(html.length)} chars`
      : "";
  const summary = counts.length === 0 ? "" : `In it${part}: ${counts.join(", ")}.`;
  const lead = entries.length > 2 ? "" : readText(html.slice(0, 8_000)).slice(0, 300);
  const head = joinLines(
    [...lines.notes, summary, lead === "" ? "" : `Text begins: ${lead}`],
    room,
  );
  if (entries.length === 0) return lead === "" ? undefined : head;
  return joinLines(
    [head, outline(entries, "titles, headings and named parts", room - head.length - 1)],
    room,
  );
}

function hiddenRanges(html: string): [number, number][] {
  const ranges: [number, number][] = [];
  HIDDEN.lastIndex = 0;
  for (let match = HIDDEN.exec(html); match && ranges.length < 200; match = HIDDEN.exec(html)) {
    const end = html.indexOf(match[1] === undefined ? "-->" : `</${match[1]}`, match.index);
    ranges.push([match.index, end === -1 ? html.length : end]);
    if (end === -1) break;
    HIDDEN.lastIndex = end;
  }
  return ranges;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  nbsp: " ",
  apos: "'",
};

/** The text between tags, entities decoded and white space collapsed. */
function readText(html: string): string {
  const text = html
    .replace(/<(script|style|svg|noscript)\b[^]*?(?:<\/\1|$)/gi, "<")
    .replace(/<!--[^]*?(?:-->|$)|<[^>]*(?:>|$)/g, " ")
    .replace(/&(?:#(\d{1,7})|(amp|lt|gt|quot|nbsp|apos));/g, (_, code?: string, name?: string) =>
      name === undefined ? decode(Number(code)) : (ENTITIES[name] ?? ""),
    );
  return toPrintableLine(text.replace(/\s+/g, " ")).trim();
}

function decode(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}
