/**
 * How much of what matters in failed CI logs one look shows: LogDx-CI, fetched by the reader.
 *
 *   node bench/logdx.mjs [--package <folder>] [--cases] [--json] <the data set's folder cases/>
 *
 * The data set (CC-BY-4.0) is not shipped. Each case is a folder with `raw.log` and `ground_truth.json`,
 * which lists signals; a critical signal is shown if its lines are, or its text. Splits are told apart
 * by the folder that a case is in. Tokens are characters divided by 4, as in the data set's own tables.
 *
 *   --package <folder>   measure that copy of the package (built) instead of this one
 *   --cases              a line for each case, with the critical signals that are not shown
 *   --json               print JSON
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

/**
 * @typedef {{ type?: string, importance?: string, value?: string, aliases?: string[], file?: string, evidence_lines?: [number, number][] }} Signal
 * @typedef {{ name: string, split: string, log: string, signals: Signal[] }} Case
 * @typedef {{ name: string, split: string, way: string, recall: number, tokens: number, missed: string[] }} Score
 */

/** What a reader who knows nothing of a failed job searches for first. */
const FAILURES =
  "##\\[error\\]|^(?:\\S+Z )?\\s*(?:ERROR|FAIL|FAILED|FAILURE|Error|error|fatal|FATAL|panic|Traceback)\\b";
const BEFORE = 2;
const AFTER = 6;
const TAIL_LINES = 200;

// Colors, cursor movements and hyperlinks of a terminal.
// eslint-disable-next-line no-control-regex -- the sequences begin with a control character
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007]*?(?:\u0007|\u001b\\))/g;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    package: { type: "string" },
    cases: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("Usage: node bench/logdx.mjs <folder with cases>; see the head of this file");
  process.exit(2);
}
const root = values.package ?? resolve(import.meta.dirname, "..");
const { createWorkspace, createOffloader } = await import(
  pathToFileURL(join(resolve(root), "dist/index.js")).href
);

const cases = await findCases(folder);
if (cases.length === 0) {
  console.error(`No case (a folder with raw.log and ground_truth.json) was found in ${folder}`);
  process.exit(2);
}
const scratch = await mkdtemp(join(tmpdir(), "logdx-"));
/** @type {Score[]} */
const scores = [];
try {
  for (const [index, one] of cases.entries()) {
    for (const [way, shown] of Object.entries(await look(one, index))) {
      scores.push({ name: one.name, split: one.split, way, ...score(one.signals, shown) });
    }
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}
print(scores);
process.exit(0);

/**
 * What each way of looking shows of a log.
 *
 * @param {Case} one
 * @param {number} index
 * @returns {Promise<Record<string, string>>}
 */
async function look({ log }, index) {
  const workspace = createWorkspace({ root: join(scratch, String(index)) });
  const offloader = createOffloader({
    workspace,
    sessionId: "logdx",
    format: "anthropic",
    // The default would keep short logs in the messages.
    policy: () => true,
  });
  const id = "job-log";
  const call = { type: "tool_use", id, name: "get_job_log", input: {} };
  const result = { type: "tool_result", tool_use_id: id, content: log };
  const { messages } = await offloader.offload([
    { role: "user", content: "Why did this job fail?" },
    { role: "assistant", content: [call] },
    { role: "user", content: [result] },
  ]);
  const reference = messages[2].content[0].content;
  // A log for which a reference would save too little is in the messages as it is.
  const isKept = reference === log;
  const answer = isKept ? "" : await grep(workspace, id);
  await workspace.close();
  return {
    [`tail -${TAIL_LINES}`]: log.trimEnd().split("\n").slice(-TAIL_LINES).join("\n"),
    "plain grep": plainGrep(log),
    reference,
    "reference and grep": `${reference}\n${answer}`,
    "grep alone": isKept ? log : answer,
  };
}

/** @param {any} workspace @param {string} id */
async function grep(workspace, id) {
  const context = { contextBefore: BEFORE, contextAfter: AFTER };
  const { text, note } = await workspace.grepKnowledge(id, FAILURES, context);
  return note === undefined ? text : `${text}\n${note}`;
}

/** As grep -n prints it, all of it. @param {string} log */
function plainGrep(log) {
  const lines = log.split("\n");
  const pattern = new RegExp(FAILURES);
  const shown = new Set();
  lines.forEach((line, at) => {
    if (!pattern.test(line)) return;
    for (let near = at - BEFORE; near <= at + AFTER; near++) shown.add(near);
  });
  return lines.flatMap((line, at) => (shown.has(at) ? [`${at + 1}:${line}`] : [])).join("\n");
}

/** @param {string} text */
function withoutAnsi(text) {
  return text.replace(ANSI, "").replace(/\r\n?/g, "\n");
}

/**
 * The share of the critical signals that a text shows. A signal is shown if its value, one of its other
 * names or its file occurs in the text; where the lines are does not count, since references and answers
 * show parts of lines, too.
 *
 * @param {readonly Signal[]} signals
 * @param {string} shown
 */
function score(signals, shown) {
  const text = withoutAnsi(shown);
  const critical = signals.filter(({ importance }) => importance === "critical");
  const missed = critical.filter(
    ({ value, aliases = [], file }) =>
      ![value, ...aliases, file].some((name) => name?.trim() && text.includes(name.trim())),
  );
  return {
    recall: critical.length === 0 ? 1 : 1 - missed.length / critical.length,
    tokens: shown.length / 4,
    missed: missed.map(({ type, value, file }) => `${type}: ${value ?? file}`),
  };
}

/** @param {string} top @returns {Promise<Case[]>} */
async function findCases(top) {
  const paths = await readdir(top, { recursive: true });
  const logs = paths.filter((path) => basename(path) === "raw.log").sort();
  return Promise.all(
    logs.map(async (path) => {
      const home = join(top, dirname(path));
      const truth = JSON.parse(await readFile(join(home, "ground_truth.json"), "utf8"));
      return {
        name: basename(home),
        split: basename(dirname(home)),
        log: await readFile(join(home, "raw.log"), "utf8"),
        signals: truth.required_signals ?? [],
      };
    }),
  );
}

/** @param {readonly Score[]} all */
function print(all) {
  if (values.json) {
    console.log(JSON.stringify(all, null, 2));
    return;
  }
  const splits = [...new Set(all.map(({ split }) => split))];
  const ways = [...new Set(all.map(({ way }) => way))];
  const columns = [...splits, "all"];
  const rows = ways.map((way) => [
    way,
    ...columns.map((split) => {
      const some = all.filter((one) => one.way === way && (split === "all" || one.split === split));
      return `${mean(some, "recall").toFixed(3)} at ${Math.round(mean(some, "tokens")).toLocaleString("en")}`;
    }),
  ]);
  const counts = columns.map((split) => {
    const some = all.filter((one) => split === "all" || one.split === split);
    return `${split} (${some.length / ways.length})`;
  });
  const head = ["critical signals shown, tokens", ...counts];
  for (const cells of [head, head.map(() => "---"), ...rows]) {
    console.log(`| ${cells.join(" | ")} |`);
  }
  if (!values.cases) return;
  for (const { split, name, way, recall, tokens, missed } of all) {
    if (!way.startsWith("reference")) continue;
    console.log(`\n${split} ${name}, ${way}: ${recall.toFixed(2)} at ${Math.round(tokens)}`);
    for (const signal of missed) console.log(`  not shown: ${signal}`);
  }
}

/** @param {readonly Score[]} some @param {"recall" | "tokens"} field */
function mean(some, field) {
  return some.reduce((sum, one) => sum + one[field], 0) / some.length;
}
