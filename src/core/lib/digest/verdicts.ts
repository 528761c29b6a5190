// What a line of the output of a run says. All expressions see at most `JUDGED_CHARS` characters of
// a line, and none can backtrack for long.
const JUDGED_CHARS = 300;

/** What a line begins with, and what is anywhere in it: one expression for both would be tried at every character. */
type Marks = readonly [begins: RegExp, holds: RegExp];
const has = ([begins, holds]: Marks, text: string) => begins.test(text) || holds.test(text);

/** How a run ended, as the tools that agents see most say it. */
const VERDICT: Marks = [
  new RegExp(
    `^(?:${[
      // pytest, unittest, rspec, phpunit, jest, vitest, mocha, tap, node.
      String.raw`=+ .{0,200}\d (?:passed|failed|errors?|skipped|deselected|warnings?|xfailed)\b`,
      String.raw`Ran \d+ tests?|OK(?: \(.{0,200}\))?$|FAILED \(|FAILURES!|ERRORS!|Tests: \d+, Assertions|OK \(\d+ tests?`,
      String.raw`\d+ (?:passed|failed|examples?|tests?|doctests?|specs?)\b.{0,200}\b(?:passed|failed|failures?|errors?|in \d)`,
      String.raw`(?:Tests|Test Suites|Test Files|Suites|Snapshots):? {1,12}.{0,200}\d`,
      String.raw`\d+ (?:passing|failing)\b|\d+ (?:pass|fail)$|[#ℹ] (?:pass|fail) \d`,
      // go, cargo, nextest, ctest, dotnet, maven, gradle.
      String.raw`(?:FAIL|PASS)$|FAIL\t|ok {2}\t|test result: |Summary \[|\d+% tests passed|\d+ of \d+ tests|Total Tests? ?:`,
      String.raw`(?:Passed|Failed)! |Build (?:succeeded|FAILED)|\d+ (?:Error|Warning)\(s\)|\d+ tests? completed, |There were failing tests|Some tests failed`,
      // Compilers, linters, bundlers, package managers.
      String.raw`Found \d+ (?:errors?|problems?)|Success: no issues|All checks passed|[✖✗]? ?\d+ problems? \(|\d+ errors? (?:generated|found|and)|(?:error: )?aborting due to`,
      String.raw`(?:webpack )?.{0,40}compiled (?:successfully|with)|Failed to compile|make(?:\[\d+\])?: \*\*\*|ninja: build stopped|gmake.{0,200}Error \d`,
      String.raw`(?:ERROR: )?failed to solve|added \d+ packages|\d+ vulnerabilit|npm ERR! code|(?:✨ {0,2})?Done in \d|##\[error\]`,
    ].join("|")})`,
  ),
  /\d tests? run: |BUILD (?:SUCCESS|FAIL)|Tests run: \d+, Failures|could not compile |ELIFECYCLE|\b(?:[Ee]xit(?:ed|ing)?|[Cc]ompleted|[Ff]inished|[Ff]ailed|[Tt]erminated|ended)(?: with)?(?: an?)?(?: exit| error| non-zero)?[ -](?:code|status)\b:?.{0,3}\d|returned (?:a )?non-zero/,
];
/** Of these, the ones that say that something is wrong, and those that say that tests passed. */
const BAD =
  /[Ff]ail|FAIL|rror|ERROR|ERR!|non-zero|[1-9]\d* (?:problems?|warnings?)|(?:code|status)\b:?.{0,3}[1-9]|\*\*\*|stopped|aborting|could not|ELIFE/;
const PASSED = /\b(?:pass(?:ed|ing)?|PASS|OK|ok)\b|^0 fail|^[#ℹ] fail 0/;

/** A test that failed, by its name. */
const FAILED: Marks = [
  /^(?:(?:FAILED |ERROR |FAIL:? |ERROR: )\S|FAIL \[|--- FAIL: |not ok \d|[✗✘✖×✕❌] ?\S|● \S|\d{1,4}\) \S|_{3,} \S.{0,200} _{3,}$|Failed \S+ \[|thread '.{0,200}' panicked)/,
  /\.\.\. ?(?:FAILED|ERROR|FAIL|mismatch)\b|\bExecution failed for task|\*\*\*(?:Failed|Exception|Timeout)|\b(?:FAILED|FAILURE)!?$|<<< (?:FAILURE|ERROR)!|\.{8,}Failed$/,
];
/** What is wrong with code, and where. */
const COMPILER: Marks = [
  /^(?:error\[\w+\]:|\d{1,6}:\d{1,5} +(?:error|✖)|e: |\[ERROR\] .{0,200}\.\w{1,6}:\[|SyntaxError|[^\s:]{1,200}:\d{1,6}:\d{1,5}:? (?:lint\/\w|[A-Z]{1,4}\d{2,4} ))/,
  /[:(]\d{1,7}(?:[:,]\d{1,5})?\)?:? ?-? ?(?:fatal |internal )?error\b|\berror (?:TS|CS|C|LNK|MSB)\d|: undefined reference/,
];
/** What was thrown, and why. */
const THROWN: Marks = [
  /^(?:error: |(?:E {2,8})?(?:Uncaught |Unhandled |Exception in thread.{0,80}? |Caused by: )?(?:[\w$]{1,60}[.:]{1,2}){0,12}\w{0,80}(?:Error|Exception|Exit|Interrupt|Failure|Fault)(?: \[\w+\])?(?::|$| - )|(?:E {2,8})\S|panic: |(?:fatal|FATAL)\b|Caused by: |Killed$)/,
  /\bSegmentation fault\b|\bcore dumped\b|npm (?:ERR!|error) \S/,
];
/** A line that may say what went wrong. */
const WEAK: Marks = [
  /^(?:Expected|Received|\+ expected|- actual|expected|actual|got):? /,
  /\b(?:[Ee]rrors?|ERRORS?|ERR|[Ff]ail(?:ed|ure|ures|s|ing)?|FAIL(?:ED|URE)?|[Ff]atal|FATAL|[Pp]anic(?:ked)?|CRITICAL|SEVERE|[Ee]xception)\b(?![-_/.]\w)|\b(?:[Cc]annot|[Cc]ould not|[Uu]nable to|[Nn]o such file|[Nn]ot found|[Dd]enied|[Rr]efused|[Tt]imed out|[Aa]borted|[Kk]illed|[Ii]nvalid|[Uu]nexpected|[Mm]ismatch|[Mm]issing|[Nn]o tests? found)\b|[a-z](?:Error|Exception)\b/,
];

/** Names of tests that pass may hold "error"; scripts that are printed may echo it. */
const NOT: Marks = [
  /^(?:[✓✔√]|\d{1,6} ?[|│]|ok\b|PASS(?:ED)?\b|--- (?:PASS|SKIP)|=== |\+{1,3} \w|\$ |> |#{1,2}\[(?:group|command|debug|endgroup|section)|\[command\]|(?:if|then|fi|elif|else|echo|set|export|exit|test|grep|-D|-W)\b|(?:Downloading|Downloaded|Compiling|Installing|Collecting|Get:|Unpacking|Setting up|Selecting|Preparing|Fetching|Adding|Updating|\* \[new)\b)/,
  /\bPASSED\b|\.\.\. ?ok\b|\bXFAIL\b|\becho ["']|>&2|\|\| exit|\[32;1m *PASS/,
];
const NONE =
  /\b(?:0|no|zero|without) (?:errors?|failures?|failed|fail|failing|warnings?|problems?|vulnerabilities)\b|\b(?:failures?|failed|errors?|warnings?)["']?[:=] ?(?:0|null|none|false|\[\])(?![.\d])/gi;
const QUIET = /\b(?:INFO|DEBUG|TRACE|NOTICE)\b|\[(?:info|debug|trace)\]|level=(?:info|debug)/;
/** Most lines have none of these and no mark or number that they begin with: they say nothing of how a run went. */
const HINT =
  /rror|ERR|ail|FAIL|atal|FATAL|anic|CRIT|SEVERE|xcep|ault|xit|dump|illed|E {2}|nterr|annot|could|nable|no such|No such|ound|enied|fused|imed|bort|alid|xpect|match|issing|ctual|ceived|got:|got |undef|e: |lint\/|[Tt]est|pass|Pass|PASS|OK|ok |uites|napsh|ummary|ucce|ompiled|\*\*\*|stopped|packages|Done|BUILD|ELIFE|code|status|zero/;

const BEGINS = /^[\d_=\u0080-\uffff]/;

/** From what matters most to what may not matter. */
export type Sign = "verdict" | "failed" | "compiler" | "thrown" | "passed" | "good" | "weak";

/** Whether this says how a run ended. */
export function isVerdict(sign: Sign | undefined): boolean {
  return sign === "verdict" || isGood(sign);
}

export function isGood(sign: Sign | undefined): boolean {
  return sign === "passed" || sign === "good";
}

const SIGNS: readonly (readonly [Sign, Marks])[] = [
  ["compiler", COMPILER],
  ["failed", FAILED],
  ["thrown", THROWN],
  ["weak", WEAK],
];

/** What a line of output says of the run; `undefined` if nothing. A verdict is that something is wrong, that tests passed, or another good one. */
export function signOf(line: string): Sign | undefined {
  const text = line.slice(0, JUDGED_CHARS).trim();
  if (!BEGINS.test(text) && !HINT.test(text)) return undefined;
  if (has(VERDICT, text)) {
    if (BAD.test(text.replace(NONE, " "))) return "verdict";
    return PASSED.test(text) ? "passed" : "good";
  }
  if (has(NOT, text)) return undefined;
  const rest = text.replace(NONE, " ");
  return QUIET.test(rest) ? undefined : SIGNS.find(([, marks]) => has(marks, rest))?.[0];
}
