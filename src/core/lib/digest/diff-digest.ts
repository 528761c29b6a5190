import { lineDigest } from "./line-digest.js";
import { countOf, formatCount, toPrintable } from "./printable.js";
import type { Line, Name, Scan } from "./scan-text.js";

const FILES_SHARE = 0.4;
/** A name on a line that did not change is worth this much. */
const CONTEXT_WORTH = 0.3;

interface FileDiff {
  readonly line: number;
  name: string;
  added: number;
  removed: number;
  hunks: number;
}

/** The files of a diff with the line where each begins and its changed lines, then what changed. */
export function diffDigest(scan: Scan, lines: number, scale: number, budgetChars: number): string {
  const { text } = scan;
  const files: FileDiff[] = [];
  const changed: Line[] = [];
  const inChanges = new Set<Name>();
  const inHeaders = new Set<Line>();
  let file: FileDiff | undefined;
  for (const [index, line] of scan.lines.entries()) {
    const { start, end } = line;
    const code = text.charCodeAt(start - line.indent);
    if (isHeader(text, start)) inHeaders.add(line);
    if (text.startsWith("diff --", start)) {
      file = {
        line: line.number,
        name: gitName(text.slice(start, end)),
        added: 0,
        removed: 0,
        hunks: 0,
      };
      files.push(file);
    } else if (text.startsWith("--- ", start) && isNextHeader(scan, index)) {
      if (file === undefined || file.hunks > 0) {
        file = { line: line.number, name: "", added: 0, removed: 0, hunks: 0 };
        files.push(file);
      }
    } else if (text.startsWith("+++ ", start) && file?.hunks === 0) {
      const name = plainName(text.slice(start + 4, Math.min(end, start + 400)));
      if (name !== "/dev/null" || file.name === "") file.name = name;
    } else if (text.startsWith("@@ ", start)) {
      file ??=
        files[
          files.push({
            line: line.number,
            name: "(no file name)",
            added: 0,
            removed: 0,
            hunks: 0,
          }) - 1
        ];
      if (file !== undefined) file.hunks += 1;
    } else if (file !== undefined && file.hunks > 0 && (code === 43 || code === 45)) {
      if (code === 43) file.added += 1;
      else file.removed += 1;
      changed.push(line);
      for (const name of line.names) inChanges.add(name);
    }
  }
  for (const name of scan.names) {
    if (inHeaders.has(name.line)) name.worth = 0;
    else if (!inChanges.has(name)) name.worth *= CONTEXT_WORTH;
  }
  const hunks = files.reduce((sum, { hunks: count }) => sum + count, 0);
  const about = scale > 1 ? " seen" : "";
  const title = `Diff, ${countOf(lines, "line")}, ${countOf(files.length, "file")}, ${countOf(hunks, "hunk")}${about}:`;
  const list = listFiles(files, Math.floor(budgetChars * FILES_SHARE));
  const rest = { text, lines: changed, names: scan.names };
  return lineDigest(rest, { kind: "diff", title: [title, ...list].join("\n"), budgetChars, scale });
}

function isHeader(text: string, start: number): boolean {
  return ["diff --", "--- ", "+++ ", "index "].some((mark) => text.startsWith(mark, start));
}

function isNextHeader({ text, lines }: Scan, index: number): boolean {
  const next = lines[index + 1];
  return next !== undefined && text.startsWith("+++ ", next.start);
}

function listFiles(files: readonly FileDiff[], room: number): string[] {
  const lines: string[] = [];
  let left = room;
  for (const [index, { line, name, added, removed }] of files.entries()) {
    const text = `${line}: ${toPrintable(name)} +${formatCount(added)} -${formatCount(removed)}`;
    if (text.length + 24 > left) {
      lines.push(`… ${countOf(files.length - index, "more file", "more files")}`);
      break;
    }
    left -= text.length + 1;
    lines.push(text);
  }
  return lines;
}

function gitName(line: string): string {
  const cut = line.slice(0, 600).trimEnd();
  const second = cut.lastIndexOf(" b/");
  return second === -1 ? cut.slice(cut.lastIndexOf(" ") + 1) : cut.slice(second + 3);
}

function plainName(name: string): string {
  const path = (name.split("\t")[0] ?? "").trim();
  return path.startsWith("b/") ? path.slice(2) : path;
}
