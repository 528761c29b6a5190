import type { PageDetail, PageLine, PageLines, PageResult } from "../page-types.js";
import { count, counted, h, name, shown, size, svg, time } from "./dom.js";
import type { Source } from "./source.js";
import { virtualRows } from "./virtual-rows.js";

const PAGE_LINES = 200;
/** Pages of lines that are kept; those read longest ago are dropped. */
const KEPT_PAGES = 30;
const LINE_HEIGHT = 20;
const CHARS = 2_000;

export interface ResultView {
  readonly element: HTMLDialogElement;
  show(result: Pick<PageResult, "sessionId" | "artifactId">, line?: number): Promise<void>;
}

/** One result: its reference beside the stored text, with what was quoted and what was read. */
export function resultView(source: Source, onClose: () => void): ResultView {
  const body = h("div", { class: "detail" });
  const element = h("dialog", { id: "result", "aria-label": "Result", close: onClose }, body);
  // A click beside the dialog is a click on its backdrop.
  element.addEventListener("click", (event) => {
    if (event.target === element) element.close();
  });
  let asked = 0;

  return {
    element,
    async show({ sessionId, artifactId }, line) {
      const mine = (asked += 1);
      body.replaceChildren(h("p", { class: "soft" }, "Reading …"));
      if (!element.open) element.showModal();
      try {
        const detail = await source.detail(sessionId, artifactId);
        if (mine === asked) render(detail, line);
      } catch (error) {
        if (mine === asked)
          body.replaceChildren(closeButton(), h("p", { class: "bad" }, ...shown(String(error))));
      }
    },
  };

  function closeButton(): HTMLElement {
    return h(
      "button",
      {
        class: "quiet close",
        "aria-label": "Close",
        click: () => {
          element.close();
        },
      },
      "✕",
    );
  }

  function render(detail: PageDetail, line: number | undefined): void {
    const { result, reference, quoted, read, hash } = detail;
    const {
      sessionId,
      artifactId,
      toolName,
      bytes,
      lines,
      tokens,
      referenceTokens,
      reads,
      readTokens,
      verdict,
      mood,
      at,
      net,
      over,
    } = result;
    const text = textPane(detail);
    const checked = h("ul", { class: "checked", role: "status" });
    const said = {
      recorded: "As the model saw it, from the recorded conversation.",
      "rebuilt, same size":
        "References are not kept. This one was rebuilt from the stored text and is of the size that was sent; its digest may name other lines.",
      rebuilt:
        "References are not kept. This one was rebuilt from the stored text; the one that the model saw may be of another size and quote other lines.",
      unknown: "It cannot be rebuilt:",
    }[reference.from];
    body.replaceChildren(
      h(
        "header",
        {},
        h("h2", {}, name(toolName ?? "(unknown)"), " ", name(artifactId, "id soft")),
        closeButton(),
        h(
          "p",
          { class: "soft facts" },
          `${[time(at), size(bytes), counted(lines, "line"), counted(tokens, "token"), `reference ${referenceTokens === null ? "–" : count(referenceTokens)}`, counted(reads, "read"), `${count(readTokens)} read back`, net === null ? "" : `net ${count(net)}${over === "each request" ? " in each further request" : ""}`].filter(Boolean).join(" · ")} · `,
          h("span", { class: mood }, verdict),
        ),
        h(
          "p",
          { class: "soft facts" },
          "session ",
          name(sessionId),
          ` · SHA-256 ${hash.slice(0, 16)}…`,
        ),
      ),
      h(
        "div",
        { class: "check" },
        h(
          "button",
          { id: "check", disabled: source.exportedAt !== undefined, click: () => void check() },
          "Check",
        ),
        h(
          "span",
          { class: "soft" },
          source.exportedAt === undefined
            ? "hash, restore and compare, now"
            : "only the running page can check",
        ),
        checked,
      ),
      h(
        "div",
        { class: "panes" },
        h(
          "section",
          { class: "reference", "aria-labelledby": "reference-title" },
          h("h3", { id: "reference-title" }, "Reference"),
          h("p", { class: "soft" }, said),
          h(
            "div",
            { class: "text-lines", tabindex: 0 },
            ...reference.text
              .split("\n")
              .map((one) => renderReferenceLine(one, new Set(quoted), text.jump)),
          ),
        ),
        h(
          "section",
          { class: "stored", "aria-labelledby": "stored-title" },
          h("h3", { id: "stored-title" }, "Stored text"),
          source.hasText
            ? text.element
            : h("p", { class: "soft" }, "This file was exported without the stored text."),
        ),
      ),
    );
    text.start(line ?? quoted[0] ?? read[0]?.[0] ?? 1);

    async function check(): Promise<void> {
      checked.replaceChildren(h("li", { class: "soft" }, "Checking …"));
      const items = await source.check(sessionId, artifactId).then(
        ({ steps }) =>
          steps.map(({ what, isOk, says }) =>
            h(
              "li",
              { class: isOk ? "good" : "bad", "data-step": what },
              `${isOk ? "✓" : "✗"} ${what}: `,
              ...shown(says),
            ),
          ),
        (error: unknown) => [h("li", { class: "bad" }, ...shown(String(error)))],
      );
      checked.replaceChildren(...items);
    }
  }

  function renderReferenceLine(
    text: string,
    quoted: ReadonlySet<number>,
    jump: (line: number) => void,
  ): HTMLElement {
    const [, number = "", rest = ""] = /^(\d{1,15})(: [^]*)$/.exec(text) ?? [];
    if (number === "" || !quoted.has(Number(number)))
      return h("div", { class: "text" }, h("bdi", {}, ...shown(text)));
    const go = (): void => {
      jump(Number(number));
    };
    return h(
      "div",
      { class: "text quoted" },
      h("button", { class: "jump", click: go, "aria-label": `Go to line ${number}` }, number),
      h("bdi", {}, ...shown(rest)),
    );
  }

  /** The stored text: only the lines that can be seen are read. */
  function textPane({ result, quoted, read }: PageDetail) {
    const { sessionId, artifactId, lines: total } = result;
    const pages = new Map<number, PageLines | "reading" | "failed">();
    const quotes = new Set(quoted);
    let target = 0;
    const list = virtualRows("stored-rows", () => LINE_HEIGHT, renderLine);
    list.element.setAttribute("aria-label", "Stored text");
    const rest = h("div", { class: "long-line", hidden: true });
    const marks = readMarks();
    const jumps = h(
      "p",
      { class: "legend" },
      jumpButton("quoted", "quoted in the reference", quoted, quoted.length),
      jumpButton(
        "read",
        read.length === 0
          ? "read: no lines are known"
          : "read by the model, as far as the ledger knows",
        read.map(([from]) => from),
        read.reduce((sum, [from, to]) => sum + to - from + 1, 0),
      ),
    );
    const element = h(
      "div",
      { class: "pane" },
      jumps,
      h("div", { class: "with-marks" }, list.element, marks),
      rest,
    );

    function isRead(line: number): boolean {
      return read.some(([from, to]) => from <= line && line <= to);
    }

    function readMarks(): SVGElement {
      const place = (line: number): number => ((line - 1) / Math.max(1, total)) * 1_000;
      return svg(
        "svg",
        {
          class: "marks",
          viewBox: "0 0 10 1000",
          preserveAspectRatio: "none",
          "aria-hidden": "true",
        },
        ...read.map(([from, to]) =>
          svg("rect", {
            class: "read",
            x: 5,
            width: 5,
            y: place(from),
            height: Math.max(3, place(to + 1) - place(from)),
          }),
        ),
        ...quoted.map((line) =>
          svg("rect", { class: "quoted", x: 0, width: 5, y: place(line), height: 3 }),
        ),
      );
    }

    function jumpButton(
      kind: string,
      text: string,
      lines: readonly number[],
      marked: number,
    ): HTMLElement {
      let at = -1;
      const go = (): void => {
        at = (at + 1) % lines.length;
        jump(lines[at] ?? 1);
      };
      return h(
        "button",
        {
          class: "entry quiet",
          disabled: lines.length === 0,
          click: go,
          title: lines.length === 0 ? "" : "Go to the next one",
        },
        ...[
          h("i", { class: `swatch ${kind}` }),
          text,
          lines.length === 0 ? "" : ` (${counted(marked, "line")})`,
        ],
      );
    }

    function lineAt(line: number): PageLine | undefined {
      const page = Math.floor((line - 1) / PAGE_LINES);
      const known = pages.get(page);
      if (known === undefined) void load(page);
      return typeof known === "object" ? known.lines[line - known.from] : undefined;
    }

    async function load(page: number): Promise<void> {
      pages.set(page, "reading");
      const from = page * PAGE_LINES + 1;
      const loaded = await source
        .lines(sessionId, artifactId, from, PAGE_LINES)
        .catch(() => "failed" as const);
      pages.delete(page);
      pages.set(page, loaded);
      for (const old of pages.keys()) {
        if (pages.size <= KEPT_PAGES) break;
        pages.delete(old);
      }
      list.draw();
    }

    function renderLine(row: number): HTMLElement {
      const line = row + 1;
      const found = lineAt(line);
      const kinds = [
        quotes.has(line) ? "quoted" : "",
        isRead(line) ? "read" : "",
        line === target ? "target" : "",
      ];
      const page = pages.get(Math.floor(row / PAGE_LINES));
      return h(
        "div",
        { class: `line ${kinds.filter(Boolean).join(" ")}`, "data-line": line },
        h("span", { class: "line-number" }, String(line)),
        h("i", { class: "mark-quoted" }),
        h("i", { class: "mark-read" }),
        h(
          "bdi",
          { class: "text" },
          ...(found
            ? shown(found.text.replace(/\r$/, ""))
            : [page === "failed" ? "cannot be read" : "…"]),
        ),
        found && found.left > 0
          ? h(
              "button",
              { class: "more", click: () => void showRest(line, 1) },
              `${count(found.left)} more characters`,
            )
          : undefined,
      );
    }

    /** A long line, a part at a time. */
    async function showRest(line: number, from: number): Promise<void> {
      const part = await source.chars(sessionId, artifactId, line, from);
      rest.hidden = false;
      const step = (to: number, text: string, isThere: boolean): HTMLElement =>
        h(
          "button",
          { class: "quiet", disabled: !isThere, click: () => void showRest(line, to) },
          text,
        );
      rest.replaceChildren(
        h(
          "p",
          { class: "soft" },
          `Line ${count(line)}, characters ${count(part.from)} to ${count(part.to)} of ${count(part.of)} `,
          step(Math.max(1, part.from - CHARS), "← before", part.from > 1),
          step(part.to + 1, "after →", part.to < part.of),
          step(Math.max(1, part.of - CHARS + 1), "end", part.to < part.of),
          h(
            "button",
            {
              class: "quiet",
              click: () => {
                rest.hidden = true;
              },
            },
            "close",
          ),
        ),
        h("div", { class: "text" }, h("bdi", {}, ...shown(part.text))),
      );
    }

    function jump(line: number): void {
      target = line;
      list.scrollTo(line - 1, "center");
    }

    return {
      element,
      jump,
      /** Once it is in the document and has a height. */
      start(line: number): void {
        if (!source.hasText) return;
        list.show(total);
        jump(line);
      },
    };
  }
}
