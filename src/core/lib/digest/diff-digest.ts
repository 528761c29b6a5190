import { fitEntries, type OutlineEntry } from "./fit-entries.js";
import type { SampledText } from "./line-scanner.js";
import { withEnds } from "./outline-digest.js";
import { clip, countOf, formatCount } from "./printable.js";

/** Whether the lines contain a file header of a unified diff. */
export function isDiff(lines: readonly { readonly text: string }[]): boolean {
  if (/^@@ -\d/.test(lines[0]?.text ?? "")) return true;
  return lines.some(({ text }, index) => {
    if (text.startsWith("diff --git ") || text.startsWith("diff --cc ")) return true;
    const [next, after] = [lines[index + 1]?.text, lines[index + 2]?.text];
    return (
      text.startsWith("--- ") &&
      next?.startsWith("+++ ") === true &&
      after?.startsWith("@@ ") === true
    );
  });
}

interface FileDiff {
  readonly line: number;
  name: string;
  hunks: number;
  readonly places: OutlineEntry[];
  added: number;
  removed: number;
}

/** The files of a diff with the line where each begins, its hunks and its changed lines. */
export function diffDigest(head: string, sampled: SampledText, budgetChars: number): string {
  const files = filesOf(head);
  const hunks = files.reduce((sum, file) => sum + file.hunks, 0);
  const seen =
    sampled.chars > head.length + 1 && !sampled.whole
      ? ` in the first ${formatCount(head.length)} chars`
      : "";
  const title = `Diff, ${countOf(sampled.lines, "line")}, ${countOf(files.length, "file")}, ${countOf(hunks, "hunk")}${seen}:`;
  const entries = files.flatMap((file): OutlineEntry[] => [
    {
      line: file.line,
      text: `${file.name} +${formatCount(file.added)} -${formatCount(file.removed)}, ${countOf(file.hunks, "hunk")}`,
      level: 0,
    },
    ...file.places,
  ]);
  const outline = fitEntries(entries, budgetChars - title.length - 1);
  const parts = [title, ...outline];
  return outline.length < entries.length
    ? clip(parts.join("\n"), budgetChars)
    : withEnds(parts, sampled, budgetChars);
}

const MOST_FILES = 2_000;
const MOST_HUNKS = 200;

function filesOf(text: string): FileDiff[] {
  const files: FileDiff[] = [];
  let file: FileDiff | undefined;
  let headed = false;
  let number = 0;
  for (let start = 0; start < text.length;) {
    number += 1;
    const feed = text.indexOf("\n", start);
    const end = feed === -1 ? text.length : feed;
    const first = text.charCodeAt(start);
    if (first === 100 && /^diff --(?:git|cc) /.test(text.slice(start, start + 12))) {
      file = startFile(number, gitName(text.slice(start, end)));
      headed = true;
      if (files.length < MOST_FILES) files.push(file);
    } else if (first === 45 && text.startsWith("--- ", start) && text.startsWith("+++ ", end + 1)) {
      if (!headed) {
        file = startFile(number, "");
        if (files.length < MOST_FILES) files.push(file);
      }
      headed = true;
    } else if (first === 43 && headed && text.startsWith("+++ ", start) && file?.hunks === 0) {
      const name = plainName(text.slice(start + 4, Math.min(end, start + 400)));
      if (name !== "/dev/null" || file.name === "") file.name = name;
    } else if (first === 64 && text.startsWith("@@ ", start)) {
      if (file === undefined) {
        file = startFile(number, "(no file name)");
        files.push(file);
      }
      file.hunks += 1;
      if (file.places.length < MOST_HUNKS) {
        file.places.push({
          line: number,
          text: text.slice(start, Math.min(end, start + 120)),
          level: 1,
        });
      }
      headed = false;
    } else if (file !== undefined && file.hunks > 0) {
      if (first === 43) file.added += 1;
      else if (first === 45) file.removed += 1;
    }
    start = end + 1;
  }
  return files;
}

function startFile(line: number, name: string): FileDiff {
  return { line, name, hunks: 0, places: [], added: 0, removed: 0 };
}

function gitName(line: string): string {
  const cut = line.slice(0, 600);
  const second = cut.lastIndexOf(" b/");
  return second === -1 ? cut.slice(cut.lastIndexOf(" ") + 1).trim() : cut.slice(second + 3).trim();
}

function plainName(name: string): string {
  const path = (name.split("\t")[0] ?? "").trim();
  return path.startsWith("b/") ? path.slice(2) : path;
}
