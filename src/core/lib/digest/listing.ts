import type { Entry, Page } from "./outline.js";
import { takeEnd } from "../text/code-units.js";
import { countOf, formatCount } from "../text/printable.js";
import { firstOf } from "./record-fields.js";

const LISTED =
  /^([-dlbcps])[-rwxsStTl]{9}[@+.]?\s(?:.{0,200}?\s\d{1,2}\s+(?:\d\d:\d\d|\d{4})\s(.{1,300})|.{0,300}\s(\S+))$/;
const BRANCH = /^([│├└ ─]{1,80}?)[├└]?─{1,3} ?(?=[^─ ])/;
const CHANGED = /^(.{1,300}?) +\| +(.{1,100}?)(?: [+-]{1,100})?$/;
const PATH_ALONE = /^(?:[A-Z]:)?[\w@.~/\\+()[\]$ -]{0,240}[\w/\])]$/;
const MATCH = /^(?!\d{4}-\d\d-)([^\s|"<>(:]{0,160}[A-Za-z][^|"<>:]{0,160}?)([:-])\d{1,7}\2/;
const SAME_FILE = /^()\s{0,8}\d{1,7}([:-])(?!\d\d[:-])/;
/** Of more files, the first line of each is not shown; of many, those with the most matches come first. */
const FEW_FILES = 12;
/** What is longer stands once, before all files. */
const MIN_FOLDER = 12;
const NAME_CHARS = 44;

/** The files of a listing, whole where they fit, otherwise by folder with their counts. */
export function filesDigest(page: Page): boolean {
  const { lines } = page;
  const paths: string[] = [];
  const others: number[] = [];
  for (let index = 0; index < lines.walked; index += 1) {
    const line = lines.line(index).trim();
    const path = pathOf(line);
    if (path === undefined && line !== "") others.push(index);
    else if (path !== undefined && !/^(?:\.\.?\/?|total \d+)$/.test(path)) paths.push(path);
  }
  if (paths.length < 2) return false;
  const more = others.length > 3 ? ` (and ${countOf(others.length - 3, "other line")})` : "";
  for (const index of others.slice(0, 3)) page.quote(index, Math.floor(page.room / 8));
  page.say(`${countOf(paths.length, "path")}${lines.part}${more}:`, Infinity);
  page.say(listPaths(paths, page.room), Infinity);
  return true;
}

function pathOf(line: string): string | undefined {
  const [listed, type, name = "", last = name] = LISTED.exec(line) ?? [];
  if (listed !== undefined) return type === "d" && !last.endsWith("/") ? `${last}/` : last;
  const [branch, stem = ""] = BRANCH.exec(line) ?? [];
  if (branch !== undefined) return (stem.length > 3 ? "  " : "") + line.slice(branch.length);
  const [, file, changed] = (line.includes("|") ? CHANGED.exec(line) : null) ?? [];
  if (file !== undefined) return `${file} ${changed}`;
  return PATH_ALONE.test(line) ? line : undefined;
}

/** All of them; names by folder; how many there are in each folder, as deep as there is room; the first. */
function listPaths(paths: readonly string[], room: number): string {
  const whole = paths.join(", ");
  if (whole.length <= room) return whole;
  const named = byFolder(paths).map(([folder, names]) => `${folder}: ${names.join(", ")}`);
  if (named.join("\n").length <= room) return named.join("\n");
  const tell = (folders: Folders): string =>
    folders.map(([folder, { length }]) => `${folder} ${formatCount(length)}`).join(", ");
  // A folder that is opened stands with what is in it, the outer ones first.
  let shown = byFolder(paths, 1);
  const queue = tell(shown).length > room ? [] : [...shown];
  for (const [folder, names] of queue) {
    const inner = byFolder(names, 1).map(
      ([name, some]) => [name === "./" ? folder : folder + name, some] as const,
    );
    const next = shown.flatMap((one) => (one[0] === folder ? inner : [one]));
    if ((inner.length === 1 && inner[0]?.[0] === folder) || tell(next).length > room) continue;
    shown = next;
    queue.push(...inner);
  }
  return shown.length > 1 && queue.length > 0 ? tell(shown) : firstOf(paths, room);
}

type Folders = readonly (readonly [folder: string, names: readonly string[]])[];

/** The names in each folder, of which so many levels are told apart. */
function byFolder(paths: readonly string[], depth?: number): Folders {
  const folders = new Map<string, string[]>();
  for (const path of paths) {
    const end =
      (depth === 1 ? path.slice(0, -1).indexOf("/") : path.lastIndexOf("/", path.length - 2)) + 1;
    const folder = path.slice(0, end) || "./";
    const names = folders.get(folder);
    if (names) names.push(path.slice(end));
    else folders.set(folder, [path.slice(end)]);
  }
  return [...folders];
}

/** The folder that all of them are in, if its name is too long to stand before each. */
function commonFolder([first = "", ...others]: readonly string[]): string {
  let folder = first.slice(0, first.lastIndexOf("/") + 1);
  for (const path of others) {
    while (!path.startsWith(folder))
      folder = folder.slice(0, folder.slice(0, -1).lastIndexOf("/") + 1);
  }
  return others.length === 0 || folder.length < MIN_FOLDER ? "" : folder;
}

/** The files of a search with their matches, and the first matches. */
export function matchesDigest(page: Page): boolean {
  const { lines, room } = page;
  const files = new Map<string, { count: number; number: number }>();
  const matches: number[] = [];
  let heading = "";
  for (let index = 0; index < lines.walked; index += 1) {
    const line = lines.line(index);
    const [, path, mark] = MATCH.exec(line) ?? SAME_FILE.exec(line) ?? [];
    if (mark === undefined && /[./]/.test(line) && PATH_ALONE.test(line)) heading = line;
    if (mark !== ":") continue;
    matches.push(index);
    const file = files.get(path || heading) ?? { count: 0, number: lines.number(index) };
    file.count += 1;
    files.set(path || heading, file);
  }
  if (matches.length === 0) return false;
  const found = `${countOf(matches.length, "match", "matches")}${lines.part}`;
  const isNamed = files.size > 1 || !files.has("");
  const folder = commonFolder([...files.keys()]);
  const most = Math.max(room * 0.7, room - 400);
  const isLong = [...files.keys()].join("").length - folder.length * files.size > most;
  const entries = [...files]
    // If some are left out, those with the fewest matches.
    .sort(([, one], [, other]) => (isLong ? other.count - one.count : 0))
    .map(([path, { count, number }], rank): Entry => {
      const text = `${path.slice(folder.length)} ${formatCount(count)}`;
      const name = text.length > NAME_CHARS ? `…${takeEnd(text, NAME_CHARS - 1)}` : text;
      return {
        ...(files.size > FEW_FILES ? {} : { number }),
        level: isLong ? rank : 1,
        text,
        name,
      };
    });
  if (!isNamed) page.say(`${found}:`);
  else page.outline(entries, `files${folder && ` in ${folder}`} with ${found}`, most, -1);
  for (const index of matches.slice(0, isNamed ? 4 : 12)) page.quote(index, 140, 0, true);
  return true;
}
