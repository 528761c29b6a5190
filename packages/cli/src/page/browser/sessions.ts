import type { PageOverview, PageSession, PageTool } from "../page-types.js";
import { count, counted, h, name, netOf, svg, time } from "./dom.js";

const SHOWN_SESSIONS = 5;

type Figures = NonNullable<PageSession["figures"]>;
type Flow = Pick<Figures, "whole" | "references" | "reads" | "fixed" | "net">;

/** What offloading brought in all sessions, in one sentence each where both kinds of figures exist. */
export function renderTotal({ total, eachRequest, sessions }: PageOverview): HTMLElement {
  const parts: HTMLElement[] = [];
  if (total.requests > 0) {
    parts.push(renderNet(total, `over ${counted(total.requests, "request")}`));
  }
  if (eachRequest.results > 0) parts.push(renderNet(eachRequest, "in each further request"));
  if (parts.length === 0) {
    const held = sessions.reduce((sum, { artifacts }) => sum + artifacts, 0);
    const said =
      held === 0
        ? "Nothing was offloaded here yet. Results appear by themselves as soon as an agent stores some; context-offload doctor says whether one is set up."
        : `${counted(held, "result")} stored, and no ledger that tells what they brought.`;
    parts.push(h("p", { class: "total" }, said));
  }
  return h("section", { class: "totals", "aria-label": "All sessions" }, ...parts);
}

function renderNet(
  figures: Flow & { readonly results: number; readonly readCalls: number },
  over: string,
): HTMLElement {
  const { net, results, readCalls } = figures;
  const isBad = net < 0;
  return h(
    "div",
    { class: `total ${isBad ? "bad" : ""}` },
    h("strong", { class: "figure" }, count(Math.abs(net))),
    h("span", { class: "unit" }, ` tokens ${isBad ? "more than without it" : "saved"} ${over}`),
    h(
      "p",
      { class: "soft" },
      `${counted(results, "result")} offloaded, ${counted(readCalls, "read")}; our estimate`,
    ),
  );
}

/** Every session with its sentence and its bar; those whose figures are of one kind share a scale. */
export function renderSessions(
  { sessions }: PageOverview,
  view: {
    readonly chosen: string | undefined;
    readonly isAll: boolean;
    readonly choose: (session: string | undefined) => void;
    readonly showAll: () => void;
  },
): HTMLElement {
  const max = new Map<string, number>();
  for (const { figures } of sessions) {
    if (!figures) continue;
    const { over, whole } = figures;
    max.set(over, Math.max(max.get(over) ?? 1, whole, costOf(figures)));
  }
  const visible = view.isAll
    ? sessions
    : sessions.filter(({ sessionId }, at) => at < SHOWN_SESSIONS || sessionId === view.chosen);
  const rest = sessions.length - visible.length;
  return h(
    "section",
    { class: "sessions", hidden: sessions.length === 0, "aria-labelledby": "sessions-title" },
    h("h2", { id: "sessions-title" }, "Sessions"),
    renderLegend(),
    h(
      "ul",
      {},
      ...visible.map((session) =>
        renderSession(session, session.sessionId === view.chosen, max, view.choose),
      ),
    ),
    rest > 0
      ? h(
          "button",
          { id: "all-sessions", class: "quiet", click: view.showAll },
          `Show ${counted(rest, "more session")}`,
        )
      : undefined,
  );
}

function renderLegend(): HTMLElement {
  const entry = (kind: string, text: string): HTMLElement =>
    h("span", { class: "entry" }, h("i", { class: `swatch ${kind}` }), text);
  return h(
    "p",
    { class: "legend" },
    ...[entry("references", "references"), entry("reads", "read back"), entry("fixed", "overhead")],
    ...[entry("net", "net saved"), entry("loss", "net cost")],
  );
}

function renderSession(
  session: PageSession,
  isChosen: boolean,
  max: ReadonlyMap<string, number>,
  choose: (session: string | undefined) => void,
): HTMLElement {
  const { sessionId, figures, lastWrittenAt, artifacts } = session;
  const head = h(
    "button",
    {
      ...{
        class: "session-name",
        id: `session-${sessionId}`,
        "aria-pressed": isChosen ? "true" : "false",
      },
      click: () => {
        choose(isChosen ? undefined : sessionId);
      },
    },
    name(sessionId),
  );
  const facts = [
    figures && figures.requests > 0 ? counted(figures.requests, "request") : undefined,
    counted(figures?.results ?? artifacts, "result"),
    time(lastWrittenAt),
  ];
  return h(
    "li",
    { class: isChosen ? "session chosen" : "session", "data-session": sessionId },
    h(
      "div",
      { class: "session-head" },
      head,
      h("span", { class: "soft facts" }, facts.filter(Boolean).join(" · ")),
    ),
    ...(figures
      ? [
          renderSentence(figures),
          renderBar(figures, max.get(figures.over) ?? 1),
          renderUsage(figures),
        ]
      : [h("p", { class: "sentence soft" }, "The ledger does not tell of this session.")]),
  );
}

function renderSentence(figures: Figures): HTMLElement {
  const { net, whole, references, reads, fixed, over, requests, results, keptLarge } = figures;
  const where =
    over === "all requests"
      ? `over all ${counted(requests, "request")}`
      : "in each further request";
  const isBad = net < 0;
  const verdict = isBad
    ? `cost ${count(-net)} tokens more than it saved`
    : `saved ${counted(net, "token")}`;
  const kept = Object.entries(keptLarge);
  const why = kept.map(([reason, times]) => `${reason} ${times}`).join(", ");
  return h(
    "p",
    { class: "sentence" },
    h("b", { class: isBad ? "bad" : "good" }, `Offloading ${verdict}`),
    ` ${where} (estimate): ${count(whole)} whole, less ${count(references)} for references, ` +
      `${count(reads)} read back and ${count(fixed)} overhead.`,
    results === 0 && kept.length > 0
      ? ` Nothing was offloaded; large results were kept: ${why}.`
      : "",
  );
}

function costOf({ references, reads, fixed }: Flow): number {
  return references + reads + fixed;
}

const BAR_WIDTH = 1_000;
/** So that nothing that is there is too narrow to be seen. */
const MIN_WIDTH = 6;

function renderBar(figures: Figures, max: number): HTMLElement {
  const { whole, references, reads, fixed, net, over } = figures;
  const scale = BAR_WIDTH / max;
  let at = 0;
  const parts: SVGElement[] = [];
  const add = (kind: string, tokens: number, title: string): void => {
    if (tokens <= 0) return;
    const rect = {
      class: kind,
      x: at * scale,
      y: 0,
      width: Math.max(MIN_WIDTH, tokens * scale),
      height: 20,
      "data-tokens": tokens,
    };
    parts.push(svg("rect", rect, svg("title", {}, `${title}: ${counted(tokens, "token")}`)));
    at += tokens;
  };
  const costs = [
    ["references", references, "references"],
    ["reads", reads, "read back"],
    ["fixed", fixed, "overhead"],
  ] as const;
  for (const [kind, tokens, title] of costs)
    add(kind, Math.min(tokens, Math.max(0, whole - at)), title);
  if (net >= 0) add("net", net, "net saved");
  else add("loss", -net, "net cost");
  const label = `Bar: ${count(whole)} whole, ${count(references)} references, ${count(reads)} read back, ${count(fixed)} overhead, net ${count(net)}`;
  return h(
    "div",
    { class: "bar-line" },
    svg(
      "svg",
      {
        class: "bar",
        viewBox: `0 0 ${BAR_WIDTH} 20`,
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": label,
      },
      svg("rect", { class: "ground", x: 0, y: 0, width: BAR_WIDTH, height: 20 }),
      ...parts,
      whole > 0
        ? svg("line", { class: "whole", x1: whole * scale, x2: whole * scale, y1: 0, y2: 20 })
        : undefined,
    ),
    h("span", { class: "soft scale" }, `0 to ${count(max)} tokens, ${over}`),
  );
}

function renderUsage({ usage }: Figures): HTMLElement | undefined {
  if (!usage) return undefined;
  const { requests, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  return h(
    "p",
    { class: "usage soft" },
    `The provider's own count of ${counted(requests, "request")}, no part of the bar: ${count(inputTokens)} input, ` +
      `${count(cacheReadTokens)} read from cache, ${count(cacheWriteTokens)} written to it, ${count(outputTokens)} output.`,
  );
}

/** What each tool's results brought, and what to do about it. */
export function renderTools(tools: readonly PageTool[]): HTMLElement | undefined {
  if (tools.length === 0) return undefined;
  const right = (value: number): HTMLElement =>
    h("td", { class: "number wide-only" }, count(value));
  return h(
    "section",
    { class: "tools", "aria-labelledby": "tools-title" },
    h("h2", { id: "tools-title" }, "Tools"),
    h(
      "p",
      { class: "soft" },
      "Sizes count each result once; net is over all requests that carried it, with * in each further request.",
    ),
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", {}, "tool"),
            ...["results", "whole", "references", "read back", "net"].map((title) =>
              h("th", { class: title === "net" ? "number" : "number wide-only" }, title),
            ),
            h("th", {}, "verdict"),
          ),
        ),
        h(
          "tbody",
          {},
          ...tools.map(
            ({
              toolName,
              results,
              wholeTokens,
              referenceTokens,
              readTokens,
              net,
              over,
              verdict,
              words,
            }) =>
              h(
                "tr",
                {},
                h("td", {}, name(toolName ?? "(unknown)")),
                ...[results, wholeTokens, referenceTokens, readTokens].map(right),
                h("td", { class: `number ${net < 0 ? "bad" : ""}` }, ...netOf(net, over)),
                h(
                  "td",
                  { class: verdict === "exclude" ? "bad" : verdict === "pays" ? "good" : "soft" },
                  words,
                ),
              ),
          ),
        ),
      ),
    ),
  );
}
