const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
const DASHES = "-----";
const END = /-----END [A-Z0-9 ]{1,60}-----/y;
/** A line of the key itself, whatever a listing or a diff put around it. */
const KEY_LINE = /[A-Za-z0-9+/=]{32}/;
/** What else is between the first line and the last: a header, or nothing. */
const OTHER_LINE = /^[^A-Za-z]{0,20}(?:[A-Za-z][\w-]{0,30}: .{0,200})?$/;
const LAST_KEY_LINE = /^[^A-Za-z]{0,20}[A-Za-z0-9+/=]{4,31}\W{0,8}$/;

/**
 * Replaces private keys in the form of PEM, with headers or without, of any length, in a text or in the
 * text of JSON; also those whose end is missing.
 */
export function redactPrivateKeys(text: string, mark: string): string {
  let redacted = "";
  let done = 0;
  BEGIN.lastIndex = 0;
  for (let found = BEGIN.exec(text); found; found = BEGIN.exec(text)) {
    const start = found.index;
    const from = start + found[0].length;
    const next = text.indexOf(DASHES, from);
    END.lastIndex = next;
    const end = next === -1 ? null : END.exec(text);
    const body = text.slice(from, next === -1 ? undefined : next);
    const length = end ? (KEY_LINE.test(body) ? body.length + end[0].length : 0) : keyLength(body);
    // Each part of the text is looked at once: the next key begins after these dashes.
    BEGIN.lastIndex = next === -1 ? text.length : end ? END.lastIndex : next;
    if (length === 0) continue;
    redacted += text.slice(done, start) + mark;
    done = from + length;
  }
  return done === 0 ? text : redacted + text.slice(done);
}

/** How much of a text without an end is still the key. */
function keyLength(body: string): number {
  let length = 0;
  let at = 0;
  for (const line of body.split(/(\r?\n|\\r|\\n)/)) {
    at += line.length;
    if (KEY_LINE.test(line)) length = at;
    else if (length > 0 && LAST_KEY_LINE.test(line)) return at;
    else if (!OTHER_LINE.test(line) && !/^\\[rn]$/.test(line)) break;
  }
  return length;
}
