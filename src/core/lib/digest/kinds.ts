import type { ContentKind } from "./content-kind.js";
import { isTimed, type Lines } from "./lines.js";
import { isVerdict } from "./verdicts.js";

// All expressions see at most `CHECKED_CHARS` characters of a line, and none can backtrack.
const CHECKED_CHARS = 160;
const PROBES = 28;
const LAST_LINES = 8;

const LEVEL =
  /^\W{0,3}(?:\w{1,20}[ :] ?)?\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|NOTICE)\b|\blevel=\w/;
const RUN =
  /^\s*(?:[✓✔√✗✘✖×●❌✕]|PASS(?:ED)?\b|FAIL(?:ED)?\b|ok \d|ok {2}|not ok|--- (?:PASS|FAIL|SKIP)|=== (?:RUN|CONT|PAUSE)|npm (?:ERR!|error|warn|WARN)|error(?:\[|:| TS)|warning(?:\[|:)|Compiling |Downloading |Downloaded |Installing |Collecting |Requirement already|Tests?:? {1,9}\d|Test (?:Suites|Files):? |Found \d+ error|Ran \d+ test|collected \d|={5}|> [\w@/.-]{1,60}@\d|##\[|\+ \w|\[(?:INFO|ERROR|WARNING)\]|Caused by|at [\w.$<>]{1,80}\(|Traceback|#\d+ (?:\[|DONE|\d))|\(\d{1,6},\d{1,6}\): error|:\d{1,6}:\d{1,6}(?: -|:) (?:error|warning)|\b(?:PASSED|FAILED|SKIPPED)\b|\.\.\. ?(?:ok|FAILED)/;
const CODE =
  /[{};(]$|^[}\])@]|^\/[/*]|^(?:import|export|const|let|var|function|class|interface|enum|namespace|module|def|func|fn|impl|mod|pub|use|package|public|private|protected|static|async|await|return|if|else|elif|for|while|switch|case|try|catch|throw|raise|from|type|struct|trait|self|this|describe|it|test|expect|assert|yield|with|end|except|finally|#include)\b(?!.{0,160}[.?!]$)/;
const MARKDOWN = /^(?:[-*+] |\d{1,3}[.)] |```|> |\*\*|\| |!?\[[^\]]+\]\()/;
const LISTED = /^[-dlbcps][-rwxsStTl]{9}[@+.]?\s+\d/;
const STAT = / \| {1,6}(?:\d{1,7}(?: [+-]|$)|Bin )/;
const MATCH =
  /^(?!\d{4}-\d\d-)[^\s|"<>(:]{0,160}[A-Za-z][^\s|"<>(:]{0,80}[:-]\d{1,7}[:-]|^\d{1,7}[:-](?!\d\d[:-])(?!\s*$)/;
const PATH = /^(?:[A-Z]:)?[^\s:|<>"'`(){},;=*]{1,240}$/;
const TREE = /[├└]──|^(?:│ {2,3}){0,20}[├└]/;
const NODE =
  /^- (?:generic|link|button|heading|text|paragraph|img|list|listitem|navigation|textbox|main|banner)\b/;
const SETTING = /^(?:- )?[\w.$"'-]{1,60}:(?:\s|$)/;

/** How many of the lines look like what. */
type Looks = Record<
  | "lines"
  | "code"
  | "headings"
  | "markdown"
  | "log"
  | "run"
  | "paths"
  | "listed"
  | "matches"
  | "tags"
  | "nodes"
  | "settings",
  number
>;

/** The kind of a text, by lines from all of it. */
export function detectKind(lines: Lines): ContentKind {
  if (lines.size === 0) return "text";
  if (isDiff(lines)) return "diff";
  const looks = lookAt(lines);
  const enough = (count: number, share: number): boolean =>
    count >= looks.lines * share && count > 2;
  if (lines.isNumbered)
    return looks.markdown > looks.code && looks.headings > 1 ? "markdown" : "code";
  const hasVerdict = endsWithVerdict(lines);
  if (!hasVerdict) {
    if (isHtml(lines, looks)) return "html";
    if (enough(looks.nodes, 0.5)) return "html";
    if (enough(looks.listed, 0.5)) return "files";
  }
  if (hasVerdict && looks.run > 0 && looks.code < looks.lines * 0.7) return "build";
  if (enough(looks.log, 0.3) && looks.log > looks.code)
    return looks.run > looks.log ? "build" : "log";
  if (lines.isStamped) return looks.run > 2 ? "build" : "log";
  if (enough(looks.matches, 0.5)) return "matches";
  if (enough(looks.paths, 0.8)) return "files";
  const isScript = lines.line(0).startsWith("#!");
  if (!isScript && !hasVerdict && isMarkdown(lines, looks)) return "markdown";
  if (enough(looks.run, 0.12) && looks.run > looks.code * 0.6) return "build";
  if (!isScript && isMarkdown(lines, looks)) return "markdown";
  if (isScript || enough(looks.code, 0.35)) return "code";
  return hasVerdict || looks.run >= 2 ? "build" : "text";
}

function endsWithVerdict(lines: Lines): boolean {
  for (let index = Math.max(0, lines.size - 12); index < lines.size; index += 1) {
    if (isVerdict(lines.line(index))) return true;
  }
  return false;
}

function lookAt(lines: Lines): Looks {
  const looks: Looks = {
    ...{ lines: 0, code: 0, headings: 0, markdown: 0, log: 0, run: 0, paths: 0, listed: 0 },
    ...{ matches: 0, tags: 0, nodes: 0, settings: 0 },
  };
  for (const index of lines.probes(PROBES, LAST_LINES)) {
    const line = lines.line(index).slice(0, CHECKED_CHARS);
    const text = line.trim();
    if (text === "") continue;
    looks.lines += 1;
    if (/^#{1,6} \S/.test(line)) {
      looks.headings += 1;
      looks.markdown += 1;
    } else if (MARKDOWN.test(text)) looks.markdown += 1;
    if (text.startsWith("<")) looks.tags += 1;
    if (text.includes("[ref=") || text.startsWith("uid=") || NODE.test(text)) looks.nodes += 1;
    const isLogged = LEVEL.test(text) || isTimed(text);
    if (isLogged) looks.log += 1;
    if (LISTED.test(text) || STAT.test(text) || TREE.test(text)) looks.listed += 1;
    else if (!isLogged && MATCH.test(text)) looks.matches += 1;
    if (PATH.test(text) && /[/.]\w/.test(text)) looks.paths += 1;
    if (RUN.test(text)) looks.run += 1;
    if (SETTING.test(text)) looks.settings += 1;
    if (CODE.test(text) && !text.startsWith('{"')) looks.code += 1;
  }
  return looks;
}

function isMarkdown(page: Lines, { lines, code, headings, markdown, settings }: Looks): boolean {
  if (code >= lines * 0.4 || settings >= lines * 0.5) return false;
  if (headings >= 2) return markdown >= lines * 0.1 && code < markdown * 2;
  if (markdown < Math.max(2, lines * 0.2)) return false;
  // They may be far from each other.
  let found = headings;
  const { text } = page;
  for (let at = text.indexOf("\n#"); at !== -1 && found < 4; at = text.indexOf("\n#", at + 2)) {
    if (/^\n#{1,6} \S/.test(text.slice(at, at + 10))) found += 1;
  }
  return headings === 1 || found >= 4;
}

function isDiff(lines: Lines): boolean {
  for (let index = 0; index < Math.min(lines.size, 30); index += 1) {
    const line = lines.line(index);
    if (/^diff --(?:git|cc) /.test(line) || (index === 0 && line.startsWith("@@ -"))) return true;
    if (
      line.startsWith("--- ") &&
      index + 2 < lines.size &&
      lines.line(index + 1).startsWith("+++ ")
    ) {
      return lines.line(index + 2).startsWith("@@ ");
    }
  }
  return false;
}

function isHtml(lines: Lines, looks: Looks): boolean {
  // A fetching tool may put some lines before the page.
  for (let index = 0; index < Math.min(lines.size, 20); index += 1) {
    const line = lines.line(index).trimStart().slice(0, 15).toLowerCase();
    if (line.startsWith("```")) break;
    if (line.startsWith("<!doctype html") || /^<html[\s>]/.test(line)) return true;
  }
  return looks.tags >= 3 && looks.tags >= looks.lines * 0.5;
}
