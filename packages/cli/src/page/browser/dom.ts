type Child = Node | string | undefined;
type Props = Readonly<
  Record<string, string | number | boolean | ((event: never) => void) | undefined>
>;

/** Makes an element. Text only ever becomes a text node: what is stored is hostile. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), props, children);
}

/** The same for a picture. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);
}

function fill<E extends Element>(element: E, props: Props, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") {
      element.addEventListener(name, value as unknown as EventListener);
    } else if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** What orders, hides or ends text instead of showing something. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text with a mark in place of each invisible character, so that none can reorder or hide what is around it. */
export function shown(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(INVISIBLE)) {
    if (found === "\t" || found === "\n") continue;
    const name = `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
    parts.push(text.slice(end, index), h("span", { class: "invisible" }, name));
    end = index + found.length;
  }
  parts.push(text.slice(end));
  return parts;
}

/** The same for where only plain text can be. */
export function visible(text: string): string {
  return shown(text)
    .map((part) => (typeof part === "string" ? part : (part.textContent ?? "")))
    .join("");
}

/** A name out of what was stored, apart from the writing direction around it. */
export function name(text: string, className = ""): HTMLElement {
  return h(
    "bdi",
    { class: `name ${className}`, title: visible(text.slice(0, 300)) },
    ...shown(text.slice(0, 300)),
  );
}

export function count(value: number): string {
  return value.toLocaleString("en-US").replace("-", "\u2212");
}

/** A net figure, with a mark if it is of another kind than the sums over all requests. */
export function netOf(net: number, over: string | null): (HTMLElement | string)[] {
  if (over !== "each request") return [count(net)];
  return [count(net), h("span", { class: "each", title: "in each further request" }, "*")];
}

export function counted(value: number, noun: string, plural = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : plural}`;
}

export function size(bytes: number): string {
  if (bytes < 1_000) return `${count(bytes)} B`;
  const power = Math.min(3, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${value.toFixed(value < 9.95 ? 1 : 0)} ${["B", "kB", "MB", "GB"][power] ?? ""}`;
}

/** In the reader's own time zone. */
export function time(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
