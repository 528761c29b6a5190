import { clip, countOf, toPrintable } from "./printable.js";
import type { Line, Scan } from "./scan-text.js";

// All expressions here see one line of at most `LINE_CHARS` characters, and none can backtrack.
const LINE_CHARS = 300;
const LISTED = /^[-dlbcps][-rwxsStTl]{9}[@+.]? /;
/** Fields before the name in `ls -l`: mode, links, owner, group, size and three of the date. */
const FIELDS = 8;
/** The share of the room for the names of folders. */
const FOLDERS_SHARE = 0.6;
const MAX_LEVELS = 64;

interface Entry {
  readonly folder: string;
  readonly name: string;
}

/** The names of a listing of files, each in full; folders with counts where not all fit. */
export function fileDigest(scan: Scan, lines: number, whole: boolean, budgetChars: number): string {
  const entries: Entry[] = [];
  const others: string[] = [];
  let form = "paths";
  for (const line of scan.lines) {
    const text = scan.text.slice(line.start, Math.min(line.end, line.start + LINE_CHARS)).trimEnd();
    if (text === "" || line.isPart) continue;
    const bar = text.indexOf(" | ");
    const isListed = LISTED.test(text);
    const path = isListed
      ? listedName(text)
      : bar > 0
        ? text.slice(0, bar).trimEnd()
        : plainPath(text, line);
    if (isListed) form = "entries of ls -l";
    else if (bar > 0) form = "changed files";
    if (path === undefined && !/^total \d/.test(text)) others.push(`${line.number}: ${text}`);
    else if (path !== undefined && path !== "") entries.push(splitPath(toPrintable(path)));
  }
  const about = whole ? "" : `sampled from ${countOf(lines, "line")}, `;
  const folders = groupByFolder(entries);
  const inside = folders.size > 1 ? ` in ${countOf(folders.size, "folder")}` : "";
  const title = `Files, ${about}${countOf(entries.length, form.replace(/s$/, ""), form)}${inside}:`;
  const notes = others.slice(0, 4).map((other) => clip(toPrintable(other), 120));
  const room = budgetChars - [title, ...notes].join("\n").length - 1;
  return clip([title, ...notes, ...listFolders(entries, room)].join("\n"), budgetChars);
}

/** The name at the end of a line of `ls -l`; "" for the folder itself and the one above it. */
function listedName(text: string): string {
  let at = 0;
  for (let field = 0; field < FIELDS && at < text.length; field += 1) {
    while (at < text.length && text.charCodeAt(at) !== 32) at += 1;
    while (at < text.length && text.charCodeAt(at) === 32) at += 1;
  }
  const name = text.slice(at);
  if (name === "." || name === "..") return "";
  return text.startsWith("d") && !name.endsWith("/") ? `${name}/` : name;
}

function plainPath(text: string, { names }: Line): string | undefined {
  return names.length > 0 && !text.includes(": ") ? text : undefined;
}

function splitPath(path: string): Entry {
  const slash = path.lastIndexOf("/", path.length - 2);
  return { folder: path.slice(0, slash + 1), name: path.slice(slash + 1) };
}

/** The names in each folder; deeper ones are counted with the folder at `depth`. */
function groupByFolder(entries: readonly Entry[], depth = Infinity): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const { folder, name } of entries) {
    const end = depth === Infinity ? folder.length : endOfDepth(folder, depth);
    const key = folder.slice(0, end);
    const names = folders.get(key);
    const shown = end === folder.length ? name : folder.slice(end) + name;
    if (names === undefined) folders.set(key, [shown]);
    else names.push(shown);
  }
  return folders;
}

function endOfDepth(folder: string, depth: number): number {
  let at = -1;
  for (let level = 0; level < depth; level += 1) {
    const slash = folder.indexOf("/", at + 1);
    if (slash === -1) break;
    at = slash;
  }
  return at + 1;
}

/** As many levels of folders as there is room for: all of them, or those above. */
function fitFolders(entries: readonly Entry[], room: number): Map<string, string[]> {
  const all = groupByFolder(entries);
  if (costOf(all) <= room) return all;
  let [fits, tooDeep] = [1, MAX_LEVELS];
  while (fits + 1 < tooDeep) {
    const depth = (fits + tooDeep) >> 1;
    if (costOf(groupByFolder(entries, depth)) <= room) fits = depth;
    else tooDeep = depth;
  }
  return groupByFolder(entries, fits);
}

function costOf(folders: ReadonlyMap<string, readonly string[]>): number {
  let cost = 0;
  for (const [folder, { length }] of folders) cost += lead(folder, length).length + 1;
  return cost;
}

/** One line for each folder: its names, as many as fit, or how many there are. */
function listFolders(entries: readonly Entry[], room: number): string[] {
  const whole = entries.map(({ folder, name }) => folder + name).join(", ");
  if (whole.length <= room) return [whole];
  const merged = fitFolders(entries, room * FOLDERS_SHARE);
  let left = room - costOf(merged);
  const lines: string[] = [];
  let folderCount = merged.size;
  for (const [folder, names] of merged) {
    // Each folder gets its share of what is left, so that a large one does not take it all.
    const share = Math.floor(left / folderCount);
    folderCount -= 1;
    let shown = "";
    let count = 0;
    for (const name of names) {
      const next = `${shown}${shown === "" ? " " : ", "}${name}`;
      if (next.length + (count + 1 < names.length ? 3 : 0) > Math.min(share, left)) break;
      shown = next;
      count += 1;
    }
    if (count < names.length && count > 0) shown += ", …";
    left -= shown.length;
    const isAll = count === names.length;
    lines.push(
      (isAll && folder === "" ? "" : isAll ? `${folder}:` : lead(folder, names.length)) + shown,
    );
  }
  return lines.map((line) => line.trimStart());
}

function lead(folder: string, count: number): string {
  return `${folder === "" ? "./" : folder} (${count}):`;
}
