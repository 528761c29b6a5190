import { joinLines } from "./compose.js";
import { renderQuote, type Lines } from "./lines.js";
import { clip, countOf, formatCount } from "./printable.js";

const MAX_WALKED = 40_000;
const LISTED =
  /^([-dlbcps])[-rwxsStTl]{9}[@+.]?\s+\d+\s+\S+\s+\S+\s+\S+\s+\S+\s+\d{1,2}\s+[\d:]+\s+(.{1,300})$/;
const LISTED_SHORT = /^([-dlbcps])[-rwxsStTl]{9}[@+.]?\s.{0,300}?\s(\S+)$/;
const MATCH = /^(?!\d{4}-\d\d-)([^\s|"<>(:]{0,160}[A-Za-z][^|"<>:]{0,160}?)([:-])\d{1,7}\2/;
const SAME_FILE = /^(\d{1,7})([:-])(?!\d\d[:-])/;
const PATH_ALONE = /^(?:[A-Z]:)?[\w@.~/\\+()[\]$ -]{0,240}[\w/\])]$/;

/** The files of a listing, whole where they fit, otherwise by folder with their counts. */
export function filesDigest(lines: Lines, room: number): string | undefined {
  const paths: string[] = [];
  const others: string[] = [];
  const size = Math.min(lines.size, MAX_WALKED);
  for (let index = 0; index < size; index += 1) {
    const line = lines.line(index);
    const path = pathOf(line);
    if (path !== undefined && path !== "") paths.push(path);
    else if (path === undefined && line.trim() !== "")
      others.push(renderQuote(lines.quote(index, 120)));
  }
  if (paths.length < 2) return undefined;
  const part = lines.whole && size === lines.size ? "" : " in the parts that were read";
  const heads = joinLines([...lines.notes, ...others.slice(0, 3)], Math.floor(room / 3));
  const more = others.length > 3 ? ` (and ${countOf(others.length - 3, "other line")})` : "";
  const head = joinLines([heads, `${countOf(paths.length, "path")}${part}${more}:`], room);
  return joinLines([head, shownPaths(paths, room - head.length - 1)], room);
}

function pathOf(line: string): string | undefined {
  const text = line.trimEnd();
  if (text === "" || /^total \d/.test(text)) return "";
  const listed = LISTED.exec(text) ?? LISTED_SHORT.exec(text);
  if (listed) {
    const [, type, name = ""] = listed;
    if (name === "." || name === "..") return "";
    return type === "d" && !name.endsWith("/") ? `${name}/` : name;
  }
  const tree = /[├└]──? ?(.{1,300})$/.exec(text);
  if (tree)
    return text.slice(0, text.length - (tree[1] ?? "").length).replace(/[^│├└ ]/g, "").length > 4
      ? `  ${tree[1]}`
      : tree[1];
  const bar = text.indexOf(" | ");
  if (bar > 0)
    return `${text.slice(0, bar).trim()} ${text
      .slice(bar + 3)
      .trim()
      .replace(/ [+-]+$/, "")}`;
  return PATH_ALONE.test(text.trim()) ? text.trim() : undefined;
}

/** All of them; names by folder; how many there are in each folder, at a depth that fits. */
function shownPaths(paths: readonly string[], room: number): string {
  const whole = paths.join(", ");
  if (whole.length <= room) return whole;
  const byFolder = group(paths, Infinity);
  const named = [...byFolder]
    .map(([folder, names]) => `${folder === "" ? "./" : folder}: ${names.join(", ")}`)
    .join("\n");
  if (named.length <= room) return named;
  const folders = openFolders(paths, room);
  if (folders.size > 1) return fillNames(folders, room);
  let shown = 0;
  let text = "";
  for (const path of paths) {
    if (text.length + path.length + 40 > room) break;
    text += `${text === "" ? "" : ", "}${path}`;
    shown += 1;
  }
  return `${text} (${formatCount(shown)} of ${formatCount(paths.length)} shown)`;
}

function countFolder(folder: string, count: number): string {
  return `${folder === "" ? "./" : folder} ${formatCount(count)}`;
}

/** The folders that hold everything; the largest is opened, as long as there is room for what is in it. */
function openFolders(paths: readonly string[], room: number): Map<string, string[]> {
  let folders = group(paths, 1);
  const closed = new Set<string>();
  const lengthOf = (some: ReadonlyMap<string, readonly string[]>): number => {
    let length = 0;
    for (const [folder, names] of some) length += countFolder(folder, names.length).length + 2;
    return length;
  };
  let left = room - lengthOf(folders);
  if (left < 0) return new Map();
  for (;;) {
    let largest: string | undefined;
    for (const [folder, { length }] of folders) {
      if (closed.has(folder) || length < 2) continue;
      if (largest === undefined || length > (folders.get(largest)?.length ?? 0)) largest = folder;
    }
    if (largest === undefined) return folders;
    const names = folders.get(largest) ?? [];
    const inner = group(names, 1);
    const prefix = largest;
    const opened = new Map([...inner].map(([folder, held]) => [prefix + folder, held]));
    const more = lengthOf(opened) - countFolder(largest, names.length).length - 2;
    if (opened.size < 2 && opened.has(largest)) closed.add(largest);
    else if (more > left) closed.add(largest);
    else {
      left -= more;
      const entries = [...folders].flatMap(([folder, held]) =>
        folder === prefix ? [...opened] : [[folder, held] as [string, string[]]],
      );
      folders = new Map(entries);
      // What lies in it directly is not opened again.
      if (opened.has(prefix)) closed.add(prefix);
    }
  }
}

/** Every folder with its count; the names of small ones where there is room. */
function fillNames(folders: ReadonlyMap<string, readonly string[]>, room: number): string {
  let left = room;
  for (const [folder, names] of folders) left -= countFolder(folder, names.length).length + 2;
  const rows: string[] = [];
  for (const [folder, names] of folders) {
    const list = names.join(", ");
    const isShown = names.length <= 6 && list.length + 3 <= Math.min(left, 120);
    if (isShown) left -= list.length + 3;
    rows.push(countFolder(folder, names.length) + (isShown ? ` (${list})` : ""));
  }
  return rows.join(", ");
}

function group(paths: readonly string[], depth: number): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const path of paths) {
    let end = path.lastIndexOf("/", path.length - 2) + 1;
    if (depth !== Infinity) {
      let at = -1;
      for (let level = 0; level < depth; level += 1) {
        const slash = path.indexOf("/", at + 1);
        if (slash === -1 || slash >= end) break;
        at = slash;
      }
      end = at + 1;
    }
    const folder = path.slice(0, end);
    const names = folders.get(folder);
    if (names) names.push(path.slice(end));
    else folders.set(folder, [path.slice(end)]);
  }
  return folders;
}

/** The files of a search with their matches, and the first matches. */
export function matchesDigest(
  lines: Lines,
  asked: ReadonlySet<number>,
  room: number,
): string | undefined {
  const files = new Map<string, { count: number; number: number }>();
  const matches: number[] = [];
  let heading = "";
  const size = Math.min(lines.size, MAX_WALKED);
  for (let index = 0; index < size; index += 1) {
    const line = lines.line(index);
    const found = MATCH.exec(line);
    const same = found ? null : SAME_FILE.exec(line.trimStart());
    if (!found && !same) {
      if (line !== "" && line !== "--" && PATH_ALONE.test(line) && /[./]/.test(line))
        heading = line;
      continue;
    }
    const isMatch = (found?.[2] ?? same?.[2]) === ":";
    if (!isMatch) continue;
    matches.push(index);
    const path = found?.[1] ?? heading;
    const file = files.get(path);
    if (file) file.count += 1;
    else files.set(path, { count: 1, number: lines.number(index) });
  }
  if (matches.length === 0) return undefined;
  const part = lines.whole && size === lines.size ? "" : " in the parts that were read";
  const named = files.size > 1 || !files.has("");
  const inFiles = named ? ` in ${countOf(files.size, "file")}` : "";
  const head = `${countOf(matches.length, "match", "matches")}${inFiles}${part}${named ? " (first line: file, matches):" : ":"}`;
  const list = named ? listFiles(files, Math.max(room * 0.7, room - 400) - head.length) : "";
  const text = joinLines([...lines.notes, head, list], room);
  let left = room - text.length - 1;
  const quotes: string[] = [];
  for (const index of [...asked, ...matches.slice(0, named ? 4 : 12)]) {
    const quote = renderQuote(lines.quote(index, 140));
    if (quote.length + 1 > left || quotes.includes(quote)) break;
    left -= quote.length + 1;
    quotes.push(quote);
  }
  return joinLines([text, ...quotes], room);
}

function listFiles(
  files: ReadonlyMap<string, { count: number; number: number }>,
  room: number,
): string {
  const entries = [...files];
  const full = entries
    .map(([path, { count, number }]) => `${number}: ${path} ${formatCount(count)}`)
    .join("\n");
  if (full.length <= room) return full;
  const short = entries.map(([path, { count }]) => `${path} ${formatCount(count)}`).join(", ");
  if (short.length <= room) return short;
  const byFolder = new Map<string, { files: number; count: number }>();
  for (const [path, { count }] of entries) {
    const folder = path.slice(0, path.lastIndexOf("/") + 1) || "./";
    const held = byFolder.get(folder) ?? { files: 0, count: 0 };
    byFolder.set(folder, { files: held.files + 1, count: held.count + count });
  }
  const folders = [...byFolder]
    .map(([folder, held]) => `${folder} ${countOf(held.files, "file")} ${formatCount(held.count)}`)
    .join(", ");
  if (folders.length <= room) return folders;
  let text = "";
  let shown = 0;
  for (const [path, { count }] of [...entries].sort(
    (one, other) => other[1].count - one[1].count,
  )) {
    const next = `${text === "" ? "" : ", "}${path} ${formatCount(count)}`;
    if (text.length + next.length + 40 > room) break;
    text += next;
    shown += 1;
  }
  return clip(
    `${text} (${formatCount(shown)} of ${formatCount(files.size)} files, those with the most matches)`,
    room,
  );
}
