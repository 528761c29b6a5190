import { h } from "./dom.js";

/** Browsers cannot lay out anything higher; beyond it, scrolling is scaled. */
const MAX_HEIGHT = 8_000_000;
const MARGIN_ROWS = 6;

export interface VirtualRows {
  readonly element: HTMLElement;
  /** How many rows there are now. */
  show(count: number): void;
  /** Draws the visible rows again. */
  draw(): void;
  scrollTo(row: number, where?: "nearest" | "center"): void;
  /** How many rows fit. */
  fitting(): number;
}

/** Rows of one height, of which only those that can be seen exist. */
export function virtualRows(
  className: string,
  rowHeight: () => number,
  render: (row: number) => HTMLElement,
): VirtualRows {
  const space = h("div", { class: "space" });
  const element = h("div", { class: `rows ${className}`, tabindex: 0, scroll: draw }, space);
  let count = 0;
  new ResizeObserver(() => {
    show(count);
  }).observe(element);

  /** Pixels of scrolling for a pixel of rows: 1 unless there are very many. */
  function scale(): number {
    const all = count * rowHeight();
    const view = element.clientHeight;
    return all <= MAX_HEIGHT ? 1 : (MAX_HEIGHT - view) / (all - view);
  }

  function draw(): void {
    const height = rowHeight();
    const top = element.scrollTop / scale();
    const from = Math.max(0, Math.floor(top / height) - MARGIN_ROWS);
    const to = Math.min(count, Math.ceil((top + element.clientHeight) / height) + MARGIN_ROWS);
    const rows: HTMLElement[] = [];
    for (let row = from; row < to; row++) {
      const one = render(row);
      one.style.position = "absolute";
      one.style.top = `${element.scrollTop + row * height - top}px`;
      one.style.height = `${height}px`;
      rows.push(one);
    }
    space.replaceChildren(...rows);
  }

  function show(rows: number): void {
    count = rows;
    space.style.height = `${Math.min(MAX_HEIGHT, count * rowHeight())}px`;
    draw();
  }

  return {
    ...{ element, show, draw },
    scrollTo(row, where = "nearest") {
      const height = rowHeight();
      const view = element.clientHeight;
      const top = element.scrollTop / scale();
      const start = row * height;
      if (where === "nearest" && start >= top && start + height <= top + view) {
        draw();
        return;
      }
      const wanted =
        where === "center"
          ? start - (view - height) / 2
          : start < top
            ? start
            : start + height - view;
      element.scrollTop = Math.max(0, wanted) * scale();
      draw();
    },
    fitting: () => Math.max(1, Math.floor(element.clientHeight / rowHeight())),
  };
}
