/**
 * The rows as a Markdown table; docs/performance.md quotes it.
 *
 * @param {readonly import("./run.mjs").Row[]} rows
 */
export function renderTable(rows) {
  const lines = rows.map(({ what, against, ours, theirs, aim, limit }) => {
    const ratio = ours / theirs;
    const met = limit === null || ratio <= limit ? "" : " (missed)";
    return [what, ms(ours), against, ms(theirs), `${ratio.toFixed(2)}${met}`, aim];
  });
  return [["what", "ours", "against", "it takes", "ratio", "aim"], null, ...lines]
    .map((cells) => `| ${(cells ?? Array(6).fill("---")).join(" | ")} |`)
    .join("\n");
}

/** @param {number} value */
function ms(value) {
  return `${value.toFixed(value < 10 ? 3 : 1)} ms`;
}
