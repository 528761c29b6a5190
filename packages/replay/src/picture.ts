import type { Report } from "./report.js";

const WIDTH = 1000;
const LABEL_WIDTH = 250;
const VALUE_WIDTH = 180;
const ROW = 30;
const TOP = 84;

const STYLE = `.page { fill: #ffffff; stroke: #d0d7de; }
    .bar { fill: #c5ccd5; }
    .ours { fill: #3b6fd4; }
    .line { stroke: #e0913a; stroke-width: 1.75; stroke-dasharray: 5 4; }
    text { font: 14px system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #1f2328; }
    .title { font-size: 17px; font-weight: 600; }
    .soft { fill: #57606a; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117; stroke: #30363d; }
      .bar { fill: #4a525c; }
      .ours { fill: #6ea0ff; }
      text { fill: #e6edf3; }
      .soft { fill: #9198a1; }
    }`;

/** Names as people know them. */
const LABELS: Readonly<Record<string, string>> = {
  everything: "send everything",
  ours: "context-offload",
  bare: "bare reference",
  oracle: "a digest that knew the future",
  strands: "Strands",
  "deepagents:1000": "deepagents, 1,000 tokens",
  deepagents: "deepagents, its default",
  "context-chef": "context-chef",
  "langchain-clearing": "LangChain clearing",
  "ai-sdk-pruning": "AI SDK pruning",
};

/** The mean price of each system as bars, and what it lost beside them. */
export function renderPicture({ systems, sources }: Report): string {
  const max = Math.max(1, ...systems.map(({ mean }) => mean));
  const scale = (WIDTH - LABEL_WIDTH - VALUE_WIDTH) / max;
  const height = TOP + systems.length * ROW + 28;
  const one = LABEL_WIDTH + scale;
  const bars = systems.map(({ system, mean, total }, index) => {
    const y = TOP + index * ROW;
    const lost = total.lost > 0 ? `, ${total.lost.toLocaleString("en")} facts lost` : "";
    const style = system.startsWith("ours") ? "ours" : "bar";
    const label = escape(LABELS[system] ?? system);
    return [
      `<text x="${LABEL_WIDTH - 10}" y="${y + 15}" text-anchor="end">${label}</text>`,
      `<rect class="${style}" x="${LABEL_WIDTH}" y="${y}" width="${(mean * scale).toFixed(1)}" height="20" rx="3" />`,
      `<text x="${WIDTH - VALUE_WIDTH + 14}" y="${y + 15}">${mean.toFixed(2)}${lost}</text>`,
    ].join("\n  ");
  });
  const turns = (systems[0]?.total.turns ?? 0).toLocaleString("en");
  const title = `The price of ${turns} recorded turns from ${sources.length} sources, against sending everything`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escape(title)}">
  <style>
    ${STYLE}
  </style>
  <rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10" />
  <text class="title" x="24" y="34">${escape(title)}</text>
  <text class="soft" x="24" y="56">Input tokens at the prices of a prompt cache; with what is read back and what is added to each request.</text>
  ${bars.join("\n  ")}
  <line class="line" x1="${one.toFixed(1)}" y1="${TOP - 8}" x2="${one.toFixed(1)}" y2="${height - 20}" />
</svg>
`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
