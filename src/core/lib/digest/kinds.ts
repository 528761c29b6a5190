import type { ContentKind } from "./content-kind.js";
import { STAMP, type Lines } from "./lines.js";
import { isVerdict, signOf } from "./verdicts.js";

// They see at most `CHECKED_CHARS` characters of a line, and none can backtrack.
const CHECKED_CHARS = 160;
const PROBES = 28;
const LAST_LINES = 8;
/** How far from the end the verdict of a run may be. */
const END_LINES = 12;

const LEVEL =
  /^\W{0,3}(?:\w{1,20}[ :] ?)?\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|NOTICE)\b|\blevel=\w/;
const RUN =
  /^\s*(?:[✓✔√✗✘✖×●❌✕]|PASS(?:ED)?\b|FAIL(?:ED)?\b|ok \d|ok {2}|not ok|--- (?:PASS|FAIL|SKIP)|=== (?:RUN|CONT|PAUSE)|npm (?:ERR!|error|warn|WARN)|error(?:\[|:| TS)|warning(?:\[|:)|Compiling |Downloading |Downloaded |Installing |Collecting |Requirement already|Tests?:? {1,9}\d|Test (?:Suites|Files):? |Found \d+ error|Ran \d+ test|collected \d|={5}|> [\w@/.-]{1,60}@\d|##\[|\+ \w|\[(?:INFO|ERROR|WARNING)\]|Caused by|at [\w.$<>]{1,80}\(|Traceback|#\d+ (?:\[|DONE|\d))|\(\d{1,6},\d{1,6}\): error|:\d{1,6}:\d{1,6}(?: -|:) (?:error|warning)|\b(?:PASSED|FAILED|SKIPPED)\b|\.\.\. ?(?:ok|FAILED)/;
const CODE =
  /[{};(]$|^[}\])@]|^\/[/*]|^(?:import|export|const|let|var|function|class|interface|enum|namespace|module|def|func|fn|impl|mod|pub|use|package|public|private|protected|static|async|await|return|if|else|elif|for|while|switch|case|try|catch|throw|raise|from|type|struct|trait|self|this|describe|it|test|expect|assert|yield|with|end|except|finally|#include)\b(?!.{0,160}[.?!]$)/;
const MARKDOWN = /^(?:[-*+] |\d{1,3}[.)] |```|> |\*\*|\| |!?\[[^\]]+\]\()/;
const LISTED =
  /^[-dlbcps][-rwxsStTl]{9}[@+.]?\s+\d| \| {1,6}(?:\d{1,7}(?: [+-]|$)|Bin )|[├└]──|^(?:│ {2,3}){0,20}[├└]/;
/** What must come is looked for first, on its own: the two ranges before it would be tried in all their lengths. */
const MATCH =
  /^(?=[^\s|"<>(:]{1,241}[:-]\d)(?!\d{4}-\d\d-)[^\s|"<>(:]{0,160}[A-Za-z][^\s|"<>(:]{0,80}[:-]\d{1,7}[:-]|^\d{1,7}[:-](?!\d\d[:-])(?!\s*$)/;
const PATH = /^(?=.{0,240}[/.]\w)(?:[A-Z]:)?[^\s:|<>"'`(){},;=*]{1,240}$/;
const NODE =
  /\[ref=|^uid=|^- (?:generic|link|button|heading|text|paragraph|img|list|listitem|navigation|textbox|main|banner)\b/;
const SETTING = /^(?:- )?[\w.$"'-]{1,60}:(?:\s|$)/;
const FENCE = /^ {0,3}`{3}/my;
const HEADING = /^#{1,6} \S/;
const SECTIONS = /^#{2,6} \S/my;
/** What one of the first lines tells alone; a tool may put some lines before a diff or a page. */
const FIRST_LINES = 30;
const FIRST_CHARS = 8_192;
const DIFF = /^@@ -|(?:^|\n)(?:diff --(?:git|cc) |--- [^\n]{1,400}\n\+\+\+ [^\n]{1,400}\n@@ )/;
const PAGE = /(?:^|\n)[ \t]{0,20}<(?:!doctype html|html[\s>])/i;

/** The kind of a text, by lines from all of it. */
export function detectKind(lines: Lines): ContentKind {
  const opening = lines.text
    .slice(lines.start(0), lines.start(FIRST_LINES + 2))
    .slice(0, FIRST_CHARS);
  if (DIFF.test(opening)) return "diff";
  const fences = lines.isNumbered && lines.text.includes("```") ? lines.find(FENCE, " `") : [];
  const isFenced = (at: number): boolean => fences.filter((fence) => fence <= at).length % 2 === 1;
  const seen = lines
    .probes(PROBES, LAST_LINES)
    .flatMap((at) => (isFenced(at) ? [] : [lines.line(at).slice(0, CHECKED_CHARS)]));
  const texts = seen.map((line) => line.trim()).filter((text) => text !== "");
  const { length } = texts;
  const count = (look: RegExp): number => texts.filter((text) => look.test(text)).length;
  const most = (found: number, share: number): boolean => found > 2 && found >= length * share;
  const runs = count(RUN);
  const isEnded = (): boolean =>
    lines
      .probes(0, END_LINES)
      .slice(-END_LINES)
      .some((at) => isVerdict(signOf(lines.line(at))));
  if (lines.isStamped) {
    return runs > 0 && (runs > Math.max(2, count(LEVEL)) || isEnded()) ? "build" : "log";
  }
  const codes = texts.filter((text) => CODE.test(text) && !text.startsWith('{"')).length;
  const headings = seen.filter((line) => HEADING.test(line)).length;
  const marks = headings + count(MARKDOWN);
  const isCode = codes >= length * 0.4;
  // In most languages, a single mark begins a comment.
  const hasSections = (): boolean =>
    lines.text.includes("## ") && lines.find(SECTIONS, "#").length > 3;
  if (lines.isNumbered) {
    const isDocument = !isCode && ((marks > codes && headings > 1) || hasSections());
    return isDocument ? "markdown" : "code";
  }
  const hasVerdict = isEnded();
  if (!hasVerdict) {
    const page = PAGE.exec(opening);
    const isPage = page !== null && !opening.slice(0, page.index).includes("```");
    if (isPage || most(count(/^</), 0.5) || most(count(NODE), 0.5)) return "html";
    if (most(count(LISTED), 0.5)) return "files";
  }
  if (hasVerdict && runs > 0 && codes < length * 0.7) return "build";
  const isLogged = (text: string): boolean => LEVEL.test(text) || STAMP.test(text);
  const logs = texts.filter(isLogged).length;
  if (most(logs, 0.3) && logs > codes) return runs > logs ? "build" : "log";
  const matches = texts.filter((text) => MATCH.test(text) && !LISTED.test(text) && !isLogged(text));
  if (most(matches.length, 0.5)) return "matches";
  if (most(count(PATH), 0.8)) return "files";
  const isScript = lines.line(0).startsWith("#!");
  const isMarked = (): boolean =>
    (headings > 1 && marks >= length * 0.1 && codes < marks * 2) ||
    (headings === 1 && marks >= Math.max(2, length * 0.2)) ||
    hasSections();
  const isPlain = !isScript && !isCode && count(SETTING) < length * 0.5;
  const isRun = most(runs, 0.12) && runs > codes * 0.6;
  if (isPlain && !(hasVerdict && isRun) && isMarked()) return "markdown";
  if (isRun) return "build";
  if (isScript || most(codes, 0.35)) return "code";
  return hasVerdict || runs >= 2 ? "build" : "text";
}
