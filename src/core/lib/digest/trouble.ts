import { TROUBLE_WORDS } from "./word-lists.js";

const TROUBLE: ReadonlySet<string> = new Set(TROUBLE_WORDS);
const MAX_TROUBLE = Math.max(...TROUBLE_WORDS.map(({ length }) => length));
/** A first test of a word by its first and last letter and its length. */
const MAYBE_TROUBLE = new Uint8Array(16_384);
for (const word of TROUBLE_WORDS) {
  MAYBE_TROUBLE[troubleKey(word.charCodeAt(0), word.charCodeAt(word.length - 1), word.length)] = 1;
}

/** Whether a word announces a failure. */
export function isTrouble(text: string, start: number, end: number): boolean {
  const length = end - start;
  if (length > MAX_TROUBLE) return false;
  const key = troubleKey(text.charCodeAt(start), text.charCodeAt(end - 1), length);
  return MAYBE_TROUBLE[key] === 1 && TROUBLE.has(text.slice(start, end).toLowerCase());
}

/** `TypeError`, `IOException`. */
export function isErrorName(text: string, end: number): boolean {
  return text.endsWith("Error", end) || text.endsWith("Exception", end);
}

function troubleKey(first: number, last: number, length: number): number {
  return ((first & 31) << 9) | ((last & 31) << 4) | (length & 15);
}

// Only this much of a line is judged; none of the expressions can backtrack.
const JUDGED_CHARS = 240;

/** Names of tests that pass or merely start may contain "error". */
const PASSING =
  /^\s*(?:[✓✔√]|ok\b|PASS\b|--- (?:PASS|SKIP)|=== (?:RUN|CONT|PAUSE|NAME))|\bPASSED\b|\.\.\. ?ok\b|\bXFAIL\b/;
const QUIET = /\b(?:INFO|DEBUG|TRACE|NOTICE)\b|\[(?:info|debug|trace)\]|level=(?:info|debug)/;
const NONE =
  /\b(?:0|no|zero|without) (?:errors?|failures?|failed|warnings?|problems?)\b|(?:\b(?:failures?|failed|warnings?)|errors?)["']?[:=] ?(?:0|null|none|false|\[\])(?![.\d])/i;
const EACH_NONE = new RegExp(NONE, "gi");
const STRONG =
  /\b(?:ERROR|ERR|FATAL|FAILED|FAIL|FAILURE|CRITICAL|PANIC|Traceback)\b|\b(?:[Ee]rror|[Ff]atal|[Pp]anic|[Ee]xception)(?:\[\w+\])?["']?:|[a-z](?:Error|Exception)\b|\berror TS\d|[✗✘✖]|=(?:error|fatal)\b|"(?:error|fatal)"|\berror\b {2}|ERR!/;
const WEAK = /\bwarn(?:ing|ings)?\b/i;

/** How much a line with a word of failure looks like one: 3 certainly, 2 probably, 1 a warning, 0 not at all. */
export function rankTrouble(line: string): number {
  const text = line.length > JUDGED_CHARS ? line.slice(0, JUDGED_CHARS) : line;
  if (PASSING.test(text)) return 0;
  if (NONE.test(text)) return STRONG.test(text.replace(EACH_NONE, " ")) ? 2 : 0;
  if (QUIET.test(text)) return 0.5;
  if (STRONG.test(text)) return 3;
  return WEAK.test(text) ? 1 : 2;
}
