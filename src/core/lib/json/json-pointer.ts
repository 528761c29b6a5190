import { ArgumentError } from "../text/text-range.js";

/** Bytes that are not JSON. */
export class JsonSyntaxError extends Error {
  constructor(
    /** What is wrong, without the place. */
    readonly reason: string,
    /** The first byte that cannot be part of a JSON text; the length of the text if it ends early. */
    readonly offset: number,
    /** True if it is JSON so far, but nested too deep. */
    readonly isTooDeep = false,
  ) {
    super(`${reason} at byte ${offset}`);
    this.name = "JsonSyntaxError";
  }

  static unexpected(byte: number, offset: number): JsonSyntaxError {
    const isPrintable = byte > 0x20 && byte < 0x7f;
    const shown = isPrintable
      ? JSON.stringify(String.fromCharCode(byte))
      : `byte 0x${byte.toString(16).padStart(2, "0")}`;
    return new JsonSyntaxError(`unexpected ${shown}`, offset);
  }

  static cutShort(offset: number): JsonSyntaxError {
    return new JsonSyntaxError("unexpected end", offset);
  }
}

/** How much of a pointer exists, and what is there. */
export interface PointerReach {
  /** The longest part of the pointer that exists, as a pointer; "" is the whole. */
  readonly reached: string;
  /** What kind of value is there. */
  readonly kind: string;
  /** The first keys of an object. */
  readonly keys?: readonly string[];
  /** How many items an array or members an object has. */
  readonly length?: number;
}

/** There is no value at a JSON pointer. */
export class JsonPointerError extends Error {
  constructor(
    readonly pointer: string,
    readonly reach: PointerReach,
  ) {
    super(`there is no value at "${pointer}"`);
    this.name = "JsonPointerError";
  }
}

const EXPECTED =
  'a JSON pointer such as "/items/0/name" ("" is the whole, "~1" stands for a slash in a key and "~0" for a tilde)';

/**
 * The keys and indices that a pointer names, outermost first. A text that begins with a slash is
 * read strictly by RFC 6901; so is what follows a `#`, percent-decoded. Other forms that models
 * write are accepted too: `$.a.b[0]`, `.a.b`, `a.b[0]`, `a["b c"]`.
 */
export function parsePointer(text: string, argument = "pointer"): readonly string[] {
  if (text === "" || text === "#" || text === "$" || text === ".") return [];
  if (text.startsWith("/")) return splitPointer(text, text, argument);
  if (text.startsWith("#/")) return splitPointer(decodeFragment(text, argument), text, argument);
  return parsePath(text, argument);
}

/** The RFC 6901 text of a pointer. */
export function formatPointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The index that a token names in an array; undefined for `-`, `01`, `1.0` and every word. */
export function indexOfToken(token: string): number | undefined {
  if (!/^(?:0|[1-9]\d{0,15})$/.test(token)) return undefined;
  return Number(token);
}

function splitPointer(pointer: string, text: string, argument: string): string[] {
  if (/~(?![01])/.test(pointer)) throw new ArgumentError(argument, text, EXPECTED);
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decodeFragment(text: string, argument: string): string {
  try {
    return decodeURIComponent(text.slice(1));
  } catch {
    throw new ArgumentError(argument, text, EXPECTED);
  }
}

/** One step of a path: a name, an index in brackets, or a quoted key in brackets. */
const STEP =
  /\.?([^.[\]'"]+)|\[(\d+)\]|\[("[^"\\]*(?:\\.[^"\\]*)*")\]|\['([^'\\]*(?:\\.[^'\\]*)*)'\]/gy;

function parsePath(text: string, argument: string): string[] {
  const start = text.startsWith("$.") || text.startsWith("$[") ? 1 : 0;
  const tokens: string[] = [];
  let at = start;
  while (at < text.length) {
    STEP.lastIndex = at;
    const match = STEP.exec(text);
    const [whole = "", name, index, double, single] = match ?? [];
    // Only the first name of a path may lack a dot before it.
    const isJoined = name !== undefined && at > 0 && !whole.startsWith(".");
    if (match === null || isJoined || name === "*") {
      throw new ArgumentError(argument, text, EXPECTED);
    }
    tokens.push(name ?? index ?? unquote(double) ?? (single ?? "").replace(/\\(.)/gs, "$1"));
    at += whole.length;
  }
  return tokens;
}

function unquote(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1).replace(/\\(.)/gs, "$1");
  }
}
