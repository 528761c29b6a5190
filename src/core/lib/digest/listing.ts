import type { Lines } from "./lines.js";
import { joinLines, outlineWith } from "./outline.js";
import { countOf, formatCount } from "../text/printable.js";
import { firstOf } from "./record-fields.js";

const LISTED =
  /^([-dlbcps])[-rwxsStTl]{9}[@+.]?\s(?:.{0,200}?\s\d{1,2}\s+(?:\d\d:\d\d|\d{4})\s(.{1,300})|.{0,300}\s(\S+))$/;
const BRANCH = /^([│├└ ─]{1,80}?)[├└]?─{1,3} ?(?=[^─ ])/;
const CHANGED = /^(.{1,300}?) +\| +(.{1,100}?)(?: [+-]{1,100})?$/;
const PATH_ALONE = /^(?:[A-Z]:)?[\w@.~/\\+()[\]$ -]{0,240}[\w/\])]$/;
const MATCH = /^(?!\d{4}-\d\d-)([^\s|"<>(:]{0,160}[A-Za-z][^|"<>:]{0,160}?)([:-])\d{1,7}\2/;
const SAME_FILE = /^\s{0,8}(\d{1,7})([:-])(?!\d\d[:-])/;
/** Of more files, the first line of each is not shown; of many, those with the most matches come first. */
const FEW_FILES = 12;
const MANY_FILES = 60;

/** The files of a listing, whole where they fit, otherwise by folder with their counts. */
export function filesDigest(lines: Lines, _: readonly number[], room: number): string | undefined {
  const paths: string[] = [];
  const others: string[] = [];
  for (let index = 0; index < lines.walked; index += 1) {
    const line = lines.line(index).trim();
    if (line === "" || /^total \d/.test(line)) continue;
    const path = pathOf(line);
    if (path === undefined) others.push(lines.quote(index, 120));
    else if (!/^\.\.?\/?$/.test(path)) paths.push(path);
  }
  if (paths.length < 2) return undefined;
  const more = others.length > 3 ? ` (and ${countOf(others.length - 3, "other line")})` : "";
  const heads = joinLines([...lines.notes, ...others.slice(0, 3)], Math.floor(room / 3));
  const head = joinLines([heads, `${countOf(paths.length, "path")}${lines.part}${more}:`], room);
  return joinLines([head, listPaths(paths, room - head.length - 1)], room);
}

function pathOf(line: string): string | undefined {
  const [listed, type, name = "", last = name] = LISTED.exec(line) ?? [];
  if (listed !== undefined) return type === "d" && !last.endsWith("/") ? `${last}/` : last;
  const [branch, stem = ""] = BRANCH.exec(line) ?? [];
  if (branch !== undefined) return (stem.length > 3 ? "  " : "") + line.slice(branch.length);
  const [, file, changed] = CHANGED.exec(line) ?? [];
  if (file !== undefined) return `${file} ${changed}`;
  return PATH_ALONE.test(line) ? line : undefined;
}

type Folders = Map<string, string[]>;

/** All of them; names by folder; how many there are in each folder, opened as far as there is room. */
function listPaths(paths: readonly string[], room: number): string {
  const whole = paths.join(", ");
  if (whole.length <= room) return whole;
  const byFolder = groupBy(paths, (path) => path.lastIndexOf("/", path.length - 2) + 1);
  const nameOf = (folder: string): string => (folder === "" ? "./" : folder);
  const named = [...byFolder].map(([folder, names]) => `${nameOf(folder)}: ${names.join(", ")}`);
  if (named.join("\n").length <= room) return named.join("\n");
  const tell = (folders: Folders): string =>
    [...folders]
      .map(([folder, { length }]) => `${nameOf(folder)} ${formatCount(length)}`)
      .join(", ");
  const isSplit = (path: string): number => path.slice(0, -1).indexOf("/") + 1;
  let folders = groupBy(paths, isSplit);
  if (tell(folders).length > room) return firstOf(paths, room);
  // The largest folders are opened first; one that is opened stands with what is in it.
  for (let isOpened = true; isOpened;) {
    isOpened = false;
    const bySize = [...folders].sort(([, one], [, other]) => other.length - one.length);
    for (const [opened, names] of bySize) {
      const inner = groupBy(names, isSplit);
      if (inner.size === 1 && inner.has("")) continue;
      const next = [...folders].flatMap(([folder, held]): [string, string[]][] =>
        folder === opened
          ? [...inner].map(([name, some]) => [folder + name, some])
          : [[folder, held]],
      );
      if (tell(new Map(next)).length > room) continue;
      folders = new Map(next);
      isOpened = true;
    }
  }
  return folders.size > 1 ? tell(folders) : firstOf(paths, room);
}

/** Paths by their beginning, of which this says how long it is. */
function groupBy(paths: readonly string[], lengthOf: (path: string) => number): Folders {
  const groups: Folders = new Map();
  for (const path of paths) {
    const length = lengthOf(path);
    const group = groups.get(path.slice(0, length));
    if (group) group.push(path.slice(length));
    else groups.set(path.slice(0, length), [path.slice(length)]);
  }
  return groups;
}

/** The files of a search with their matches, and the first matches. */
export function matchesDigest(
  lines: Lines,
  asked: readonly number[],
  room: number,
): string | undefined {
  const files = new Map<string, { path: string; count: number; number: number }>();
  const matches: number[] = [];
  let heading = "";
  for (let index = 0; index < lines.walked; index += 1) {
    const line = lines.line(index);
    const [, path = heading, sign] = MATCH.exec(line) ?? [];
    const mark = sign ?? SAME_FILE.exec(line)?.[2];
    if (mark === undefined && /[./]/.test(line) && PATH_ALONE.test(line)) heading = line;
    if (mark !== ":") continue;
    matches.push(index);
    const file = files.get(path);
    if (file) file.count += 1;
    else files.set(path, { path, count: 1, number: lines.number(index) });
  }
  if (matches.length === 0) return undefined;
  const isNamed = files.size > 1 || !files.has("");
  const entries = [...files.values()]
    .sort((one, other) => (files.size > MANY_FILES ? other.count - one.count : 0))
    .map(({ path, count, number }) => ({
      ...(files.size > FEW_FILES ? {} : { number }),
      text: `${path} ${formatCount(count)}`,
    }));
  const found = `${countOf(matches.length, "match", "matches")}${lines.part}`;
  const most = Math.max(room * 0.7, room - 400);
  const list = isNamed ? outlineWith(lines, [], entries, `files with ${found}`, most) : `${found}:`;
  let text = isNamed ? list : joinLines([...lines.notes, list], room);
  for (const index of [...asked, ...matches.slice(0, isNamed ? 4 : 12)]) {
    const quote = `\n${lines.quote(index, 140)}`;
    if (text.length + quote.length <= room && !text.includes(quote)) text += quote;
  }
  return text;
}
