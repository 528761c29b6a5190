import { isLetter } from "../text/code-units.js";
import type { ContentKind } from "./content-kind.js";
import { readMatch } from "./match-digest.js";
import type { Line, Scan } from "./scan-text.js";
import { CODE_WORDS } from "./word-lists.js";

// All expressions here see at most `CHECKED_CHARS` characters of a line, and none can backtrack.

const CHECKED_LINES = 40;
const LAST_LINES = 6;
const CHECKED_CHARS = 120;

/** `git diff --stat`. */
const STAT = / \| {1,6}(?:\d{1,7}(?: [+-]|$)|Bin )/;
const LISTED = /^[-dlbcps][-rwxsStTl]{9}[@+.]?\s+\d/;
const STAMP =
  /^\W{0,2}(?:\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:)|\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d/;
const LEVEL = /\b(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|NOTICE)\b|level=/;
/** What tools print before each test or message, and what they print after it. */
const RUN_START =
  /^(?:[✓✔√✗✘✖×●]|PASS\b|FAIL\b|FAILED\b|PASSED\b|ok \d|ok {2}|not ok|--- (?:PASS|FAIL|SKIP)|=== (?:RUN|CONT|PAUSE)|npm (?:ERR!|error|warn|WARN)|error(?:\[|:| TS)|warning(?:\[|:)|Compiling |Tests?:? {1,9}\d|Test (?:Suites|Files):? |Found \d+ error|Ran \d+ test|collected \d|=====|> [\w@/.-]{1,60}@\d)/;
const RUN_END =
  /\(\d{1,6},\d{1,6}\): error|:\d{1,6}:\d{1,6}(?: -|:) (?:error|warning)|\b(?:PASSED|FAILED|SKIPPED)\b|\.\.\. ?(?:ok|FAILED)/;

/** How many of the checked lines look like what. */
interface Cues {
  lines: number;
  code: number;
  headings: number;
  markdown: number;
  log: number;
  run: number;
  paths: number;
  listed: number;
  stat: number;
  settings: number;
  matches: number;
  tags: number;
}

/** The kind of a text that is neither JSON nor a table with a header. */
export function detectKind(scan: Scan, isListing: boolean): ContentKind {
  const { text, lines } = scan;
  const [first] = lines;
  if (first === undefined) return "text";
  const cues = countCues(scan);
  const enough = (count: number, share: number): boolean =>
    count >= cues.lines * share && count > 2;
  if (isDiff(scan)) return "diff";
  if (!isListing && isHtml(scan, cues)) return "html";
  if (!isListing) {
    if (enough(cues.listed, 0.8) || enough(cues.stat, 0.7)) return "files";
    if (enough(cues.log, 0.3) && cues.log > cues.code) return "log";
    if (enough(cues.matches, 0.6)) return "matches";
    if (enough(cues.paths, 0.8)) return "files";
    if (enough(cues.run, 0.12) && cues.run > cues.code * 0.6) return "build";
  }
  const script = text.startsWith("#!", first.start);
  if (!script && isMarkdown(cues)) return "markdown";
  if (script || enough(cues.code, isListing ? 0.2 : 0.4)) return "code";
  if (cues.run >= 2 && !isListing) return "build";
  return "text";
}

function isMarkdown(cues: Cues): boolean {
  if (cues.code >= cues.lines * 0.4 || cues.settings >= cues.lines * 0.4) return false;
  if (cues.headings >= 2) return cues.markdown >= cues.lines * 0.1 && cues.code < cues.markdown * 2;
  return cues.headings === 1 && cues.markdown >= Math.max(2, cues.lines * 0.25);
}

function countCues({ text, lines }: Scan): Cues {
  const cues: Cues = {
    lines: 0,
    code: 0,
    headings: 0,
    markdown: 0,
    log: 0,
    run: 0,
    paths: 0,
    listed: 0,
    stat: 0,
    settings: 0,
    matches: 0,
    tags: 0,
  };
  const step = Math.max(1, lines.length / CHECKED_LINES);
  for (let index = 0; index < lines.length; index += step) {
    const line = lines[Math.floor(index)];
    if (line !== undefined && !line.isPart) countLine(text, line, cues);
  }
  // How a run ended is told in its last lines.
  if (step > 1) for (const line of lines.slice(-LAST_LINES)) countLine(text, line, cues);
  return cues;
}

function countLine(text: string, line: Line, cues: Cues): void {
  const { start, end } = trimmed(text, line);
  if (start >= end) return;
  cues.lines += 1;
  const code = text.charCodeAt(start);
  const last = text.charCodeAt(end - 1);
  const shown = text.slice(start, Math.min(end, start + CHECKED_CHARS));
  const [name] = line.names;
  if (name?.start === start && name.end === end && (shown.includes("/") || shown.includes(".")))
    cues.paths += 1;
  // A fenced block, a heading, an item of a list, a quotation.
  if (code === HASH && start === line.start && /^#{1,6} \S/.test(shown)) {
    cues.headings += 1;
    cues.markdown += 1;
  } else if (/^(?:[-*+] |\d{1,3}[.)] |```|> |\*\*|\| )/.test(shown)) cues.markdown += 1;
  if (code === LESS) cues.tags += 1;
  if (STAMP.test(shown) || LEVEL.test(shown.slice(0, 60))) cues.log += 1;
  else if (LISTED.test(shown)) cues.listed += 1;
  else if (STAT.test(shown)) cues.stat += 1;
  if (readMatch(text, line) !== undefined) cues.matches += 1;
  if (RUN_START.test(shown) || RUN_END.test(shown)) cues.run += 1;
  if (/^(?:- )?[\w.$"'-]{1,60}:(?:\s|$)/.test(shown)) cues.settings += 1;
  if (isCode(shown, code, last)) cues.code += 1;
}

function isCode(shown: string, first: number, last: number): boolean {
  // A record of JSON Lines.
  if (first === 123 && last === 125) return false;
  // { } ; ( ) or , at the end; } ) ] @ or a comment at the start.
  if (last === 123 || last === 125 || last === 59 || last === 40) return true;
  if (first === 125 || first === 64) return true;
  if (first === 47 && (shown.startsWith("//") || shown.startsWith("/*"))) return true;
  let at = 0;
  while (at < 12 && isLetter(shown.charCodeAt(at))) at += 1;
  if (at < 2 || at === shown.length) return at === shown.length && CODE_WORDS.has(shown);
  const after = shown.charCodeAt(at);
  // A keyword is followed by a space or a bracket; in prose the next word gives it away only at the end.
  return (
    (after === 32 || after === 40 || after === 58) &&
    last !== 46 &&
    CODE_WORDS.has(shown.slice(0, at))
  );
}

function isDiff({ text, lines }: Scan): boolean {
  for (const [index, { start }] of lines.slice(0, 30).entries()) {
    if (text.startsWith("diff --git ", start) || text.startsWith("diff --cc ", start)) return true;
    if (index === 0 && text.startsWith("@@ -", start)) return true;
    if (!text.startsWith("--- ", start)) continue;
    const [next, after] = [lines[index + 1], lines[index + 2]];
    if (next !== undefined && text.startsWith("+++ ", next.start)) {
      return after !== undefined && text.startsWith("@@ ", after.start);
    }
  }
  return false;
}

function isHtml({ text, lines }: Scan, cues: Cues): boolean {
  // A fetching tool may put some lines before the page.
  for (const { start } of lines.slice(0, 20)) {
    const opening = text.slice(start, start + 15).toLowerCase();
    if (opening.startsWith("```")) break;
    if (opening.startsWith("<!doctype html") || /^<html[\s>]/.test(opening)) return true;
  }
  return cues.tags >= 4 && cues.tags >= cues.lines * 0.6 && cues.code < cues.lines * 0.3;
}

const HASH = 35;
const LESS = 60;

function trimmed(text: string, line: Line): { start: number; end: number } {
  let { start, end } = line;
  while (start < end && text.charCodeAt(start) <= 32) start += 1;
  while (end > start && text.charCodeAt(end - 1) <= 32) end -= 1;
  return { start, end };
}
