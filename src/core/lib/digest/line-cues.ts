// Which kind of content a single line suggests. At most this much of it is looked at, so that the
// expressions below are cheap on any input.
const LINE_CHARS = 200;

const LOG =
  /^\W{0,3}(?:INFO|DEBUG|WARN(?:ING)?|ERROR|TRACE|FATAL|NOTICE|CRITICAL)\b|^.{0,60}\d\d:\d\d:\d\d|\[(?:info|debug|warn(?:ing)?|error|trace|notice)\]|\b(?:PASSED|FAILED|SKIPPED|XFAIL|XPASS)\b|^(?:ok|FAIL|PASS|\?)[ \t]|^\+{1,4} \S|^\s+at \S.*[:(]|^\s*File "[^"]*", line \d|^npm (?:ERR|WARN|error|warn|notice)|^\s*(?:Downloading|Installing|Collecting|Compiling|Building|Fetching|Resolving|Unpacking|Preparing|Setting up|Requirement already|Successfully|Finished|Running|Step \d|Get:\d|go: )|^(?:error|warning|fatal|note|hint|help)(?:\[\w+\])?:|^\S+:\d+(?::\d+)?: (?:error|warning|note|fatal)|^\s*[✓✔✗✘√✖×] |^(?:=|_|-|\*){5,}|\.\.\. (?:ok|FAILED|done)|^E {3}|^=== (?:RUN|PAUSE|CONT|NAME)|^\s*--- (?:PASS|FAIL|SKIP)|^[$>] \S|^make(?:\[\d+\])?:|\[\s*\d{1,3}%\]|^\.{8,}/;
const STRONG_LOG =
  /^={3,} (?:test session starts|FAILURES|ERRORS|short test summary)|^=== RUN |^\s*--- (?:PASS|FAIL): |^Traceback \(most recent|^\+ (?:cd|source|git|python|npm|make|go|bash|export|set|conda|pip|echo|:) |^npm ERR!|^Test Suites?: |^Tests:\s+\d|^\s*Tests? +\d+ (?:passed|failed)|^running \d+ tests?$|^test result: |^TAP version|^# tests \d|^=+ .{0,80}(?:passed|failed|errors?) in |^Finished in [\d.]+ s|^BUILD (?:SUCCESS|FAIL)|^goroutine \d+ \[|^panic: |^##\[(?:group|error)\]/;

const CODE =
  /^\s*(?:import\b|from\s+\S+\s+import\b|package\s+[\w.]+;?$|use\s+[\w:{]|alias\s+[A-Z]|#\s*(?:include|define|if|endif|pragma)\b|#\[|@\w+[(\s]?|export\b|(?:const|let|var|val)\s+[\w${[(]|(?:async\s+)?function\b|(?:async\s+)?def\s|defp?\s|class\s+\w|func[ (]|fn\s|pub\s|public\s|private\s|protected\s|static\s|return\b|if\s?\(|if .*:$|for\s?\(|for .* in .*:$|while\s?\(|switch\s?\(|else\b|elif\b|try\b|catch\b|except\b|raise\s|throw\s|end$|elsif\b|do$|\/\/|\/\*|\*\/|#!|"""|[})\]]+[;,)]*$)|[{;]$|\w\($|\)\s*:$|=>\s*[{(]?$|\s:?=\s|^\s+[\w.$]+\(.*\)[;,]?$|\\$|^\s+\w+:\s.*,$|^\s+["'\w.]+,$|\bdo$|^(?: {2}|\t)* \* [@\w]/;

const MARKDOWN =
  /^ {0,3}#{1,6}[ \t]+\S|^\s*(?:[-*+]|\d{1,3}[.)])\s+\S|^ {0,3}>|^\s*\|.*\|\s*$|\]\([^)\s]+\)|\*\*[^*]+\*\*|^ {0,3}(?:`{3}|~{3})|^(?:---|===)+\s*$/;
const HEADING = /^ {0,3}#{1,6}[ \t]+\S/;
const SETTING = /^\s*(?:- )?["']?[\w.-]+["']?\s?[:=](?:\s|$)/;

export interface Cues {
  readonly lines: number;
  readonly log: number;
  readonly strongLog: number;
  readonly code: number;
  readonly markdown: number;
  readonly headings: number;
  /** `key: value` lines, as in YAML or INI. */
  readonly settings: number;
}

/** How many of the lines suggest which kind; inside a code fence, only the fence counts. */
export function countCues(texts: Iterable<string>): Cues {
  const cues = { lines: 0, log: 0, strongLog: 0, code: 0, markdown: 0, headings: 0, settings: 0 };
  let fenced = false;
  for (const text of texts) {
    const line = (text.length > LINE_CHARS ? text.slice(0, LINE_CHARS) : text).trimEnd();
    const isFence = /^ {0,3}(?:`{3}|~{3})/.test(line);
    if (isFence) fenced = !fenced;
    if (fenced && !isFence) continue;
    cues.lines += 1;
    if (LOG.test(line)) cues.log += 1;
    if (STRONG_LOG.test(line)) cues.strongLog += 1;
    if (CODE.test(line)) cues.code += 1;
    if (SETTING.test(line)) cues.settings += 1;
    if (MARKDOWN.test(line)) {
      cues.markdown += 1;
      if (HEADING.test(line)) cues.headings += 1;
    }
  }
  return cues;
}
