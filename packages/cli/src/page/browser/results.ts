import type { PageMatches, PageResult } from "../page-types.js";
import { count, counted, h, name, netOf, shown, size, time, visible } from "./dom.js";
import type { Source } from "./source.js";
import { virtualRows } from "./virtual-rows.js";

const COLUMNS = [
  { key: "toolName", title: "tool" },
  { key: "at", title: "time" },
  { key: "bytes", title: "size" },
  { key: "tokens", title: "tokens" },
  { key: "referenceTokens", title: "reference" },
  { key: "reads", title: "reads" },
  { key: "readTokens", title: "read back" },
  { key: "net", title: "net" },
  { key: "verdict", title: "verdict" },
] as const;
const NUMBERS: ReadonlySet<string> = new Set([
  "bytes",
  "tokens",
  "referenceTokens",
  "reads",
  "readTokens",
  "net",
]);

type Key = (typeof COLUMNS)[number]["key"];

export interface ResultsView {
  readonly element: HTMLElement;
  show(results: readonly PageResult[], session: string | undefined): void;
  readonly focusFilter: () => void;
  readonly focusSearch: () => void;
  readonly focusRows: () => void;
}

/** The table of all results with its filter, and the search over their text. */
export function resultsView(
  source: Source,
  open: (result: Pick<PageResult, "sessionId" | "artifactId">, line?: number) => void,
): ResultsView {
  let all: readonly PageResult[] = [];
  let rows: readonly PageResult[] = [];
  let session: string | undefined;
  let sorted: { key: Key; isDown: boolean } = { key: "at", isDown: true };
  let active = 0;
  /** Stays with its result when rows come before it, or are sorted in another way. */
  let activeResult: PageResult | undefined;

  const filter = h("input", {
    ...{
      id: "filter",
      type: "search",
      placeholder: "Filter by tool, id or verdict",
      "aria-label": "Filter",
    },
    input: () => {
      activeResult = undefined;
      update();
    },
  });
  const tools = h("select", {
    id: "tool",
    "aria-label": "Tool",
    change: () => {
      activeResult = undefined;
      update();
    },
  });
  const found = h("p", { class: "soft found", role: "status" });
  const heads = h("div", { class: "row head", role: "row" });
  const list = virtualRows("results-rows", rowHeight, renderRow);
  list.element.id = "results";
  list.element.setAttribute("role", "grid");
  list.element.setAttribute("aria-label", "Results");
  list.element.addEventListener("keydown", onKey);
  const toolOf = (sessionId: string, artifactId: string): string =>
    all.find((one) => one.artifactId === artifactId && one.sessionId === sessionId)?.toolName ??
    "(unknown)";
  const search = searchView(source, () => session, toolOf, open);
  const element = h(
    "section",
    { class: "results", "aria-labelledby": "results-title" },
    h("h2", { id: "results-title" }, "Results"),
    h("div", { class: "toolbar" }, filter, tools, found),
    h("div", { class: "table" }, heads, list.element),
    search.element,
  );

  function rowHeight(): number {
    return globalThis.matchMedia("(max-width: 760px)").matches ? 52 : 32;
  }

  function update(): void {
    const wanted = filter.value.trim().toLowerCase();
    const tool = tools.value;
    rows = all
      .filter(
        (result) =>
          (session === undefined || result.sessionId === session) &&
          (tool === "" || (result.toolName ?? "(unknown)") === tool),
      )
      .filter(
        ({ toolName, artifactId, sessionId, verdict }) =>
          wanted === "" ||
          [toolName, artifactId, sessionId, verdict].some((text) =>
            text?.toLowerCase().includes(wanted),
          ),
      )
      .sort(compare);
    activate(rows.findIndex((result) => isSame(result, activeResult)));
    found.textContent =
      rows.length === all.length
        ? counted(all.length, "result")
        : `${count(rows.length)} of ${counted(all.length, "result")}`;
    renderHeads();
    list.element.setAttribute("aria-rowcount", String(rows.length));
    // As high as its rows, or as many of them as fit into a part of the window.
    const fitting = Math.max(4, Math.floor((0.62 * innerHeight) / rowHeight()));
    list.element.style.height = `${Math.min(Math.max(1, rows.length), fitting) * rowHeight()}px`;
    list.show(rows.length);
    markActive();
  }

  function compare(one: PageResult, other: PageResult): number {
    const { key, isDown } = sorted;
    const [a, b] = [one[key] ?? "", other[key] ?? ""];
    const order = a === b ? 0 : a < b ? -1 : 1;
    return isDown ? -order : order;
  }

  function renderHeads(): void {
    heads.replaceChildren(
      ...COLUMNS.map(({ key, title }) => {
        const isSorted = sorted.key === key;
        const order = !isSorted ? "none" : sorted.isDown ? "descending" : "ascending";
        const sort = (): void => {
          sorted = { key, isDown: isSorted ? !sorted.isDown : NUMBERS.has(key) || key === "at" };
          update();
          document.getElementById(`sort-${key}`)?.focus();
        };
        return h(
          "div",
          {
            class: `cell ${key} ${NUMBERS.has(key) ? "number" : ""}`,
            role: "columnheader",
            "aria-sort": order,
          },
          h(
            "button",
            { id: `sort-${key}`, click: sort },
            title,
            isSorted ? (sorted.isDown ? " ↓" : " ↑") : "",
          ),
        );
      }),
    );
  }

  function renderRow(at: number): HTMLElement {
    const result = rows[at];
    if (!result) return h("div");
    const {
      toolName,
      artifactId,
      bytes,
      tokens,
      referenceTokens,
      reads,
      readTokens,
      net,
      over,
      verdict,
      mood,
    } = result;
    const cell = (key: Key, ...children: (Node | string)[]): HTMLElement =>
      h(
        "div",
        { class: `cell ${key} ${NUMBERS.has(key) ? "number" : ""}`, role: "gridcell" },
        ...children,
      );
    const known = (value: number | null): string => (value === null ? "–" : count(value));
    return h(
      "div",
      {
        ...{
          class: `row ${at === active ? "active" : ""}`,
          role: "row",
          id: `row-${at}`,
          "aria-rowindex": at + 1,
          "aria-selected": at === active ? "true" : "false",
        },
        "data-id": artifactId,
        click: () => {
          activate(at);
          list.draw();
          open(result);
        },
      },
      cell("toolName", name(toolName ?? "(unknown)"), name(artifactId, "id soft")),
      cell("at", time(result.at)),
      cell("bytes", size(bytes)),
      cell("tokens", count(tokens)),
      cell("referenceTokens", known(referenceTokens)),
      cell("reads", count(reads)),
      cell("readTokens", count(readTokens)),
      h(
        "div",
        { class: `cell net number ${net !== null && net < 0 ? "bad" : ""}`, role: "gridcell" },
        ...(net === null ? [known(net)] : netOf(net, over)),
      ),
      h("div", { class: `cell verdict ${mood}`, role: "gridcell" }, verdict),
    );
  }

  function activate(row: number): void {
    active = Math.max(0, Math.min(row, rows.length - 1));
    activeResult = rows[active];
  }

  function markActive(): void {
    list.element.setAttribute("aria-activedescendant", `row-${active}`);
  }

  function onKey(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number>> = {
      ...{ ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 },
      ...{ PageDown: list.fitting(), PageUp: -list.fitting(), Home: -Infinity, End: Infinity },
    };
    const result = rows[active];
    if (event.key === "Enter" && result) open(result);
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    activate(active + step);
    list.scrollTo(active);
    markActive();
  }

  return {
    element,
    show(results, chosen) {
      all = results;
      session = chosen;
      element.hidden = all.length === 0;
      const before = active;
      const names = [...new Set(results.map(({ toolName }) => toolName ?? "(unknown)"))].sort();
      const value = tools.value;
      tools.replaceChildren(
        h("option", { value: "" }, "All tools"),
        ...names.map((tool) =>
          h("option", { value: tool, selected: tool === value }, visible(tool.slice(0, 60))),
        ),
      );
      const { element: scroller } = list;
      const isScrolled = scroller.scrollTop > 0;
      update();
      if (isScrolled && active > before) scroller.scrollTop += (active - before) * rowHeight();
    },
    focusFilter: () => {
      filter.focus();
    },
    focusSearch: search.focus,
    focusRows: () => {
      list.element.focus({ preventScroll: true });
    },
  };
}

function isSame(one: PageResult, other: PageResult | undefined): boolean {
  return one.artifactId === other?.artifactId && one.sessionId === other.sessionId;
}

/** The search over all stored text: our own, with its patterns. */
function searchView(
  source: Source,
  session: () => string | undefined,
  toolOf: (sessionId: string, artifactId: string) => string,
  open: (result: Pick<PageResult, "sessionId" | "artifactId">, line?: number) => void,
): { readonly element: HTMLElement; readonly focus: () => void } {
  const pattern = h("input", {
    ...{
      id: "search",
      type: "search",
      placeholder: source.hasText
        ? "Search all stored text"
        : "This file was exported without the stored text",
      "aria-label": "Search all stored text",
    },
    disabled: !source.hasText,
  });
  const literal = h("input", { type: "checkbox", id: "literal" });
  const ignoreCase = h("input", { type: "checkbox", id: "ignore-case", checked: true });
  const found = h("div", { class: "matches", role: "status" });
  let asked = 0;

  async function run(cursor?: string): Promise<void> {
    const mine = (asked += 1);
    if (pattern.value === "") {
      found.replaceChildren();
      return;
    }
    const options = {
      session: session(),
      isLiteral: literal.checked,
      ignoreCase: ignoreCase.checked,
      cursor,
    };
    found.setAttribute("aria-busy", "true");
    let matches: PageMatches | undefined;
    let failure = "";
    try {
      matches = await source.search(pattern.value, options);
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    // An earlier search may answer later.
    if (mine !== asked) return;
    found.removeAttribute("aria-busy");
    if (cursor === undefined) found.replaceChildren();
    found.querySelector(".more")?.remove();
    if (!matches) {
      found.append(h("p", { class: "bad" }, ...shown(failure)));
      return;
    }
    found.append(...matches.groups.map(renderGroup));
    if (matches.note !== undefined) found.append(h("p", { class: "soft" }, ...shown(matches.note)));
    const { cursor: next } = matches;
    if (next !== undefined) {
      found.append(h("button", { class: "quiet more", click: () => void run(next) }, "Search on"));
    }
  }

  function renderGroup({
    sessionId,
    artifactId,
    matches,
    lines,
  }: PageMatches["groups"][number]): HTMLElement {
    return h(
      "div",
      { class: "group" },
      h(
        "p",
        {},
        name(toolOf(sessionId, artifactId)),
        " ",
        name(artifactId, "id soft"),
        h("span", { class: "soft" }, ` ${counted(matches, "match", "matches")}`),
      ),
      ...lines.map(({ line, text }) =>
        h(
          "button",
          {
            class: "match",
            click: () => {
              open({ sessionId, artifactId }, line);
            },
          },
          h("span", { class: "line-number" }, String(line)),
          h("bdi", { class: "text" }, ...shown(text.slice(0, 400))),
        ),
      ),
    );
  }

  const form = h(
    "form",
    {
      class: "toolbar",
      submit: (event: SubmitEvent) => {
        event.preventDefault();
        void run();
      },
    },
    pattern,
    h("button", { type: "submit", disabled: !source.hasText }, "Search"),
    h("label", {}, literal, "plain text"),
    h("label", {}, ignoreCase, "ignore case"),
  );
  return {
    element: h("div", { class: "search" }, h("h2", {}, "Search"), form, found),
    focus: () => {
      pattern.focus();
    },
  };
}
