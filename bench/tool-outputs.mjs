/**
 * Whether one call holds the answer to a question about a long JSON tool result: IBM's tool-output
 * questions, fetched by the reader.
 *
 *   node bench/tool-outputs.mjs [--package <folder>] [--misses] <the folder generate_qa_pairs/data>
 *
 * The data is not shipped. A question that looks up one record by an id is asked with one search for
 * that id; a question that filters or counts, with one query whose fields and values are the
 * question's own, by the table below. Nothing is derived from what the package answers. An answer
 * holds a list if it has every item of it, and as many records as the list has items.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

/**
 * @typedef {{ question: string, gold_answer: string, api_query: string, app: string, endpoint: string, task: string, task_type: string }} Question
 * @typedef {{ what: string, way: string, isHeld: boolean, tokens: number, question: string }} Outcome
 */

const BY_ID = /(?:\bID|accession number(?: is)?) ([\w-]+)/;

/** The words of a question, and the query that has the same fields and values. @type {[RegExp, (...parts: string[]) => string][]} */
const QUERIES = [
  [
    /under the name (.+) and are filed in the year (\d+)/,
    (name, year) => `name=${quoted(name)}, ${inYear(year)}, fields accessionNumber`,
  ],
  [
    /filed in year (\d+) which are of form type (.+)\. Output/,
    (year, type) => `formType=${quoted(type)}, ${inYear(year)}, fields accessionNumber`,
  ],
  [/filing date and period.* on the same date/, () => "filingDate=/period, fields accessionNumber"],
  [/names of all types of filings/, () => "distinct name"],
  [/different form types/, () => "distinct formType"],
  [/filings are done in year (\d+)/, (year) => `${inYear(year)}, count`],
  [/belong to form type (.+)\.$/, (type) => `formType=${quoted(type)}, count`],
  [/has the name (.+)\.$/, (name) => `name=${quoted(name)}, count`],
  [
    /having name (.+) and form type (.+)\?$/,
    (name, type) => `name=${quoted(name)}, formType=${quoted(type)}, count`,
  ],
  [
    /colors in which (\w+) shoes .* rating of ([\d.]+)/,
    (who, rating) =>
      `product_attributes.Department~${who}, product_rating>=${rating}, distinct product_attributes.Color`,
  ],
  [
    /trainer shoes which don't belong to (\w+)\..* rating is ([\d.]+)/,
    (who, rating) =>
      `product_attributes.Trainer=Yes, product_attributes.Department!~${who}, product_attributes.Department!=null, product_rating>=${rating}, fields product_id`,
  ],
  [
    /discount percentage between (\d+)% and (\d+)%/,
    (least, most) =>
      `offer.coupon_discount_percent>=${least}, offer.coupon_discount_percent<=${most}, fields product_id`,
  ],
  [
    /on sale and has free delivery/,
    () => "offer.on_sale=true, offer.shipping~free delivery, fields offer.offer_id",
  ],
  [
    /price is between (\d+) and (\d+) dollars/,
    (least, most) => `offer.price>=${least}, offer.price<=${most}, count`,
  ],
  [/available in (.+) colour/, (color) => `product_attributes.Color~${quoted(color)}, count`],
  [/which are for (\w+)\.$/, (who) => `product_attributes.Department~${who}, count`],
  [/are present in (.+)\?$/, (size) => `product_attributes.Size~${quoted(size)}, count`],
  [
    /made up of (.+) and type (.+)\?$/,
    (material, type) =>
      `product_attributes.Material~${quoted(material)}, product_attributes.Type~${quoted(type)}, count`,
  ],
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { package: { type: "string" }, misses: { type: "boolean", default: false } },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("Usage: node bench/tool-outputs.mjs <folder with api_responses and qa_pairs>");
  process.exit(2);
}
const root = resolve(values.package ?? join(import.meta.dirname, ".."));
const { createWorkspace, estimateTokens } = await import(
  pathToFileURL(join(root, "dist/index.js")).href
);
const countTokens = await createTokenCounter();
const scratch = await mkdtemp(join(tmpdir(), "tool-outputs-"));
try {
  for (const name of (await readdir(join(folder, "qa_pairs"))).sort()) await measure(name);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
process.exit(0);

/** @param {string} name of the file with the questions */
async function measure(name, data = String(folder)) {
  /** @type {Question[]} */
  const questions = JSON.parse(await readFile(join(data, "qa_pairs", name), "utf8"));
  const path = join(data, "api_responses", name.replace("_qa_pairs.json", ".json"));
  const responses = JSON.parse(await readFile(path, "utf8"));
  const workspace = createWorkspace({ root: join(scratch, name.replace(/\W/g, "")) });
  /** @type {Map<string, string>} */
  const ids = new Map();
  /** @type {Outcome[]} */
  const outcomes = [];
  for (const one of questions) {
    const response = responses[one.app][one.endpoint][one.api_query];
    let id = ids.get(one.api_query);
    if (id === undefined) {
      id = `response-${ids.size}`;
      ids.set(one.api_query, id);
      await workspace.put(
        { content: JSON.stringify(response) },
        { toolCallId: id, sessionId: "s" },
      );
    }
    outcomes.push(...(await ask(workspace, id, one, JSON.stringify(response, null, 2))));
  }
  await workspace.close();
  print(name.replace("_qa_pairs.json", ""), outcomes);
}

/**
 * @param {any} workspace
 * @param {string} id
 * @param {Question} one
 * @param {string} whole
 * @returns {Promise<Outcome[]>}
 */
async function ask(workspace, id, one, whole) {
  const { question, gold_answer: gold } = one;
  const isLookup = one.task_type === "EXTRACTIVE";
  const what = isLookup ? "one search" : one.task_type === "FILTERING" ? "one filter" : "one count";
  /** @param {string} way @param {string} text @param {boolean} isHeld */
  const outcome = (way, text, isHeld) => ({
    ...{ what, way, isHeld, question },
    tokens: countTokens(text),
  });
  if (isLookup) {
    const wanted = BY_ID.exec(question)?.[1] ?? "";
    const lines = whole.split("\n").filter((line) => line.includes(wanted));
    const plain = lines.join("\n");
    const { text } = await workspace.grepKnowledge(id, wanted, { literal: true });
    return [
      outcome("grep", plain, holds(plain, gold, wanted)),
      outcome("ours", text, holds(text, gold, wanted)),
    ];
  }
  const bare = outcome("the whole result", whole, true);
  const query = QUERIES.flatMap(([words, make]) => {
    const match = words.exec(question);
    return match ? [make(...match.slice(1))] : [];
  })[0];
  if (query === undefined) return [bare, outcome("ours", "", false)];
  const { text } = await workspace
    .queryKnowledge(id, { where: query })
    .catch((/** @type {Error} */ error) => ({ text: error.message }));
  const isHeld = one.task_type === "FILTERING" ? holdsList(text, gold) : leads(text, gold);
  return [bare, outcome("ours", text, isHeld)];
}

/** The answer, not counting where the id that was searched for has it. @param {string} text @param {string} gold @param {string} wanted */
function holds(text, gold, wanted) {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(gold);
  const whole = new RegExp(`(?<![\\w.])${escape(gold)}(?!${isDate ? "\\d" : "\\w"})`);
  return whole.test(text.replaceAll(wanted, " "));
}

/** @param {string} text @param {string} gold */
function holdsList(text, gold) {
  const [head = "", ...lines] = text.split("\n");
  const isDistinct = /^\d+ values/.test(head);
  const shown = new Set(
    lines
      .map((line) => line.replace(/ ×\d+$/, "").replace(/^"(.*)"$/, "$1"))
      .flatMap((line) =>
        isDistinct ? [line, ...line.split(",").map((part) => part.trim())] : [line],
      ),
  );
  const items = gold.split(", ").map((item) => item.trim());
  const isComplete = shown.size > 0 && items.every((item) => shown.has(item));
  // A name may have a comma in it.
  const isWhole =
    isComplete ||
    [...shown].filter((line) => gold.includes(line)).join("").length >=
      gold.replaceAll(", ", "").length * 0.98;
  return isWhole && (isDistinct || lines.length - 1 === items.length);
}

/** @param {string} text @param {string} gold */
function leads(text, gold) {
  return text.split(" ")[0] === gold;
}

/** @param {string} year */
function inYear(year) {
  return `filingDate>=${year}, filingDate<${Number(year) + 1}`;
}

/** @param {string} value */
function quoted(value) {
  return JSON.stringify(value);
}

/** @param {string} text */
function escape(text) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** @param {string} name @param {readonly Outcome[]} outcomes */
function print(name, outcomes) {
  console.log(
    `\n${name}\n\n| | way | holds the answer | tokens, mean |\n| --- | --- | --- | --- |`,
  );
  const kinds = [...new Set(outcomes.map(({ what, way }) => `${what}|${way}`))].sort();
  for (const kind of kinds) {
    const some = outcomes.filter(({ what, way }) => `${what}|${way}` === kind);
    const held = some.filter(({ isHeld }) => isHeld).length;
    const tokens = some.reduce((sum, one) => sum + one.tokens, 0) / some.length;
    const [what, way] = kind.split("|");
    console.log(`| ${what} | ${way} | ${held} of ${some.length} | ${Math.round(tokens)} |`);
  }
  if (!values.misses) return;
  for (const { way, isHeld, question } of outcomes) {
    if (way === "ours" && !isHeld) console.log(`missed: ${question}`);
  }
}

/** Tokens of o200k where a tokenizer is installed for the replay, else the package's own estimate. */
async function createTokenCounter() {
  const { importPeer } = await import("./harness.mjs");
  const peer =
    process.env["TOKENS"] === "estimate"
      ? undefined
      : await importPeer("gpt-tokenizer/encoding/o200k_base").catch(() => undefined);
  console.log(peer ? "Tokens of o200k." : "Tokens as the package estimates them.");
  return peer?.countTokens ?? estimateTokens;
}
