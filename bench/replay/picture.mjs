const WIDTH = 720;
const LABEL_WIDTH = 190;
const ROW = 30;
const TOP = 64;

/** Names as people know them. @type {Record<string, string>} */
const LABELS = {
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

/**
 * The mean price of each system as bars, and what it lost beside them.
 *
 * @param {import("./report.mjs").Report} report
 */
export function renderPicture({ systems, sources }) {
  const most = Math.max(1, ...systems.map(({ mean }) => mean));
  const scale = (WIDTH - LABEL_WIDTH - 150) / most;
  const height = TOP + systems.length * ROW + 28;
  const one = LABEL_WIDTH + scale;
  const bars = systems.map(({ system, mean, total }, index) => {
    const y = TOP + index * ROW;
    const color = system.startsWith("ours")
      ? "#2563eb"
      : system === "oracle"
        ? "#cbd5e1"
        : "#94a3b8";
    const lost = total.lost > 0 ? `, ${total.lost.toLocaleString("en")} facts lost` : "";
    return [
      `<text x="${LABEL_WIDTH - 10}" y="${y + 15}" text-anchor="end">${escape(LABELS[system] ?? system)}</text>`,
      `<rect x="${LABEL_WIDTH}" y="${y}" width="${(mean * scale).toFixed(1)}" height="20" rx="3" fill="${color}"/>`,
      `<text x="${(LABEL_WIDTH + mean * scale + 8).toFixed(1)}" y="${y + 15}">${mean.toFixed(2)}${lost}</text>`,
    ].join("\n  ");
  });
  const turns = (systems[0]?.total.turns ?? 0).toLocaleString("en");
  const title = `The price of ${turns} recorded turns from ${sources.length} sources, against sending everything`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="t" font-family="system-ui, sans-serif" font-size="13" fill="#334155">
  <title id="t">${escape(title)}</title>
  <rect width="${WIDTH}" height="${height}" rx="8" fill="#ffffff"/>
  <text x="20" y="28" font-size="15" font-weight="600" fill="#0f172a">${escape(title)}</text>
  <text x="20" y="48" fill="#64748b">Input tokens with a prompt cache, with everything that is read back and everything that is added to requests.</text>
  ${bars.join("\n  ")}
  <line x1="${one.toFixed(1)}" y1="${TOP - 6}" x2="${one.toFixed(1)}" y2="${height - 20}" stroke="#dc2626" stroke-dasharray="4 3"/>
</svg>
`;
}

/** @param {string} text */
function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
