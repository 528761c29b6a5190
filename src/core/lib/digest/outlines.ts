import type { Entry, Page } from "./outline.js";
import { clip, formatCount, toPrintableLine } from "../text/printable.js";

/** What may declare something: a line that begins with one of these words, or ends with a brace. */
const LINE =
  /^[ \t]{0,8}(?:export|default|declare|public|private|protected|internal|static|final|abstract|override|async|pub|unsafe|extern|const|inline|virtual|sealed|partial|readonly|open|data|suspend|mut|function|class|interface|enum|namespace|module|type|struct|trait|union|def\w{0,8}|func|fn|fun|mod|object|record|protocol|extension|macro_rules|impl|CREATE|describe|context|suite|it|test|specify|scenario|[ts]\.Run|let|var|val|exports|[A-Z][A-Z\d_]{2,60}\s?[:=])(?![\w-])|\{[ \t]{0,3}$/gm;
const DECLARED =
  /^(?:export |default |declare |public |private |protected |internal |static |final |abstract |override |async |pub(?:\([a-z]+\))? |unsafe |extern |const |inline |virtual |sealed |partial |readonly |open |data |suspend |mut ){0,6}(?:function\*?|class|interface|enum|namespace|module|type|struct|trait|union|defp?|defmodule|defmacro|func|fn|fun|mod|object|record|protocol|extension|macro_rules!|impl(?:<[^>]{0,60}>)?|CREATE (?:OR REPLACE )?[A-Z]{4,9})\s+(?:\([^)]{0,80}\)\s*)?([\w$.:"`-]{1,100})/;
const TEST =
  /^(?:describe|context|suite|it|test|specify|scenario|[ts]\.Run)(?:\.\w{1,20}){0,4}(?:\s?\(\s*| (?=["']))(?:[`'"](.{1,160}?)[`'"]|(\w[\w.]{1,80}))/;
/** A value with a name, or what has a block, at the outermost level. */
const VALUE =
  /^(?:export (?:default )?)?(?:const|let|var|val|static|type) (?:mut )?([\w$]{1,80})\b|^(?:module\.)?exports\b(?:\.(\w+))?|^([A-Z][A-Z\d_]{2,60})\s?(?::[^=]{1,60})?=|^((?!try|do |begin|finally|import|export|default)(?:[.#@&:*]|[a-z][a-z\d]{0,10}[ .,:>])[\w:.#@> ~+*[\]="',()-]{0,80}?) ?\{$/;
/** A method: a name, parameters, and a brace at the end. */
const METHOD =
  /^(?!(?:function|using|lock|foreach|match|super|typeof|import|export|const|let|var)\b)(?:(?:public|private|protected|internal|static|async|override|readonly|abstract|final|virtual|get|set|synchronized) ){0,6}(?:[\w<>[\], ?.]{1,60} )?\*?#?([\w$]{1,80})\s?\([^;=]{0,200}\)(?:: ?[^=;(]{1,80}| (?:const|override|noexcept|throws [\w, .]{1,80}))? ?\{$/;
const BLOCK = /^(?:if|for|while|switch|catch|return|else|with|do|await|new|throw|try)\b/;

/** The declarations of a file, the tests of a test file. */
export function codeDigest(page: Page): boolean {
  const { lines } = page;
  let unit = 0;
  let tests = 0;
  const entries = lines.find(LINE).flatMap((index): Entry[] => {
    const line = lines.line(index);
    const text = line.trimStart();
    const indent = line.length - text.length;
    if (text.endsWith("{") && BLOCK.test(text)) return [];
    const test = TEST.exec(text);
    const found =
      DECLARED.exec(text) ?? test ?? (indent === 0 ? VALUE.exec(text) : null) ?? METHOD.exec(text);
    if (found === null) return [];
    const name = found.slice(1).find(Boolean) ?? "exports";
    if (test || /^test_|^Test[A-Z_]/.test(name)) tests += 1;
    if (indent > 0) unit ||= line.startsWith("\t") ? 1 : Math.min(4, indent);
    const level = 1 + Math.round(indent / (unit || 1));
    const shown = text.replace(/\s{0,3}(?:=> )?[{:(]$/, "");
    return [{ number: lines.number(index), text: shown, name, level }];
  });
  const what = tests * 2 > entries.length ? "tests and groups of tests" : "declarations";
  if (entries.length > 0) page.outline(entries, what + lines.part);
  return entries.length > 0;
}

const MAX_WALKED = 60_000;
const MARKED = /^(?:diff --|[-+]|@@|new file|deleted file)/my;

/** The files of a diff, each with the lines that were added and removed, and where it begins. */
export function diffDigest(page: Page): boolean {
  const { lines } = page;
  const files: {
    number: number;
    name: string;
    added: number;
    removed: number;
    isOpen: boolean;
    note: string;
  }[] = [];
  const marked = lines.find(MARKED, "-+@dn", Math.min(lines.size, MAX_WALKED));
  for (const index of marked) {
    const line = lines.line(index);
    const file = files.at(-1);
    const isHead =
      line.startsWith("--- ") &&
      lines.line(index + 1).startsWith("+++ ") &&
      lines.line(index + 2).startsWith("@@");
    const isNew = line.startsWith("diff --") || (isHead && file?.isOpen !== false);
    if (isNew || (file === undefined && line.startsWith("@@"))) {
      const name = isNew ? nameOf(line) : "(no file name)";
      files.push({
        number: lines.number(index),
        name,
        added: 0,
        removed: 0,
        isOpen: isHead,
        note: "",
      });
    } else if (file === undefined) continue;
    else if (line.startsWith("@@")) file.isOpen = true;
    else if (line.startsWith("+++ ") && (!file.isOpen || file.added + file.removed === 0)) {
      if (line !== "+++ /dev/null") file.name = nameOf(line);
    } else if (file.isOpen && line.startsWith("+")) file.added += 1;
    else if (file.isOpen && line.startsWith("-")) file.removed += 1;
    else if (!line.startsWith("-")) file.note = ` (${line.slice(0, line.indexOf(" file") + 5)})`;
  }
  if (files.length === 0) return false;
  const signed = (sign: string, count: number): string[] =>
    count > 0 ? [`${sign}${formatCount(count)}`] : [];
  let [added, removed] = [0, 0];
  const entries = files.map(({ number, name, added: more, removed: less, note }): Entry => {
    added += more;
    removed += less;
    const counts = ["", ...signed("+", more), ...signed("−", less)].join(" ");
    const text = name + counts + note;
    return { number, text, name: name.slice(name.lastIndexOf("/") + 1) + counts };
  });
  const part = lines.whole && lines.size <= MAX_WALKED ? "" : " in the parts that were read";
  const what = ["files changed", ...signed("+", added), ...signed("−", removed)].join(", ");
  for (let index = 0; index < Math.min(3, marked[0] ?? 0); index += 1) page.quote(index, 120);
  page.outline(entries, what + part);
  return true;
}

/** `diff --git a/x b/x`: both sides are the same, unless it was renamed. */
function nameOf(line: string): string {
  const [, path = ""] = /^(?:diff --.{0,500} |(?:---|\+\+\+) )([^\t]{1,500})/.exec(line) ?? [];
  return path.replace(/^[abciw]\//, "");
}

/** A heading, what is below one, and what begins or ends a block of code. */
const MARKS = /^(?:#{1,6} \S|={3,}[ \t]*$|-{3,}[ \t]*$| {0,3}(?:`{3}|~{3}))/my;

/** All headings of a document. */
export function markdownDigest(page: Page): boolean {
  const { lines } = page;
  let fence = "";
  const headings = lines.find(MARKS, "#=- `~").flatMap((index): Entry[] => {
    const line = lines.line(index);
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark?.startsWith(fence) === true) fence = fence === "" ? mark : "";
    if (fence !== "" || mark !== undefined) return [];
    const isTitle = line.startsWith("#");
    const at = isTitle ? index : index - 1;
    const text = at < 0 ? "" : lines.line(at);
    if (!isTitle && !/^[^\s#|>`*-]/.test(text)) return [];
    const level = isTitle ? line.indexOf(" ") : line.startsWith("=") ? 1 : 2;
    const name = text.replace(/^#+ /, "").replace(/\]\([^)]{0,400}\)/g, "]");
    return [{ number: lines.number(at), text, name, level }];
  });
  const [first] = headings;
  if (first === undefined) return false;
  if (first.number !== lines.number(0)) page.quote(0, 160);
  page.outline(headings, `headings${lines.part}`);
  return true;
}

/** Only this much of a page is read. */
const PAGE_CHARS = 131_072;
const HIDDEN = /<(script|style|noscript|template|svg)\b[^]*?(?:<\/\1>|$)|<!--[^]*?(?:-->|$)/gi;
/** A heading of a page, or a node of a snapshot of one: what divides the page, or what can be used. */
const HEADING = /<(title|h[1-6])(?:\s[^>]{0,300})?>([^]{0,300}?)<\/\1>/gi;
const NODE =
  /^[ \t]{0,40}(?:- '?|\[\d+\] ?|uid=\w{1,40} )(?:(heading|navigation|main|banner|dialog|alert|form|search|region|tab|table|contentinfo|article)\b([^\n]{0,160})|(link|button|textbox|checkbox|combobox|img|row|listitem)\b)/gm;

/** Title and headings of a page; of a snapshot of one its landmarks, and how much in it can be used. */
export function htmlDigest(page: Page): boolean {
  const { lines } = page;
  const offset = lines.start(0);
  const text = lines.text.slice(offset, offset + PAGE_CHARS);
  // What is hidden has no headings; the others stay where they are.
  const html = text.replace(HIDDEN, (hidden) => " ".repeat(hidden.length));
  const entries: Entry[] = [];
  const used = new Map<string, number>();
  for (const match of [...html.matchAll(HEADING), ...html.matchAll(NODE)]) {
    const [, tag = "", inner = "", role] = match;
    const name = toPrintableLine(inner.replace(/<[^>]*(?:>|$)/g, " ").replace(/\s+/g, " ")).trim();
    const number = lines.number(lines.at(offset + match.index));
    const level = /^h\d/.test(tag) ? Number(tag.charAt(1)) : 1;
    if (role !== undefined) used.set(role, (used.get(role) ?? 0) + 1);
    else entries.push({ number, text: `${tag.toLowerCase()} ${clip(name, 100)}`, name, level });
  }
  if (entries.length === 0 && used.size === 0) return false;
  if (used.size > 0) {
    // A snapshot begins with its address and its title.
    for (const index of [0, 1, 2]) page.quote(index, 160);
    const sums = [...used].map(([role, count]) => `${formatCount(count)} ${role}`);
    page.say(`In it: ${sums.join(", ")}.`, Infinity);
  }
  const isPart = text.length < lines.text.length - offset;
  const part = isPart ? ` in its first ${formatCount(text.length)} chars` : "";
  const what = used.size > 0 ? "headings and landmarks" : "titles and headings";
  if (entries.length > 0) page.outline(entries, what + part);
  return true;
}
