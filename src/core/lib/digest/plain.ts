import { joinLines, outline, type Entry } from "./compose.js";
import { renderQuote, type Lines } from "./lines.js";

const MAX_LINE = 200;
const FIRST = 4;
const LAST = 2;
/** Looked at for what divides a text; the rest of a longer one has too many. */
const MAX_WALKED = 4_000;
/** What divides a text that has no marks for it. */
const TITLE =
  /^(?:(?:[=*#~-]{2,} ?)\S.{0,100}|[A-Z][\w ,/()'-]{2,60}:|(?:\d{1,2}\.){1,5}\d{0,2} [A-Z].{2,80}|[A-Z][A-Z \d&/-]{5,60})$/;

/** How a text begins and ends, and what divides it. */
export function plainDigest(lines: Lines, asked: ReadonlySet<number>, room: number): string {
  const shown = new Set<number>(asked);
  let first = 0;
  for (let index = 0; index < lines.size && first < FIRST && index < 40; index += 1) {
    if (lines.line(index).trim() === "") continue;
    shown.add(index);
    first += 1;
  }
  for (let index = Math.max(0, lines.size - LAST); index < lines.size; index += 1) shown.add(index);
  const share = lines.size < 8 ? Math.max(MAX_LINE, Math.floor(room / 6)) : MAX_LINE;
  const most = Math.min(share, room - 12);
  const quotes = [...shown]
    .sort((one, other) => one - other)
    .map((index) => lines.quote(index, most))
    .filter(({ text }) => text.trim() !== "")
    .map(renderQuote);
  const begun = joinLines([...lines.notes, ...quotes], room);
  const titles = findTitles(lines, shown);
  const left = room - begun.length - 1;
  if (titles.length < 2 || left < 120) return begun;
  return `${begun}\n${outline(titles, "dividing lines", left)}`;
}

/** All lines, where they fit. */
export function quoteAll(lines: Lines, room: number): string | undefined {
  const least = lines.start(lines.size) - lines.start(0);
  if (!lines.whole || least > room) return undefined;
  const quotes: string[] = [...lines.notes];
  for (let index = 0; index < lines.size; index += 1) {
    const quote = lines.quote(index, room);
    if (quote.text.trim() !== "") quotes.push(renderQuote(quote));
  }
  const text = quotes.join("\n");
  return text.length <= room ? text : undefined;
}

function findTitles(lines: Lines, shown: ReadonlySet<number>): Entry[] {
  const titles: Entry[] = [];
  if (lines.size > MAX_WALKED) return titles;
  for (let index = 0; index < lines.size; index += 1) {
    if (lines.start(index + 1) - lines.start(index) > 140) continue;
    const line = lines.line(index);
    if (shown.has(index) || line.length < 4 || !TITLE.test(line)) continue;
    titles.push({ number: lines.number(index), text: line });
  }
  return titles.length > lines.size / 4 ? [] : titles;
}
