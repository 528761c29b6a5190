import type { Lines } from "./lines.js";
import { outlineWith, type Entry } from "./outline.js";
import { formatCount } from "../text/printable.js";

const MAX_WALKED = 60_000;
const MARKED = /^(?:diff --|[-+]|@@|new file|deleted file)/gm;

interface FileDiff {
  readonly number: number;
  name: string;
  added: number;
  removed: number;
  hunks: number;
  note: string;
}

/** The files of a diff, each with the lines that were added and removed, and where it begins. */
export function diffDigest(lines: Lines, _: readonly number[], room: number): string | undefined {
  const files: FileDiff[] = [];
  const open = (index: number, name: string): void => {
    files.push({ number: lines.number(index), name, added: 0, removed: 0, hunks: 0, note: "" });
  };
  const marked = lines.find(MARKED, Math.min(lines.size, MAX_WALKED));
  for (const index of marked) {
    const line = lines.line(index);
    const file = files.at(-1);
    const isNew = file === undefined || file.hunks === 0;
    const begins = (offset: number, mark: string): boolean =>
      index + offset < lines.size && lines.raw(index + offset).startsWith(mark);
    if (line.startsWith("diff --")) open(index, gitName(line));
    else if (line.startsWith("--- ") && isNew && file) continue;
    else if (line.startsWith("--- ") && begins(1, "+++ ") && begins(2, "@@"))
      open(index, nameOf(line));
    else if (line.startsWith("@@")) {
      if (file === undefined) open(index, "(no file name)");
      (files.at(-1) as FileDiff).hunks += 1;
    } else if (file === undefined) continue;
    else if (line.startsWith("+++ ") && isNew) {
      if (line !== "+++ /dev/null") file.name = nameOf(line);
    } else if (line.startsWith("+")) file.added += 1;
    else if (line.startsWith("-")) file.removed += 1;
    else file.note = ` (${line.slice(0, line.indexOf(" file") + 5)})`;
  }
  if (files.length === 0) return undefined;
  const counted = (added: number, removed: number, comma = ""): string =>
    (added > 0 ? `${comma} +${formatCount(added)}` : "") +
    (removed > 0 ? `${comma} −${formatCount(removed)}` : "");
  const total = (field: "added" | "removed"): number =>
    files.reduce((sum, file) => sum + file[field], 0);
  const part = lines.whole && lines.size <= MAX_WALKED ? "" : " in the parts that were read";
  const what = `files changed${counted(total("added"), total("removed"), ",")}${part}`;
  const entries = files.map(({ number, name, added, removed, note }): Entry => {
    const counts = counted(added, removed);
    const short = name.slice(name.lastIndexOf("/") + 1) + counts;
    return { number, text: name + counts + note, name: short };
  });
  const before = Array.from({ length: Math.min(3, marked[0] ?? 0) }, (_, at) =>
    lines.quote(at, 120),
  );
  return outlineWith(lines, before, entries, what, room);
}

function nameOf(line: string): string {
  const [path = ""] = line.slice(4).split("\t");
  return path.replace(/^[abciw]\//, "");
}

/** `diff --git a/x b/x`: both sides are the same, unless it was renamed. */
function gitName(line: string): string {
  const at = line.lastIndexOf(" b/");
  return at === -1 ? line.slice(line.lastIndexOf(" ") + 1) : line.slice(at + 3);
}
