import type { Report } from "./report.js";

const WIDTH = 1000;
const LABEL_WIDTH = 260;
const VALUE_WIDTH = 200;
const ROW = 34;
const BAR = 22;
const TOP = 100;

const STYLE = `.page { fill: #ffffff; stroke: #d0d7de; }
    .bar { fill: #c5ccd5; }
    .ours { fill: #3b6fd4; }
    .mark { stroke: #1f2328; stroke-width: 2.5; }
    .line { stroke: #e0913a; stroke-width: 1.75; stroke-dasharray: 5 4; }
    text { font: 14px system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #1f2328; }
    .title { font-size: 17px; font-weight: 600; }
    .soft { fill: #57606a; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117; stroke: #30363d; }
      .bar { fill: #4a525c; }
      .ours { fill: #6ea0ff; }
      .mark { stroke: #e6edf3; }
      text { fill: #e6edf3; }
      .soft { fill: #9198a1; }
    }`;

/** Names as people know them. */
const LABELS: Readonly<Record<string, string>> = {
  everything: "send everything",
  ours: "context-offload",
  bare: "the same without a digest",
  oracle: "a digest that knew the future",
  "ours:arrival=400": "its default before, at arrival",
  strands: "Strands, at arrival",
  "deepagents:1000": "deepagents from 1,000 tokens",
  deepagents: "deepagents, at arrival",
  "context-chef": "context-chef, at arrival",
  "gemini-masking": "gemini-cli masking",
  "langchain-clearing": "LangChain clearing",
  "ai-sdk-pruning": "AI SDK pruning",
};

/** The mean price of each system as bars, a mark for the reader that no agent is, and what was lost. */
export function renderPicture({ systems, sources }: Report): string {
  const max = Math.max(1, ...systems.flatMap(({ live, names }) => [live.mean, names.mean]));
  const scale = (WIDTH - LABEL_WIDTH - VALUE_WIDTH) / max;
  const height = TOP + systems.length * ROW + 28;
  const one = LABEL_WIDTH + scale;
  const bars = systems.map(({ system, live, names }, index) => {
    const y = TOP + index * ROW;
    const { lost } = live.total;
    const note = lost > 0 ? `, ${lost.toLocaleString("en")} facts lost` : "";
    const style = system === "ours" ? "ours" : "bar";
    const label = escape(LABELS[system] ?? system);
    const mark = (LABEL_WIDTH + names.mean * scale).toFixed(1);
    return [
      `<text x="${LABEL_WIDTH - 10}" y="${y + 16}" text-anchor="end">${label}</text>`,
      `<rect class="${style}" x="${LABEL_WIDTH}" y="${y}" width="${(live.mean * scale).toFixed(1)}" height="${BAR}" rx="3" />`,
      ...(names.mean === live.mean
        ? []
        : [`<line class="mark" x1="${mark}" y1="${y}" x2="${mark}" y2="${y + BAR}" />`]),
      `<text x="${WIDTH - VALUE_WIDTH + 14}" y="${y + 16}">${live.mean.toFixed(2)}${note}</text>`,
    ].join("\n  ");
  });
  const turns = (systems[0]?.live.total.turns ?? 0).toLocaleString("en");
  const from = `${sources.length} ${sources.length === 1 ? "source" : "sources"}`;
  const title = `The price of ${turns} recorded turns from ${from}, against sending everything`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escape(title)}">
  <style>
    ${STYLE}
  </style>
  <rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10" />
  <text class="title" x="24" y="34">${escape(title)}</text>
  <text class="soft" x="24" y="56">Bars: a reader that reads back what is hidden when it arrives, as live agents did. Mean over the sources, with a prompt cache.</text>
  <text class="soft" x="24" y="76">Marks: the same if a name in a reference were as good as the text, which no agent was seen to take it for.</text>
  ${bars.join("\n  ")}
  <line class="line" x1="${one.toFixed(1)}" y1="${TOP - 8}" x2="${one.toFixed(1)}" y2="${height - 20}" />
</svg>
`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
