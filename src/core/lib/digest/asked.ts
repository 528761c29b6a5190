import type { Lines } from "./lines.js";

const MAX_ABOUT_CHARS = 4_096;
const MAX_WORDS = 16;
/** A word that is on more lines does not tell them apart. */
const MAX_USES = 2;
const MAX_LINES = 3;
const SEARCHED_CHARS = 131_072;
/** What may be the name of something. */
const WORD = /[A-Za-z_$][\w$-]{3,60}(?:[./:]+[\w$-]{1,60}){0,8}/g;
/** A name, rather than a word of a sentence or an option of a command. */
const NAME = /[a-z][A-Z]|[_\d$]|[./:]\w|^[A-Z]{4,}$/;

/** The lines that share a rare word with what the call was for. */
export function linesAskedFor(lines: Lines, about: string | undefined): ReadonlySet<number> {
  const asked = new Set<number>();
  if (about === undefined || about === "" || lines.size < 8) return asked;
  const text =
    lines.text.length > SEARCHED_CHARS ? lines.text.slice(0, SEARCHED_CHARS) : lines.text;
  const words = new Set(about.slice(0, MAX_ABOUT_CHARS).match(WORD));
  let searched = 0;
  for (const word of words) {
    const isName = NAME.test(word);
    if (!isName && word.length < 6) continue;
    searched += 1;
    if (searched > MAX_WORDS || asked.size >= MAX_LINES) break;
    const found: number[] = [];
    for (let at = text.indexOf(word); at !== -1 && found.length <= MAX_USES;) {
      found.push(lines.at(at));
      at = text.indexOf(word, at + word.length);
    }
    // A word of a sentence must stand once, a name may stand on two lines.
    if (found.length === 0 || found.length > (isName ? MAX_USES : 1)) continue;
    for (const index of found)
      if (index >= 0 && index < lines.size && asked.size < MAX_LINES) asked.add(index);
  }
  return asked;
}
