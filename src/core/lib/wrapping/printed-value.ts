import { NotWrappedError, type WrappedValue } from "./wrapped-value.js";

const BLANK = /\s/;
const NAME = /[A-Za-z_][\w.]*/y;

/** What a printed result has near its start. */
const MARK = "Content(type=";
const MARK_WITHIN = 300;

/** Whether a text begins like a tool result that a Python client printed. */
export function looksPrinted(text: string): boolean {
  const at = text.slice(0, MARK_WITHIN).indexOf(MARK);
  // Directly in front of the mark: `[Text`, `[Image`, `[Audio`.
  return at > 0 && /\[[A-Z][a-z]{1,20}$/.test(text.slice(Math.max(0, at - 24), at));
}

/**
 * A tool result as a Python client prints it: `content=[TextContent(type='text', text='…')]` with
 * other fields around, or as the arguments of a class.
 */
export function readPrinted(text: string): WrappedValue {
  const reader = new PrintedReader(text);
  const value = /^\s*(?:\[|[A-Za-z_.]+\()/.test(text) ? reader.value() : reader.members("");
  reader.skipBlanks();
  if (!reader.isAtEnd()) throw new NotWrappedError();
  return value;
}

/** Reads the literals, calls and lists of a print, and takes anything else as it is written. */
class PrintedReader {
  #at = 0;

  constructor(readonly text: string) {}

  isAtEnd(): boolean {
    return this.#at >= this.text.length;
  }

  skipBlanks(): void {
    while (BLANK.test(this.text.charAt(this.#at))) this.#at += 1;
  }

  value(): WrappedValue {
    this.skipBlanks();
    const start = this.#at;
    const first = this.text.charAt(start);
    if (first === "'" || first === '"') return this.#string(first);
    if (first === "[") return this.#list();
    const name = this.#name();
    if (name !== undefined && this.text.charAt(this.#at) === "(") {
      this.#at += 1;
      return this.members(")");
    }
    this.#skipOther();
    if (this.#at === start) throw new NotWrappedError();
    return printed("other", this.text.slice(start, this.#at));
  }

  /** `name=value` until the closing character, or the end where there is none. */
  members(close: string): WrappedValue {
    const start = this.#at;
    const members: [string, WrappedValue][] = [];
    for (;;) {
      this.#separator();
      if (this.isAtEnd()) break;
      if (close !== "" && this.text.charAt(this.#at) === close) {
        this.#at += 1;
        break;
      }
      const name = this.#name();
      if (name === undefined || this.text.charAt(this.#at) !== "=") {
        if (this.isAtEnd()) break;
        throw new NotWrappedError();
      }
      this.#at += 1;
      if (this.isAtEnd()) break;
      members.push([name, this.value()]);
    }
    return printed("object", this.text.slice(start, this.#at), members);
  }

  #list(): WrappedValue {
    const start = this.#at;
    const items: [string, WrappedValue][] = [];
    this.#at += 1;
    for (;;) {
      this.#separator();
      if (this.isAtEnd()) break;
      if (this.text.charAt(this.#at) === "]") {
        this.#at += 1;
        break;
      }
      items.push([String(items.length), this.value()]);
    }
    return printed("array", this.text.slice(start, this.#at), items);
  }

  #string(quote: string): WrappedValue {
    const start = this.#at;
    const { text } = this;
    let at = start + 1;
    for (;;) {
      const end = text.indexOf(quote, at);
      if (end === -1) {
        this.#at = text.length;
        return printed("string", text.slice(start), [], unescapePrinted(text.slice(start + 1)));
      }
      let slashes = 0;
      while (text.charAt(end - 1 - slashes) === "\\") slashes += 1;
      at = end + 1;
      if (slashes % 2 === 1) continue;
      this.#at = at;
      return printed(
        "string",
        text.slice(start, at),
        [],
        unescapePrinted(text.slice(start + 1, end)),
      );
    }
  }

  #name(): string | undefined {
    NAME.lastIndex = this.#at;
    const [name] = NAME.exec(this.text) ?? [];
    this.#at += name?.length ?? 0;
    return name;
  }

  #separator(): void {
    this.skipBlanks();
    if (this.text.charAt(this.#at) !== ",") return;
    this.#at += 1;
    this.skipBlanks();
  }

  /** Everything up to a comma, a blank or a closing bracket that is not inside of brackets. */
  #skipOther(): void {
    let depth = 0;
    for (; !this.isAtEnd(); this.#at += 1) {
      const char = this.text.charAt(this.#at);
      if (char === "'" || char === '"') {
        this.#string(char);
        this.#at -= 1;
      } else if ("([{<".includes(char)) depth += 1;
      else if (")]}>".includes(char)) {
        if (depth === 0) return;
        depth -= 1;
      } else if (depth === 0 && (char === "," || BLANK.test(char))) return;
    }
  }
}

function printed(
  kind: WrappedValue["kind"],
  source: string,
  entries: readonly (readonly [string, WrappedValue])[] = [],
  text = "",
): WrappedValue {
  return { kind, source, text: () => text, entries: () => entries };
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
};

/** Resolves the escapes of a Python string; an incomplete one at its end is dropped. */
function unescapePrinted(inside: string): string {
  if (!inside.includes("\\")) return inside;
  return inside.replace(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([^xuU])|[xuU]?[0-9a-f]{0,7}$)/gs,
    (_all, x?: string, u?: string, point?: string, plain = "") => {
      const hex = x ?? u ?? point;
      if (hex === undefined) return ESCAPES[plain as string] ?? (plain as string);
      const code = parseInt(hex, 16);
      return code > 0x10ffff ? "" : String.fromCodePoint(code);
    },
  );
}
