import { outline, type Entry } from "./compose.js";
import type { Lines } from "./lines.js";

/** Lines that are looked at in a long text. */
const MAX_WALKED = 20_000;
const MODIFIERS =
  "(?:export |default |declare |public |private |protected |internal |static |final |abstract |override |async |pub(?:\\([a-z]+\\))? |unsafe |extern |const |inline |virtual |sealed |partial |readonly |open |data |suspend |mut ){0,6}";
/** What declares something, at the start of a line; its name comes next. */
const DECLARED = new RegExp(
  `^${MODIFIERS}(?:function\\*?|class|interface|enum|namespace|module|type|struct|trait|union|def|defp|defmodule|defmacro|func|fn|fun|mod|object|record|protocol|extension|macro_rules!|impl(?:<[^>]{0,60}>)?|CREATE (?:OR REPLACE )?(?:TABLE|VIEW|FUNCTION|INDEX|PROCEDURE|TRIGGER|TYPE))\\s+(?:\\([^)]{0,80}\\)\\s*)?([\\w$.:"\`-]{1,100})`,
);
/** A value with a name, at the outermost level. */
const VALUE =
  /^(?:export (?:default )?)?(?:const|let|var|val|static|type) (?:mut )?([\w$]{1,80})\b|^(?:exports|module\.exports)\b(?:\.(\w+))?|^([A-Z][A-Z\d_]{2,60})\s?(?::[^=]{1,60})?=/;
/** A method: a name, parameters, and a brace at the end. */
const METHOD =
  /^(?:(?:public|private|protected|internal|static|async|override|readonly|abstract|final|virtual|get|set|synchronized) ){0,6}(?:[\w<>[\], ?.]{1,60} )?\*?#?([\w$]{1,80})\s?\([^;=]{0,200}\)(?:: ?[^=;(]{1,80}| (?:const|override|noexcept|throws [\w, .]{1,80}))? ?\{$/;
/** A test, by what it says. */
const TEST =
  /^(?:describe|context|suite|it|test|specify|scenario|t\.Run|s\.Run)(?:\.\w{1,20}){0,4}(?:\s?\(\s*| (?=["']))(?:[`'"](.{1,160}?)[`'"]|(\w[\w.]{1,80}))/;
const NOT_METHODS =
  /^(?:if|for|while|switch|catch|return|else|function|with|do|await|new|throw|using|lock|foreach|match|super|typeof|import|export|const|let|var)\b/;
/** A rule of a style sheet. */
const RULE =
  /^([.#@&:][\w:.#@> ~+*[\]="',()-]{1,80}|[a-z][a-z\d]{0,10}(?:[ .,:>][\w:.#> ,-]{0,80})?) \{$/;

const MAX_PARTS = 4;

/** The declarations of a file, the tests of a test file; `undefined` if none were found. */
export function codeDigest(
  lines: Lines,
  asked: ReadonlySet<number>,
  room: number,
): string | undefined {
  const entries = declarations(lines, asked);
  if (entries.length === 0) return undefined;
  const isTest = entries.filter(({ isTest }) => isTest).length * 2 > entries.length;
  const noted = [...lines.notes, ...fileNotes(lines)].join("\n");
  const what = isTest
    ? "tests and groups of tests"
    : entries.length === 1
      ? "declaration"
      : "declarations";
  const left = room - (noted === "" ? 0 : noted.length + 1);
  const text = outline(entries, lines.whole ? what : `${what} in the parts that were read`, left);
  return noted === "" ? text : `${noted}\n${text}`;
}

function declarations(lines: Lines, asked: ReadonlySet<number>): (Entry & { isTest: boolean })[] {
  const entries: (Entry & { isTest: boolean })[] = [];
  const most = Math.min(lines.size, MAX_WALKED);
  let unit = 0;
  for (let index = 0; index < most; index += 1) {
    const line = lines.line(index);
    const text = line.trimStart();
    if (text.length < 4) continue;
    const indent = line.length - text.length;
    if (indent > 8 && !/^(?:it|test|t\.Run|s\.Run|describe)/.test(text)) continue;
    const found = readDeclaration(text, indent);
    if (found === undefined) continue;
    if (indent > 0 && unit === 0) unit = line.startsWith("\t") ? 1 : Math.min(4, indent);
    const level = 1 + (unit === 0 ? 0 : Math.round(indent / unit));
    const shown = text.replace(/\s{0,3}(?:=> )?[{:(]$/, "");
    const { name, isTest } = found;
    entries.push({
      ...{ number: lines.number(index), text: shown, name, level, isTest },
      isAsked: asked.has(index),
    });
  }
  return entries;
}

function readDeclaration(
  text: string,
  indent: number,
): { name: string; isTest: boolean } | undefined {
  const code = text.charCodeAt(0);
  // A comment, an import, the end of a block.
  if (code === 47 || code === 42 || code === 125 || code === 41) return undefined;
  const test = TEST.exec(text);
  if (test) return { name: test[1] ?? test[2] ?? "", isTest: true };
  const declared = DECLARED.exec(text);
  if (declared) {
    const name = declared[1] ?? "";
    return { name, isTest: /^test_|^Test[A-Z_]/.test(name) };
  }
  if (indent === 0) {
    const value = VALUE.exec(text);
    if (value) return { name: value[1] ?? value[2] ?? value[3] ?? "exports", isTest: false };
    const rule = text.endsWith("{") ? RULE.exec(text) : null;
    if (rule && !NOT_METHODS.test(text)) return { name: rule[1] ?? "", isTest: false };
  }
  if (!text.endsWith("{") || NOT_METHODS.test(text)) return undefined;
  const method = METHOD.exec(text);
  return method ? { name: method[1] ?? "", isTest: false } : undefined;
}

/** Where the lines of a listing are in their files: the numbers here are those that the tools count. */
function fileNotes(lines: Lines): string[] {
  if (!lines.isNumbered) return [];
  const parts: { here: number; own: number; last: number }[] = [];
  const most = Math.min(lines.size, MAX_WALKED);
  for (let index = 0; index < most; index += 1) {
    const own = lines.ownNumber(index);
    if (own === undefined) continue;
    const here = lines.number(index);
    const part = parts.at(-1);
    if (part && own === part.own + here - part.here) part.last = here;
    else if (parts.length < 200) parts.push({ here, own, last: here });
  }
  const some = parts.filter(({ here, last }) => last > here);
  const [first] = some;
  if (first === undefined || (some.length === 1 && first.here === first.own)) return [];
  const shown = some
    .slice(0, MAX_PARTS)
    .map(
      ({ here, own, last }) => `${here}–${last} here are ${own}–${own + last - here} of its file`,
    );
  const more = some.length > MAX_PARTS ? ` (${MAX_PARTS} of ${some.length} parts)` : "";
  return [`Lines ${shown.join("; ")}${more}.`];
}
