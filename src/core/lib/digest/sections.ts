import { clip } from "./printable.js";
import { saysCut } from "./verdicts.js";
import type { Lines } from "./lines.js";

const MAX_WALKED = 20_000;
const MAX_SHOWN = 12;
/** A line that says which file follows. */
const MARKER =
  /^(?:==> (.{1,200}) <==|[-=#*]{2,12} ?(?:File:? ?)?([\w@.~/\\-]{0,200}[./][\w@.~/\\-]{1,80}) ?[-=#*]{0,12}|(?:File|FILE|Contents of|Path):? ?`?([\w@.~/\\-]{1,200}\.\w{1,8})`?:?|<(?:file|document)[^>]{0,40}?(?:path|name)="([^"]{1,200})">)$/;
/** Reads a part of a file, which tells how long it is. */
const PARTS =
  /\bsed -n ['"]?(\d{1,7}),(\d{1,7})p['"]? {1,4}["']?([^\s;&|"']{1,200})|\b(head|tail) (?:-n ?|-)(\d{1,7}) {1,4}["']?([^\s;&|"']{1,200})/g;
const MAX_CUT_CHARS = 49_152;
const OUTER_LINES = 4;

/** Where each file begins, if several were printed one after the other and that can be told. */
export function describeFiles(lines: Lines, about: string | undefined): string {
  const files = markedFiles(lines) ?? calledFiles(lines, about);
  if (files === undefined || files.length < 2) return "";
  const shown = files
    .slice(0, MAX_SHOWN)
    .map(({ path, from, to }) => `${from}–${to} ${clip(path, 80)}`);
  const count = files.length > MAX_SHOWN ? `${MAX_SHOWN} of ${files.length}` : String(files.length);
  return `${count} files, one after the other: ${shown.join("; ")}.`;
}

interface FilePart {
  readonly path: string;
  readonly from: number;
  to: number;
}

function markedFiles(lines: Lines): FilePart[] | undefined {
  const files: FilePart[] = [];
  const size = Math.min(lines.size, MAX_WALKED);
  for (let index = 0; index < size; index += 1) {
    const code = lines.text.charCodeAt(lines.start(index));
    // = - # * F C P <
    if (
      code !== 61 &&
      code !== 45 &&
      code !== 35 &&
      code !== 42 &&
      code !== 70 &&
      code !== 67 &&
      code !== 80 &&
      code !== 60
    )
      continue;
    if (lines.start(index + 1) - lines.start(index) > 260) continue;
    const found = MARKER.exec(lines.line(index));
    const path = found?.[1] ?? found?.[2] ?? found?.[3] ?? found?.[4];
    if (path === undefined) continue;
    const last = files.at(-1);
    if (last) last.to = lines.number(index) - 1;
    files.push({ path, from: lines.number(index), to: lines.number(lines.size - 1) });
  }
  return files.length < 2 ? undefined : files;
}

/** The files that the call prints in parts of known length, if these add up to what there is. */
function calledFiles(lines: Lines, about: string | undefined): FilePart[] | undefined {
  if (about === undefined || !lines.whole || !/\b(?:sed|head|tail) -/.test(about)) return undefined;
  const files: FilePart[] = [];
  let from = 1;
  for (const [, first, last, sedPath, , count, path] of about.matchAll(PARTS)) {
    const length = sedPath === undefined ? Number(count) : Number(last) - Number(first) + 1;
    files.push({ path: sedPath ?? path ?? "", from, to: from + length - 1 });
    from += length;
  }
  return files.length > 1 && from - 1 === lines.number(lines.size - 1) ? files : undefined;
}

/** Where the tool itself says that it had cut the output; empty if it does not. */
export function describeCut(lines: Lines): string {
  const { size, text } = lines;
  const outer = new Set<number>();
  for (let index = 0; index < Math.min(OUTER_LINES, size); index += 1) {
    outer.add(index).add(size - 1 - index);
  }
  if (text.length <= MAX_CUT_CHARS) {
    for (const { index: at } of text.matchAll(/(?:truncated|omitted|clipped|elided)\b/g)) {
      const index = lines.at(at);
      // In the middle of a text it may be what the text speaks of.
      if (
        outer.size < 20 &&
        index < size &&
        /\d/.test(lines.line(index)) &&
        /^\W/.test(lines.line(index).trim())
      )
        outer.add(index);
    }
  }
  for (const index of outer) {
    const line = lines.line(index).trim();
    if (index >= 0 && saysCut(line)) {
      const { number, text: shown } = lines.quote(index, 160);
      return `Its tool had cut it, see ${number}: ${shown.trim()}`;
    }
  }
  return "";
}
