/**
 * Secrets that are known by the name before them: `DB_PASSWORD=…`, `"SecretAccessKey": "…"`,
 * `x-api-key: …`, `?token=…`. The name says that a secret may follow. Whether one does is judged by the
 * value, since code, types, labels and placeholders have such names before them, too.
 */

/** The end of a name; the group is there for passwords, which may be short. */
const NAME = String.raw`(?:(pass(?:word|wd|phrase)|(?<=[_-])pass|(?<=[_;?&-]|; )pwd)|secret|credentials?|authorization|(?<=[_"'])auth|(?<!(?:next|page|paging|continuation|sync|cancel|cancellation|design)[_-]?)token|(?:api|access|secret|private|account|signing|encryption|auth|master|shared|subscription)[_-]?key(?:_base)?)\d{0,2}`;
/** Colors of a terminal, as they are or in JSON. */
const COLORS = String.raw`(?:(?:\x1b|\\{1,7}u001b)\[[\d;]{0,12}m){0,3}`;
/** `=`, `:` or `:=`, and perhaps a type before it, as in `token: str = "…"`. */
const SIGN = String.raw`${COLORS}\\{0,7}["'\x60]?\]?[ \t]{0,8}(?::[ \t]{0,4}[\w.]{1,32}[ \t]{0,4}=|:=|=>|[:=])(?![=~])`;
/** How variables are listed: `name: DB_PASSWORD`, then `value: …`. */
const LISTED = String.raw`\\{0,7}["']?,?(?:\s|\\{1,7}[nrt]){0,40}\\{0,7}["']?value\\{0,7}["']?[ \t]{0,4}:`;
const FLAG = String.raw`(?<=--[\w-]{1,60})[ \t]`;

const ASSIGNMENT = new RegExp(`${NAME}(?:${SIGN}|${LISTED}|${FLAG})`, "gi");
const NAME_AT_END = new RegExp(`${NAME}$`, "i");

/** What may stand between the sign and the value: blanks, a quote, the scheme of a header. */
const OPENING = new RegExp(
  String.raw`([ \t]{0,8})${COLORS}(\\{0,7}["'\x60])?(?:(?:bearer|basic|token|api-?key)[ \t]{1,4})?`,
  "iy",
);

const MAX_JUDGED_CHARS = 128;

/** Enough of a value to judge it. If it is a secret, all of it is. */
const VALUES = {
  escaped: /[^\s"'`\\]{0,128}/y,
  '"': /(?:[^"\\\s]|\\\S){0,128}/y,
  "'": /(?:[^'\\\s]|\\\S){0,128}/y,
  "`": /[^`\s]{0,128}/y,
  /** Passwords of some services are four words. */
  'words"': /(?:[^"\\\r\n]|\\.){0,128}/y,
  "words'": /(?:[^'\\\r\n]|\\.){0,128}/y,
  // It ends where an escaped line feed does: the text may be the text of JSON.
  bare: /(?:[^\s"'`\\\p{Cc}]|\\(?![nrtu"'\\])){0,128}/uy,
  inAddress: /[^\s"'`\\&;,#<>\p{Cc}]{0,128}/uy,
} as const;
const RUN = /\S{0,128}/y;
const WORDS = /[^\r\n]{0,128}/y;
const LINE_END = /[ \t]{0,8}(?:[#\p{Cc}]|\\{1,7}(?:[nr]|u001b)|\\{0,7}["'`]|$)/uy;

interface Found {
  readonly isPassword: boolean;
  readonly value: string;
  readonly style: "variable" | "quoted" | "bare" | "address";
  /** Whether nothing follows it on its line. */
  readonly isLast: boolean;
}

/** Replaces values that are secrets by their names. */
export function redactAssignments(text: string, markOf: (isPassword: boolean) => string): string {
  let redacted = "";
  let done = 0;
  ASSIGNMENT.lastIndex = 0;
  for (let match = ASSIGNMENT.exec(text); match; match = ASSIGNMENT.exec(text)) {
    const [whole, password] = match;
    const isPassword = password !== undefined;
    const signEnd = ASSIGNMENT.lastIndex;
    const before = text.slice(Math.max(0, match.index - 64), match.index);
    const [, blanks = "", quote] = execAt(OPENING, text, signEnd) ?? [];
    const start = OPENING.lastIndex;
    const isVariable =
      /[A-Z]\d{0,2}=$/.test(whole) && blanks === "" && /(?:^|[^a-z])$/.test(before);
    const isInAddress = whole.endsWith("=") && /[?&;][\w.[\]-]{0,40}$/.test(before);
    const hasWords = isVariable && isPassword;
    const kind = quote
      ? quote.length > 1
        ? "escaped"
        : hasWords && quote !== "`"
          ? (`words${quote}` as 'words"')
          : (quote as '"')
      : isInAddress
        ? "inAddress"
        : "bare";
    let value = execAt(VALUES[kind], text, start)?.[0] ?? "";
    if (kind === "escaped") {
      value = upToQuote(text, start, quote ?? "", hasWords ? WORDS : RUN) ?? value;
    }
    if (!quote) value = value.replace(/[;,)]{1,4}$/, "");
    const end = start + value.length;
    const isLast = /--[\w-]{0,40}$/.test(before) || execAt(LINE_END, text, end) !== null;
    const style = isInAddress ? "address" : isVariable ? "variable" : quote ? "quoted" : "bare";
    // A quoted text of several words is prose.
    const isWhole = !quote || quote.endsWith(text.charAt(end)) || text.charAt(end) === "\\";
    if (
      !(isWhole || value.length >= MAX_JUDGED_CHARS) ||
      !isSecret({ isPassword, value, style, isLast })
    )
      continue;
    redacted += text.slice(done, start) + markOf(isPassword);
    done = value.length >= MAX_JUDGED_CHARS ? endOf(VALUES[kind], text, end) : end;
    ASSIGNMENT.lastIndex = done;
  }
  return done === 0 ? text : redacted + text.slice(done);
}

/** Whether a value of a field with this name is a secret. */
export function isSecretField(field: string, value: string): { isPassword: boolean } | undefined {
  const name = NAME_AT_END.exec(field.slice(-64));
  if (!name || /\s/.test(value)) return undefined;
  const isPassword = name[1] !== undefined;
  const style = /^[A-Z0-9_]+$/.test(field) ? "variable" : "quoted";
  return isSecret({ isPassword, value, style, isLast: true }) ? { isPassword } : undefined;
}

const PLACEHOLDERS = [
  // Variables and templates of shells, of Windows, of template engines, and marks.
  /^\$[{(]|^\$[A-Za-z_]\w*$|^%[A-Za-z_]\w*%$|^\{\{|^#\{|^<|^\[(?:redacted|filtered|hidden|masked)/i,
  // Where a secret is, rather than the secret; an address has its own pattern.
  /:\/\/|^(?:arn|vault|ssm|env|file|ref|secretsmanager|npm|git|link|workspace):|^(?:process\.env|os\.environ|import\.meta)/i,
  // One character again and again.
  /^(.)\1*$/,
  /^(?:true|false|null|none|nil|undefined|yes|no|string|str|text|bytes|any)$/i,
  // Files.
  /^\.{0,2}\/[\w.-]+(?:\/[\w.-]+)+$/,
];
const NUMBER = /^[\d.,:-]+[a-z]{0,3}$/i;
const VERSION = /^[\^~<>=v]{0,3}\d+\.\d+/;
const CODE = /[()[\]{}<>]|^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$|^[A-Z]\w*[?!]$/;
const OTHER_NAME = /^[A-Za-z_]\w*(?:pass|secret|token|key)|^(?:pass|secret|token|key)\w*$/i;

function isSecret({ isPassword, value, style, isLast }: Found): boolean {
  if (value === "" || PLACEHOLDERS.some((form) => form.test(value))) return false;
  if (style === "address") return isPassword || value.length >= 6;
  if (style === "variable") return isPassword || (value.length >= 8 && !NUMBER.test(value));
  if (NUMBER.test(value)) return isPassword && style === "quoted" && value.length >= 4;
  const isMixed = /[A-Za-z]/.test(value) && /[\d!@#$%^&*+=~?]/.test(value);
  if (!isMixed || VERSION.test(value) || value.length < (isPassword ? 6 : 8)) return false;
  const isRandom =
    value.length >= 20 && /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
  if (style === "quoted")
    return isPassword || isRandom || (value.length >= 12 && !OTHER_NAME.test(value));
  return !CODE.test(value) && (isRandom || (isLast && !OTHER_NAME.test(value)));
}

/** A value within JSON within a string: up to its quote, with as many backslashes as the first one. */
function upToQuote(text: string, start: number, quote: string, within: RegExp): string | undefined {
  const [run = ""] = execAt(within, text, start) ?? [];
  let end = run.indexOf(quote);
  while (run.charAt(end - 1) === "\\") end = run.indexOf(quote, end + 1);
  return end === -1 ? undefined : run.slice(0, end);
}

function execAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The end of a value of which the first part was judged. */
function endOf(pattern: RegExp, text: string, from: number): number {
  let end = from;
  for (let found = execAt(pattern, text, end); found?.[0]; found = execAt(pattern, text, end)) {
    end += found[0].length;
  }
  return end;
}
