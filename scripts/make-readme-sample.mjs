// Runs the package on the sample conversation and puts the outcome into the README: a tool result
// before and after, the model's next call, the cost, and the picture; the reference into the page on
// the workspace, and the cost into the one on reading. With `--check` it only says whether they are up to date.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, URL } from "node:url";
import { createOffloader, estimateTokens } from "context-offload";
import { parseConversation } from "context-offload/formats";
import { drawBeforeAndAfter } from "./before-after-svg.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SAMPLE = "examples/conversations/checkout-outage.json";
const PICTURE = "docs/images/before-after.svg";
/** Eight seconds of an access log, as CSV: the model looks for repeated requests that failed. */
const SHOWN = "toolu_01mNzU6zXKN3RfwsM4V1qrr1";
const PATTERN = ",[2-6],429,";
/** How many matches of the model's call it shows. */
const SHOWN_MATCHES = 2;

const { blocks, reference, picture, costs } = await makeSample();
const pages = [
  await fillPage("README.md", (page) => Object.entries(blocks).reduce(fillBlock, page)),
  await fillPage("docs/workspace.md", (page) => fillReference(page, reference)),
  await fillPage("docs/reading.md", (page) => fillCosts(page, costs)),
  await fillPage(PICTURE, () => picture),
];
const outdated = pages.filter(({ before, after }) => before !== after);
if (outdated.length === 0) {
  console.log("README: the sample is up to date");
} else if (process.argv.includes("--check")) {
  const names = outdated.map(({ path }) => path).join(", ");
  console.error(`out of date: ${names}; run node scripts/make-readme-sample.mjs`);
  process.exitCode = 1;
} else {
  for (const { path, after } of outdated) {
    await writeFile(join(ROOT, path), after);
    console.log(`${path} written`);
  }
}

/** @param {string} path @param {(text: string) => string} fill */
async function fillPage(path, fill) {
  const before = await readFile(join(ROOT, path), "utf8").catch(() => "");
  return { path, before, after: fill(before) };
}

async function makeSample() {
  const { format, messages: before } = parseConversation(
    await readFile(join(ROOT, SAMPLE), "utf8"),
  );
  const root = await mkdtemp(join(tmpdir(), "readme-sample-"));
  try {
    const offloader = createOffloader({ root, sessionId: "session-1", format });
    const { messages: after, report } = await offloader.offload(before);
    const offloaded = report.results.filter(({ outcome }) => outcome === "offloaded");
    const shown = offloaded.find(({ toolCallId }) => toolCallId === SHOWN);
    if (shown?.reference === undefined) throw new Error(`${SHOWN} was not offloaded`);

    const input = { id: SHOWN, pattern: PATTERN };
    const { workspace, sessionId } = offloader;
    const [tool, ...none] = workspace.tools({ sessionId, readingTools: "one" });
    if (!tool || none.length > 0) throw new Error("an offloader has one reading tool");
    const answer = await tool.execute(input);
    const { text } = await offloader.workspace.getKnowledgeByLines(SHOWN, 1, 2);
    const { size } = await offloader.workspace.getArtifact(SHOWN);
    const [was, is] = [countTokens(before), countTokens(after)];

    /** @param {string} state */
    const countOf = (state) => offloaded.filter((result) => result.state === state).length;
    const percent = Math.round((100 * (was - is)) / was);
    const sample = [
      `An agent looks into an outage: [${before.length} messages, ${report.totals.results} tool results](${SAMPLE}). ` +
        `By its last turn, offloading has taken it from ${group(was)} to ${group(is)} tokens, ${percent} % fewer: ` +
        `${countOf("giant")} very large results as they arrived, and ${countOf("stale")} once they were stale. ` +
        `Here is what happens to one of the large ones, an access log as CSV:`,
      "```text",
      `BEFORE: ${group(size.lines)} lines, ${group(shown.tokens ?? 0)} tokens`,
      `${text}\n… ${group(size.lines - 2)} more lines\n`,
      `AFTER: a reference, ${group(estimateTokens(shown.reference))} tokens`,
      `${shown.reference}\n`,
      "THE MODEL'S NEXT CALL: requests that were repeated, and failed",
      `${tool.name} ${JSON.stringify(input)}`,
      abridgeMatches(answer.text),
      "```",
    ]
      .join("\n")
      .replace("```text", "\n```text");

    const lengths = offloaded.map(({ reference = "" }) => estimateTokens(reference));
    const costs = {
      one: countTools([tool]),
      onePrompt: estimateTokens(offloader.systemPrompt()),
      five: countTools(workspace.tools({ sessionId })),
      fivePrompt: estimateTokens(workspace.systemPrompt()),
    };
    const cost =
      `Every request carries one reading tool (${group(costs.one)} tokens) and a sentence in the ` +
      `system prompt (${group(costs.onePrompt)}); they never change, so the provider's prompt cache ` +
      `holds them. A reference takes ${group(Math.min(...lengths))} to ${group(Math.max(...lengths))} tokens in the sample above.`;

    const places = new Set(offloaded.map(({ toolCallId }) => toolCallId));
    const picture = drawBeforeAndAfter({
      before: splitParts(before, places),
      after: splitParts(after, places),
      offloaded: offloaded.length,
    });
    // The page on the workspace shows what a workspace writes, which tells of all five tools.
    const plain = createOffloader({ root, sessionId: "five", format, readingTools: "five" });
    const { results } = (await plain.offload(before)).report;
    const reference = results.find(({ toolCallId }) => toolCallId === SHOWN)?.reference ?? "";
    return { blocks: { sample, cost }, reference, picture, costs };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/**
 * The tokens of a conversation in order, with those of some results marked.
 *
 * @param {readonly unknown[]} messages
 * @param {ReadonlySet<unknown>} ids
 * @returns {import("./before-after-svg.mjs").Part[]}
 */
function splitParts(messages, ids) {
  return messages.flatMap((message) => {
    const { content } = /** @type {{ content: unknown }} */ (message);
    const blocks = Array.isArray(content) ? content : [];
    const results = blocks.filter(({ tool_use_id }) => ids.has(tool_use_id));
    const whole = countTokens([message]);
    // Estimates of the blocks can add up to more than that of their message, which is what counts.
    const scale = Math.min(1, whole / countTokens(results));
    const parts = results.map((block) => ({ tokens: scale * countTokens([block]), marked: true }));
    const others = whole - scale * countTokens(results);
    return [{ tokens: others, marked: false }, ...parts].filter(({ tokens }) => tokens > 0);
  });
}

/** @param {readonly unknown[]} messages */
function countTokens(messages) {
  return messages.reduce(
    (/** @type {number} */ sum, message) => sum + estimateTokens(JSON.stringify(message)),
    0,
  );
}

/** @param {readonly import("context-offload").ToolDescription[]} tools */
function countTools(tools) {
  const described = tools.map(({ name, description, inputSchema }) => {
    return { name, description, inputSchema };
  });
  return estimateTokens(JSON.stringify(described));
}

/** @param {string} text @param {[name: string, block: string]} entry */
function fillBlock(text, [name, block]) {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  if (!text.includes(start) || !text.includes(end)) throw new Error(`README.md has no ${start}`);
  const before = text.slice(0, text.indexOf(start) + start.length);
  return `${before}\n\n${block}\n\n${text.slice(text.indexOf(end))}`;
}

/** @param {string} page @param {string} reference */
function fillReference(page, reference) {
  const block = /(<!-- reference: \w+ -->\n+```text\n)[^]*?(\n```)/;
  if (!block.test(page)) throw new Error("docs/workspace.md has no reference to fill in");
  return page.replace(block, (_, start, end) => `${start}${reference}${end}`);
}

/**
 * @param {string} page
 * @param {{ one: number, onePrompt: number, five: number, fivePrompt: number }} costs
 */
function fillCosts(page, { one, onePrompt, five, fivePrompt }) {
  const sentence = /(so they are short: )[^.]*\./;
  if (!sentence.test(page)) throw new Error("docs/reading.md does not say what the tools cost");
  const figures =
    `\`read_stored\` takes ${group(one)} tokens and its prompt ${group(onePrompt)}, the five tools ` +
    `take ${group(five)} and theirs ${group(fivePrompt)}.`;
  return page.replace(sentence, (_, start) => `${start}${figures}`);
}

/**
 * The first matches of an answer, how many more it has, and how many its last line says are left.
 *
 * @param {string} answer
 */
function abridgeMatches(answer) {
  const lines = answer.split("\n");
  const [, left] = /^\[(\d+) matches left out\. Next: /.exec(lines.at(-1) ?? "") ?? [];
  if (left === undefined) throw new Error("the answer is complete: shorten the sample otherwise");
  const more = lines.length - 1 - SHOWN_MATCHES;
  return [
    ...lines.slice(0, SHOWN_MATCHES),
    `… ${more} more matches, and the call that continues with the other ${left}`,
  ].join("\n");
}

/** @param {number} count */
function group(count) {
  return count.toLocaleString("en-US");
}
