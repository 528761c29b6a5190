const WORD = 1;
const DIGIT = 2;
const HEX = 4;

/** The classes of each ASCII character; other characters have none. */
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[0-9]/.test(character)) return WORD | DIGIT | HEX;
  if (/[a-f]/i.test(character)) return WORD | HEX;
  return /[\w-]/.test(character) ? WORD : 0;
});

const OPENING = 91;
const CLOSING = 93;
const MAX_BRACKET_CHARS = 100;
/** A word of at least this many hexadecimal letters counts as an id. */
const MIN_HEX_CHARS = 8;

/**
 * A line with `#` for the parts that vary between similar lines: words with a digit, long hexadecimal
 * words, and text in brackets. Written by hand, since a log may have thousands of such lines, and a
 * regular expression with a callback takes several times as long.
 */
export function maskVarying(line: string): string {
  let masked = "";
  let copied = 0;
  let at = 0;
  while (at < line.length) {
    const start = at;
    const end = endOfWord(line, at);
    if (end > at) {
      at = end;
      if (!isVarying(line, start, end)) continue;
    } else {
      at = line.charCodeAt(at) === OPENING ? endOfBracket(line, at) : at;
      if (at === start) {
        at++;
        continue;
      }
    }
    masked += `${line.slice(copied, start)}#`;
    copied = at;
  }
  return masked + line.slice(copied);
}

function endOfWord(line: string, start: number): number {
  let at = start;
  while (at < line.length && ((CLASSES[line.charCodeAt(at)] ?? 0) & WORD) !== 0) at++;
  return at;
}

function isVarying(line: string, start: number, end: number): boolean {
  let isHex = end - start >= MIN_HEX_CHARS;
  for (let at = start; at < end; at++) {
    const classes = CLASSES[line.charCodeAt(at)] ?? 0;
    if ((classes & DIGIT) !== 0) return true;
    if ((classes & HEX) === 0) isHex = false;
  }
  return isHex;
}

/** The position after the closing bracket, or `start` if the text in brackets is long or nested. */
function endOfBracket(line: string, start: number): number {
  for (let at = start + 1; at < line.length && at <= start + MAX_BRACKET_CHARS + 1; at++) {
    const code = line.charCodeAt(at);
    if (code === CLOSING) return at + 1;
    if (code === OPENING) return start;
  }
  return start;
}
