import type { Lines } from "./lines.js";
import type { Page } from "./outline.js";
import { clip } from "../text/printable.js";

const MAX_LINE = 200;
const FIRST = 4;
const FIRST_OF = 40;

/** How a text begins and ends. */
export function plainDigest(page: Page): void {
  const { size } = page.lines;
  const most = Math.min(Math.max(MAX_LINE, Math.floor(page.room / (2 * size))), page.room - 12);
  let left = FIRST;
  for (let index = 0; left > 0 && index < FIRST_OF; index += 1) {
    if (page.quote(index, most, 0, true)) left -= 1;
  }
  for (const index of [size - 1, size - 2]) page.quote(index, most, 0, true);
}

/** All lines, where they fit. */
export function quoteAll(lines: Lines, room: number): string | undefined {
  if (!lines.whole || lines.start(lines.size) - lines.start(0) > room) return undefined;
  const indexes = lines.probes(lines.size, 0).filter((index) => lines.line(index) !== "");
  const text = [...lines.notes, ...indexes.map((index) => lines.quote(index, room))].join("\n");
  return text.length <= room ? text : undefined;
}

const MAX_ABOUT_CHARS = 4_096;
const MAX_WORDS = 16;
/** What may be the name of something. */
const WORD = /[A-Za-z_$][\w$-]{3,60}(?:[./:]+[\w$-]{1,60}){0,8}/g;
/** A name, rather than a word of a sentence or an option of a command. */
const NAME = /[a-z][A-Z]|[_\d$]|[./:]\w|^[A-Z]{4,}$/;

/** The names in what a text was asked for. */
export function namesIn(about: string): string[] {
  const words = new Set(about.slice(0, MAX_ABOUT_CHARS).match(WORD));
  return [...words].filter((word) => word.length >= 6 || NAME.test(word)).slice(0, MAX_WORDS);
}

/** A word that is on more lines does not tell them apart; a word of a sentence must stand once. */
const MAX_USES = 2;
const MAX_ASKED = 3;
const SEARCHED_CHARS = 131_072;

/** The lines that share a rare word with what the call was for. */
export function linesAskedFor(lines: Lines, words: readonly string[]): readonly number[] {
  const asked = new Set<number>();
  const text = lines.text.slice(0, SEARCHED_CHARS);
  for (const word of lines.size < 8 ? [] : words) {
    const most = NAME.test(word) ? MAX_USES : 1;
    const found: number[] = [];
    for (let at = text.indexOf(word); at !== -1 && found.length <= most;) {
      found.push(lines.at(at));
      at = text.indexOf(word, at + word.length);
    }
    if (found.length <= most) for (const index of found) asked.add(index);
  }
  return [...asked].slice(0, MAX_ASKED);
}

const MAX_FILES = 12;
const MAX_PARTS = 40;
/** A line that says which file follows. */
const MARKER =
  /^(?:==> |[-=#*]{2,12} ?(?:File:? ?)?|(?:File|FILE|Contents of|Path):? ?`?|<(?:file|document)[^>\n]{0,40}? (?:path|name)=")([\w@.~/\\-]{0,200}[./][\w@.~/\\-]{1,80})(?: <==|`?:?| ?[-=#*]{0,12}|">)$/my;
/** A part of a command that prints files, all or so many lines of each, or a line between them. */
const PARTS =
  /\b(?:sed -n ['"]?(\d{1,7}),(\d{1,7})p['"]?|(?:head|tail) (?:-n ?|-)(\d{1,7})|cat|(?:echo|printf) (["'])(.{1,80}?)\4)((?: +["']?[\w@.~/\\$][^\s;&|<>"']{0,200}["']?){0,12})/g;
/** What a command says of a file that it cannot print. */
const COMPLAINT =
  /^[\w./-]{1,40}: .{0,200}(?:[Nn]o such file|ermission denied|[Ii]s a directory|not found)/;
/** How a file may begin. */
const BEGINS = /^(?:package [\w.]+;?$|#!|# \S|<\?xml|<!doctype )/imy;

/** A file that was printed among others, and the index of its first line. */
type Printed = Readonly<{ path: string; from: number }>;

/** Where each file begins, if several were printed one after the other and that can be told. */
export function describeFiles(lines: Lines, about: string): string {
  const size = lines.size - complaintsIn(lines).length;
  const marked = lines.find(MARKER, "=-#*FCP<").map((from): Printed => {
    MARKER.lastIndex = 0;
    return { path: MARKER.exec(lines.line(from))?.[1] ?? "", from };
  });
  const files = marked.length > 1 || !lines.whole ? marked : filesOfCall(lines, about, size);
  if (files.length < 2) return "";
  const shown = files.slice(0, MAX_FILES).map(({ path, from }, at) => {
    return `${lines.number(from)}–${lines.number((files[at + 1]?.from ?? size) - 1)} ${clip(path, 80)}`;
  });
  const count = files.length > MAX_FILES ? `${MAX_FILES} of ${files.length}` : files.length;
  return `${count} files, one after the other: ${shown.join("; ")}.`;
}

/**
 * The files that the call prints: by the lines that it prints between them, by their lengths, or by how files begin.
 * None where it cannot be told: what was written with the call may name other files.
 */
function filesOfCall(lines: Lines, about: string, size: number): Printed[] {
  const failed = complaintsIn(lines).map((index) => lines.line(index));
  const files: Printed[] = [];
  let open: { path: string; length: number }[] = [];
  let next = 0;
  /** Tells where the files begin that were printed before a line. */
  const close = (to: number): boolean => {
    const sum = open.reduce((all, { length }) => all + length, 0);
    const isCounted = sum === to - next || sum === to - next - 1 || open.length < 2;
    const starts = isCounted
      ? []
      : lines.find(BEGINS, "pP#<").filter((at) => at >= next && at < to);
    if (!isCounted && starts.length !== open.length) return false;
    for (const [at, { path, length }] of open.entries()) {
      files.push({ path, from: starts[at] ?? next });
      next += length;
    }
    open = [];
    return true;
  };
  const parts = about.slice(0, MAX_ABOUT_CHARS).matchAll(PARTS);
  for (const [, first, last, count, , mark = "", names = ""] of [...parts].slice(0, MAX_PARTS)) {
    const line = mark.replace(/\\n/g, "\n").trim();
    const from = Math.max(0, lines.start(next) - 1);
    const position =
      line === "" || open.length === 0 ? -1 : lines.text.indexOf(`\n${line}\n`, from);
    const at = lines.at(position + 1);
    if (position !== -1 && at < size) {
      if (!close(at)) return [];
      next = at + 1;
    }
    const length = Number(count ?? Number(last) - Number(first) + 1);
    for (const path of mark === "" ? names.split(/[\s"']+/) : []) {
      const isPrinted = /[./]\w/.test(path) && !failed.some((line) => line.includes(path));
      if (isPrinted) open.push({ path, length });
    }
  }
  return close(size) ? files : [];
}

/** The lines at the end in which a command says what it could not print. */
export function complaintsIn(lines: Lines): number[] {
  let first = lines.size;
  while (first > Math.max(1, lines.size - 3) && COMPLAINT.test(lines.line(first - 1))) first -= 1;
  return Array.from({ length: lines.size - first }, (_, at) => first + at);
}

const MAX_CUT_CHARS = 24_576;
const OUTER_LINES = 4;
/** Where a tool says that it did not return all of its output. */
const CUT =
  /(?:\b(?:output|result|content|response|text|file|lines?|chars?|characters|bytes|tokens|log)\b.{0,60}\b(?:truncated|omitted|clipped|exceeds|too large|elided|cut off)\b|\b(?:truncated|omitted|clipped|elided)\b.{0,40}\b(?:output|lines?|chars?|characters|bytes|tokens|result)\b|^[\s.…[(<*-]{0,12}(?:truncated|clipped)\b)/i;

/** Where the tool itself says that it had cut the output; empty if it does not. */
export function describeCut(lines: Lines): string {
  const { size, text } = lines;
  const isOuter = (index: number): boolean => index < OUTER_LINES || index >= size - OUTER_LINES;
  const inner = text.length > MAX_CUT_CHARS ? [] : text.matchAll(/(?:truncat|omitt|clipp|elid)ed/g);
  const indexes = [
    ...[0, 1, 2, 3, size - 4, size - 3, size - 2, size - 1],
    ...Array.from(inner, ({ index }) => lines.at(index)),
  ];
  for (const index of indexes.slice(0, 24)) {
    const line = lines.raw(index).trim();
    // In the middle of a text it may be what the text speaks of.
    const isNote = isOuter(index) || (/\d/.test(line) && /^\W/.test(line));
    if (index < 0 || index >= size || line.length > 300 || !isNote || !CUT.test(line)) continue;
    return `Its tool had cut it, see ${lines.quote(index, 160).replace(/: \s+/, ": ")}`;
  }
  return "";
}
