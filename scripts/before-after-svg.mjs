// Draws a conversation before and after as two bars of one scale. Pure.

/**
 * @typedef {object} Part A run of tokens of a conversation.
 * @property {number} tokens
 * @property {boolean} marked Whether it is an offloaded result, or the reference to one.
 *
 * @typedef {object} Figures
 * @property {readonly Part[]} before
 * @property {readonly Part[]} after
 * @property {number} offloaded How many results were offloaded.
 */

const LEFT = 24;
const WIDTH = 952;

/** @param {Figures} figures */
export function drawBeforeAndAfter({ before, after, offloaded }) {
  const total = Math.round(sum(before));
  const rest = Math.round(sum(after));
  const end = round(LEFT + (WIDTH * rest) / total);
  const middle = round((end + LEFT + WIDTH) / 2);
  const arrows = round((end + 12 + middle - 152) / 2);
  const alt =
    `The same conversation as two bars: ${format(total)} tokens before, most of them in ` +
    `${offloaded} tool results; ${format(rest)} tokens after, with short references to plain files ` +
    `that the model searches and reads.`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 272" width="1000" height="272" role="img" aria-label="${alt}">
  <style>
    .page { fill: #ffffff; stroke: #d0d7de; }
    .other { fill: #c5ccd5; }
    .result { fill: #e0913a; }
    .reference { fill: #3b6fd4; }
    .store { fill: #fff6e0; stroke: #b7791f; stroke-width: 1.5; }
    .line { fill: none; stroke: #57606a; stroke-width: 1.75; }
    .head { fill: #57606a; }
    text { font: 14px system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #1f2328; }
    .title { font-size: 17px; font-weight: 600; }
    .soft { fill: #57606a; }
    .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 13px; }
    .middle { text-anchor: middle; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117; stroke: #30363d; }
      .other { fill: #4a525c; }
      .result { fill: #e0913a; }
      .reference { fill: #6ea0ff; }
      .store { fill: #2b2109; stroke: #d9a441; }
      .line { stroke: #9198a1; }
      .head { fill: #9198a1; }
      text { fill: #e6edf3; }
      .soft { fill: #9198a1; }
    }
  </style>
  <defs>
    <marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
      <path class="head" d="M0 0 10 5 0 10z" />
    </marker>
  </defs>
  <rect class="page" x="0.5" y="0.5" width="999" height="271" rx="10" />
  <text class="title" x="${LEFT}" y="36">before: ${format(total)} tokens</text>
  <text class="soft" x="${LEFT + WIDTH}" y="36" text-anchor="end">${offloaded} big tool results fill the context window</text>
${drawBar(before, total, 48, "result")}
  <text class="title" x="${LEFT}" y="136">after: ${format(rest)} tokens</text>
${drawBar(after, total, 148, "reference")}
  <path class="line" d="M${end + 12} 160H${middle - 152}" marker-end="url(#arrow)" />
  <path class="line" d="M${middle - 152} 182H${end + 12}" marker-end="url(#arrow)" />
  <rect class="store" x="${middle - 144}" y="124" width="288" height="92" rx="8" />
  <text class="middle" x="${middle}" y="152">${offloaded} results, exactly as they were</text>
  <text class="soft middle" x="${middle}" y="174">plain files, one per result</text>
  <text class="mono middle" x="${middle}" y="198">.offload/v1/default/session-1/</text>
  <text class="mono middle" x="${arrows}" y="152">read_stored</text>
  <text class="soft middle" x="${arrows}" y="202">two lines</text>
  <text class="soft" x="${LEFT}" y="226">${offloaded} short references;</text>
  <text class="soft" x="${LEFT}" y="247">the model reads only the part that it needs</text>
</svg>
`;
}

/**
 * @param {readonly Part[]} parts
 * @param {number} total How many tokens the whole width represents.
 * @param {number} y
 * @param {string} kind The class of the marked parts.
 */
function drawBar(parts, total, y, kind) {
  let tokens = 0;
  return parts
    .map((part) => {
      const x = LEFT + (WIDTH * tokens) / total;
      const width = (WIDTH * part.tokens) / total;
      tokens += part.tokens;
      const fill = part.marked ? kind : "other";
      // A narrow gap keeps neighbors apart.
      return `  <rect class="${fill}" x="${round(x)}" y="${y}" width="${round(Math.max(width - 1, 0.5))}" height="48" />`;
    })
    .join("\n");
}

/** @param {readonly Part[]} parts */
function sum(parts) {
  return parts.reduce((total, { tokens }) => total + tokens, 0);
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}

/** @param {number} count */
function format(count) {
  return count.toLocaleString("en-US");
}
