/**
 * Of the facts that are used later, how many does a digest show?
 *
 *   node bench/replay/digest-study.mjs <folders…> [--budget 600,1200] [--share 0.15] [--floor 300]
 *     [--cap 6000] [--min-tokens 1000]
 */
import { parseArgs } from "node:util";
import { findSources, readConversations } from "./conversations.mjs";
import { DIGEST_WAYS, studyDigests } from "./study-digests.mjs";
import { textTable } from "./text-table.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    budget: { type: "string" },
    share: { type: "string" },
    floor: { type: "string", default: "300" },
    cap: { type: "string", default: "6000" },
    "min-tokens": { type: "string", default: "1000" },
  },
});
if (positionals.length === 0) {
  console.error("Usage: node bench/replay/digest-study.mjs <folders…> [--budget 600,1200]");
  process.exit(2);
}

/** @type {import("./conversation.mjs").Conversation[]} */
const conversations = [];
for (const { name, files } of await findSources(positionals)) {
  process.stderr.write(`reading ${name}\n`);
  for (const file of files) conversations.push(...((await readConversations(file)) ?? []));
}

const minTokens = Number(values["min-tokens"]);
for (const share of numbers(values.share)) {
  const floor = Number(values.floor);
  const cap = Number(values.cap);
  show(`${share} of the result, ${floor} to ${cap} characters`, (chars) =>
    Math.round(Math.min(cap, Math.max(floor, chars * share))),
  );
}
const isDefault = values.share === undefined && values.budget === undefined;
for (const budget of numbers(isDefault ? "1200" : values.budget)) {
  show(`${budget} characters`, () => budget);
}

/** @param {string | undefined} list */
function numbers(list) {
  return (list ?? "").split(",").filter(Boolean).map(Number);
}

/**
 * @param {string} title
 * @param {(chars: number) => number} budgetOf
 */
function show(title, budgetOf) {
  const rows = studyDigests(conversations, { budgetOf, minTokens });
  for (const part of /** @type {const} */ (["facts", "lines"])) {
    const what = part === "facts" ? "facts used later" : "lines repeated word by word";
    console.log(`\nShare of ${what} that a digest shows: ${title}\n`);
    const header = ["", "results", "used", ...Object.keys(DIGEST_WAYS)];
    const body = rows
      .filter((row) => (row[part]["ours"]?.used ?? 0) > 0)
      .map((row) => {
        const counts = Object.values(row[part]);
        const shares = counts.map(({ shown, used }) => `${((100 * shown) / used).toFixed(1)} %`);
        return [row.group, String(row.results), String(counts[0]?.used ?? 0), ...shares];
      });
    console.log(textTable([header, ...body]));
  }
}
