import type { Lines } from "./lines.js";
import { outlineWith, type Entry } from "./outline.js";

/** What may declare something: a line that begins with one of these words, or ends with a brace. */
const LINE =
  /^[ \t]{0,8}(?:export|default|declare|public|private|protected|internal|static|final|abstract|override|async|pub|unsafe|extern|const|inline|virtual|sealed|partial|readonly|open|data|suspend|mut|function|class|interface|enum|namespace|module|type|struct|trait|union|def\w{0,8}|func|fn|fun|mod|object|record|protocol|extension|macro_rules|impl|CREATE|describe|context|suite|it|test|specify|scenario|[ts]\.Run|let|var|val|exports|[A-Z][A-Z\d_]{2,60}\s?[:=])(?![\w-])|\{[ \t]{0,3}$/gm;
const MODIFIERS =
  "(?:export |default |declare |public |private |protected |internal |static |final |abstract |override |async |pub(?:\\([a-z]+\\))? |unsafe |extern |const |inline |virtual |sealed |partial |readonly |open |data |suspend |mut ){0,6}";
const KEYWORDS =
  "(?:function\\*?|class|interface|enum|namespace|module|type|struct|trait|union|defp?|defmodule|defmacro|func|fn|fun|mod|object|record|protocol|extension|macro_rules!|impl(?:<[^>]{0,60}>)?|CREATE (?:OR REPLACE )?[A-Z]{4,9})";
/** What declares something: its name; a test, by what it says. */
const DECLARED = new RegExp(
  `^(?:${MODIFIERS}${KEYWORDS}\\s+(?:\\([^)]{0,80}\\)\\s*)?([\\w$.:"\`-]{1,100})|(?:describe|context|suite|it|test|specify|scenario|[ts]\\.Run)(?:\\.\\w{1,20}){0,4}(?:\\s?\\(\\s*| (?=["']))(?:[\`'"](.{1,160}?)[\`'"]|(\\w[\\w.]{1,80})))`,
);
/** A value with a name, or what has a block, at the outermost level. */
const VALUE =
  /^(?:export (?:default )?)?(?:const|let|var|val|static|type) (?:mut )?([\w$]{1,80})\b|^(?:exports|module\.exports)\b(?:\.(\w+))?|^([A-Z][A-Z\d_]{2,60})\s?(?::[^=]{1,60})?=|^((?!try|do |begin|finally|import|export|default)(?:[.#@&:*]|[a-z][a-z\d]{0,10}[ .,:>])[\w:.#@> ~+*[\]="',()-]{0,80}?) ?\{$/;
/** A method: a name, parameters, and a brace at the end. */
const METHOD =
  /^(?:(?:public|private|protected|internal|static|async|override|readonly|abstract|final|virtual|get|set|synchronized) ){0,6}(?:[\w<>[\], ?.]{1,60} )?\*?#?([\w$]{1,80})\s?\([^;=]{0,200}\)(?:: ?[^=;(]{1,80}| (?:const|override|noexcept|throws [\w, .]{1,80}))? ?\{$/;
const BLOCK = /^(?:if|for|while|switch|catch|return|else|with|do|await|new|throw|try)\b/;
const NO_METHOD =
  /^(?:function|using|lock|foreach|match|super|typeof|import|export|const|let|var)\b/;
const MAX_PARTS = 4;

/** The declarations of a file, the tests of a test file; `undefined` if none were found. */
export function codeDigest(lines: Lines, _: readonly number[], room: number): string | undefined {
  const entries: Entry[] = [];
  let unit = 0;
  let tests = 0;
  for (const index of lines.find(LINE)) {
    const line = lines.line(index);
    const text = line.trimStart();
    const indent = line.length - text.length;
    const found = readDeclaration(text, indent);
    if (found === undefined) continue;
    if (found.isTest) tests += 1;
    if (indent > 0 && unit === 0) unit = line.startsWith("\t") ? 1 : Math.min(4, indent);
    const level = 1 + (unit === 0 ? 0 : Math.round(indent / unit));
    const shown = text.replace(/\s{0,3}(?:=> )?[{:(]$/, "");
    entries.push({ number: lines.number(index), text: shown, name: found.name, level });
  }
  if (entries.length === 0) return undefined;
  const what = tests * 2 > entries.length ? "tests and groups of tests" : "declarations";
  return outlineWith(lines, fileNotes(lines), entries, what + lines.part, room);
}

function readDeclaration(text: string, indent: number) {
  if (text.endsWith("{") && BLOCK.test(text)) return undefined;
  const [, declared, says, called] = DECLARED.exec(text) ?? [];
  if (declared !== undefined) {
    return { name: declared, isTest: /^test_|^Test[A-Z_]/.test(declared) };
  }
  if (says !== undefined || called !== undefined) return { name: says ?? called, isTest: true };
  const value = indent === 0 ? VALUE.exec(text) : null;
  if (value) return { name: value.slice(1).find(Boolean) ?? "exports", isTest: false };
  const method = NO_METHOD.test(text) ? null : METHOD.exec(text);
  return method ? { name: method[1], isTest: false } : undefined;
}

/** Where the lines of a listing are in their files: the numbers here are those that the tools count. */
function fileNotes(lines: Lines): string[] {
  const parts: { here: number; own: number; last: number }[] = [];
  for (let index = 0; lines.isNumbered && index < lines.walked; index += 1) {
    const own = lines.ownNumber(index);
    const here = lines.number(index);
    const part = parts.at(-1);
    if (own === undefined) continue;
    if (part && own === part.own + here - part.here) part.last = here;
    else parts.push({ here, own, last: here });
  }
  const some = parts.filter(({ here, last }) => last > here);
  if (some.every(({ here, own }) => here === own)) return [];
  const shown = some.slice(0, MAX_PARTS).map(({ here, own, last }) => {
    return `${here}–${last} here are ${own}–${own + last - here} of its file`;
  });
  const more = some.length > MAX_PARTS ? ` (${MAX_PARTS} of ${some.length} parts)` : "";
  return [`Lines ${shown.join("; ")}${more}.`];
}
