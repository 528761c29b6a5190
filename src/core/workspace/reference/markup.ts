import { hiddenCharacters } from "../../lib/text/printable.js";

/** What could end the reference, or pose as a part of one, however it is spelled. */
const OUR_TAG = /<(?=[\s/]*knowledge)/gi;
/** What would be unescaped although nobody escaped it. */
const OUR_ESCAPE = /&(?=(?:amp|lt|gt|quot|#\d+);)/g;

const PLAIN = /^[\w .,:/~-]*$/;

/** Escapes text for use between tags: only what could be taken for our own markup, so that code stays readable. */
export function escapeMarkup(text: string): string {
  const escaped = text.includes("&") ? text.replace(OUR_ESCAPE, "&amp;") : text;
  return escaped.includes("<") ? escaped.replace(OUR_TAG, "&lt;") : escaped;
}

/** Escapes text for use in a double-quoted attribute; what cannot be seen becomes a number. */
export function escapeAttribute(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replace(/[&<>"\n\t]/g, (character) => ESCAPES[character] ?? character)
    .replace(hiddenCharacters(), (character) => `&#${character.codePointAt(0) ?? 0};`);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\t": "&#9;",
};

const UNESCAPES = new Map(
  Object.entries(ESCAPES).map(([character, escape]) => [escape, character]),
);

const LAST_CODE_POINT = 0x10ffff;

export function unescapeMarkup(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#(\d+));/g, (escape, code: string | undefined) => {
    if (code === undefined) return UNESCAPES.get(escape) ?? escape;
    // Whoever wrote it, a reference never makes its reader throw.
    return Number(code) > LAST_CODE_POINT ? escape : String.fromCodePoint(Number(code));
  });
}
