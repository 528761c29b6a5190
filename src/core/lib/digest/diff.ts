import { joinLines, outline, type Entry } from "./compose.js";
import type { Lines } from "./lines.js";
import { formatCount } from "./printable.js";

const MAX_WALKED = 60_000;

interface FileDiff {
  readonly number: number;
  name: string;
  added: number;
  removed: number;
  hunks: number;
  note: string;
}

/** The files of a diff, each with the lines that were added and removed, and where it begins. */
export function diffDigest(lines: Lines, room: number): string | undefined {
  const files: FileDiff[] = [];
  let file: FileDiff | undefined;
  const open = (number: number, name: string): FileDiff => {
    file = { number, name, added: 0, removed: 0, hunks: 0, note: "" };
    files.push(file);
    return file;
  };
  const before: string[] = [];
  const most = Math.min(lines.size, MAX_WALKED);
  for (let index = 0; index < most; index += 1) {
    const line = lines.line(index);
    const code = line.charCodeAt(0);
    if (code === 43 || code === 45) {
      const isHeader = line.startsWith("--- ") || line.startsWith("+++ ");
      if (isHeader && (file === undefined || file.hunks === 0 || isOpening(lines, index))) {
        if (line.startsWith("--- ") && (file === undefined || file.hunks > 0)) {
          open(lines.number(index), nameOf(line));
        } else if (line.startsWith("+++ ") && !line.startsWith("+++ /dev/null") && file) {
          file.name = nameOf(line);
        }
      } else if (file && code === 43) file.added += 1;
      else if (file) file.removed += 1;
    } else if (line.startsWith("diff --")) {
      open(lines.number(index), gitName(line));
    } else if (line.startsWith("@@")) {
      (file ?? open(lines.number(index), "(no file name)")).hunks += 1;
    } else if (
      file?.hunks === 0 &&
      /^(?:new file|deleted file|rename to|Binary files)/.test(line)
    ) {
      file.note ||= ` (${line.replace(/ mode .{0,300}| and .{0,300}|^rename to /, "").slice(0, 40)})`;
    } else if (file === undefined && line.trim() !== "" && before.length < 3) {
      before.push(`${lines.number(index)}: ${line.slice(0, 120)}`);
    }
  }
  if (files.length === 0) return undefined;
  const [added, removed] = [sum(files, "added"), sum(files, "removed")];
  const part = lines.whole && most === lines.size ? "" : " in the parts that were read";
  const head = joinLines([...lines.notes, ...before], Math.floor(room / 4));
  const what = `${files.length === 1 ? "file" : "files"} changed${added > 0 ? `, +${formatCount(added)}` : ""}${removed > 0 ? `, −${formatCount(removed)}` : ""}${part}`;
  const entries: Entry[] = files.map(({ number, name, added, removed, note }) => {
    const counts = `${added > 0 ? ` +${added}` : ""}${removed > 0 ? ` −${removed}` : ""}`;
    const short = name.slice(name.lastIndexOf("/") + 1) + counts;
    return { number, text: name + counts + note, name: short };
  });
  const text = outline(entries, what, room - head.length - 1);
  return head === "" ? text : `${head}\n${text}`;
}

function isOpening(lines: Lines, index: number): boolean {
  const [line, next] = [lines.line(index), index + 1 < lines.size ? lines.line(index + 1) : ""];
  if (line.startsWith("+++ ")) return next.startsWith("@@");
  return (
    next.startsWith("+++ ") && index + 2 < lines.size && lines.line(index + 2).startsWith("@@")
  );
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

function sum(files: readonly FileDiff[], field: "added" | "removed"): number {
  return files.reduce((total, file) => total + file[field], 0);
}
