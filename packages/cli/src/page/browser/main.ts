import type { PageOverview, PageResult, PageStrip } from "../page-types.js";
import { h, name, shown, time } from "./dom.js";
import { resultView } from "./result.js";
import { resultsView } from "./results.js";
import { renderSessions, renderTools, renderTotal } from "./sessions.js";
import { openSource } from "./source.js";
import { renderStrip } from "./strip.js";

const source = openSource();
const page = document.getElementById("page") ?? document.body;
const top = h("div");
const stripPlace = h("div");
const toolsPlace = h("div");
const state = h("span", { class: "state", role: "status" }, "");
const place = h("span", { class: "soft place" });

let overview: PageOverview | undefined;
let results: readonly PageResult[] = [];
let strip: PageStrip | undefined;
let chosen: string | undefined;
let isAll = false;

const table = resultsView(source, openResult);
const result = resultView(source, () => {
  if (location.hash !== "") history.replaceState(undefined, "", location.pathname);
  // The browser gives the focus back to what had it.
  if (document.activeElement === document.body) table.focusRows();
});

page.append(
  h("header", { class: "top" }, h("h1", {}, "context-offload"), place, state),
  ...[top, stripPlace, toolsPlace, table.element, result.element],
  h(
    "footer",
    { class: "soft" },
    "Tokens are our own estimate, of input; prompt caching is left out. Net is whole − references − read back − overhead, over all requests that carried a result; * in each further request. ",
    ...[
      h("kbd", {}, "/"),
      " filter ",
      h("kbd", {}, "s"),
      " search ",
      h("kbd", {}, "↑"),
      h("kbd", {}, "↓"),
      " rows ",
      h("kbd", {}, "Enter"),
      " open ",
      h("kbd", {}, "Esc"),
      " close",
    ],
  ),
);

/** The session whose strip is shown: the one that was chosen or recorded, or the newest that holds something. */
function current(): string | undefined {
  const sessions = overview?.sessions ?? [];
  const named = chosen ?? overview?.recorded;
  return named ?? (sessions.find(({ artifacts }) => artifacts > 0) ?? sessions[0])?.sessionId;
}

/** Draws again without taking the focus from where it is. */
function draw(): void {
  if (!overview) return;
  const focused = document.activeElement?.id;
  const shownOverview = overview;
  place.replaceChildren(
    name(overview.place),
    overview.namespace === "default" ? "" : ` · ${overview.namespace}`,
  );
  top.replaceChildren(
    renderTotal(shownOverview),
    renderSessions(shownOverview, {
      ...{ chosen, isAll },
      choose(session) {
        chosen = session;
        draw();
        void loadStrip();
      },
      showAll() {
        isAll = true;
        draw();
      },
    }),
  );
  const session = current();
  stripPlace.hidden = overview.sessions.length === 0;
  stripPlace.replaceChildren(
    renderStrip(strip, session, (artifactId) => {
      if (session !== undefined) openResult({ sessionId: session, artifactId });
    }),
  );
  const figures = overview.sessions.find(({ sessionId }) => sessionId === chosen)?.figures;
  const tools = renderTools(figures?.tools ?? overview.tools);
  toolsPlace.replaceChildren(...(tools ? [tools] : []));
  table.show(results, chosen);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

async function loadStrip(): Promise<void> {
  const session = current();
  const found =
    session === undefined ? undefined : await source.strip(session).catch(() => undefined);
  if (session !== current()) return;
  strip = found;
  draw();
}

let loading: Promise<void> = Promise.resolve();
/** One load after the other, or an older answer could replace a newer one. */
function load(): Promise<void> {
  return (loading = loading.then(async () => {
    try {
      [overview, results] = await Promise.all([source.overview(), source.results()]);
      await loadStrip();
      draw();
    } catch (error) {
      top.replaceChildren(
        h("p", { class: "bad" }, ...shown(error instanceof Error ? error.message : String(error))),
      );
    }
  }));
}

/** In the address, so that a result can be gone back to. */
function openResult(
  { sessionId, artifactId }: Pick<PageResult, "sessionId" | "artifactId">,
  line?: number,
): void {
  const given = new URLSearchParams({ session: sessionId, id: artifactId });
  history.replaceState(undefined, "", `#${given.toString()}`);
  void result.show({ sessionId, artifactId }, line);
}

function openFromAddress(): void {
  const given = new URLSearchParams(location.hash.slice(1));
  const [sessionId, artifactId] = [given.get("session"), given.get("id")];
  if (sessionId !== null && artifactId !== null) void result.show({ sessionId, artifactId });
}

document.addEventListener("keydown", (event) => {
  const isTyping =
    event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  if (isTyping || result.element.open || event.ctrlKey || event.metaKey || event.altKey) return;
  const act = { "/": table.focusFilter, s: table.focusSearch, r: table.focusRows }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
addEventListener("hashchange", openFromAddress);

source.watch(
  () => void load(),
  (isLive) => {
    state.textContent = isLive ? "live" : "not connected: is context-offload page still running?";
    state.className = isLive ? "state live" : "state bad";
  },
);
if (source.exportedAt !== undefined) state.textContent = `exported ${time(source.exportedAt)}`;
void load().then(openFromAddress);
