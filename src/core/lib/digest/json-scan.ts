import { unescapeJson } from "../json/json-strings.js";
import type { Shape } from "./json-shape.js";

/** Deeper values are skipped. */
const MOST_DEPTH = 8;
const MOST_KEYS = 64;
/** The default limit of tokens to scan. */
const MOST_TOKENS = 8_000;
const STRING_CHARS = 240;
const SHOWN_SCALARS = 12;
/** Long strings may deserve a digest of their own, so the place of the longest one is kept. */
const LONG_STRING = 2_000;

export interface ScannedString {
  /** Where the string begins and ends in the text, without its quotes. */
  readonly start: number;
  readonly end: number;
  readonly closed: boolean;
  readonly path: string;
}

export interface JsonScan {
  readonly shape: Shape;
  /** "end": the value is complete. "cut": the text stopped inside it. "broken": it is not JSON. */
  readonly outcome: "end" | "cut" | "broken";
  /** How far the text was understood. */
  readonly position: number;
  readonly tokens: number;
  readonly longest: ScannedString | undefined;
}

interface Frame {
  readonly kind: "array" | "object";
  readonly entries: [string, Shape][];
  readonly items: Shape[];
  count: number;
  key: string;
  closed: boolean;
}

/**
 * The shape of a JSON text from its beginning, without a full parse and without recursion. Also
 * accepts near-JSON: comments, single quotes, trailing commas and Python's bare words.
 */
export function scanJson(text: string, mostTokens = MOST_TOKENS): JsonScan {
  const stack: Frame[] = [];
  let root: Shape | undefined;
  let rootFrame: Frame | undefined;
  let skipped = 0;
  let tokens = 0;
  let at = 0;
  let longest: ScannedString | undefined;
  let outcome: JsonScan["outcome"] = "cut";
  let wantsKey = false;

  const add = (shape: Shape): void => {
    const frame = stack.at(-1);
    if (frame === undefined) root = shape;
    else if (skipped === 0) {
      frame.count += 1;
      if (frame.kind === "array") {
        if (frame.items.length < SHOWN_SCALARS) frame.items.push(shape);
      } else if (frame.entries.length < MOST_KEYS) frame.entries.push([frame.key, shape]);
    }
  };

  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === 32 || (unit >= 9 && unit <= 13) || unit === 0xfeff) {
      at += 1;
      continue;
    }
    if (unit === 47) {
      const next = text.charCodeAt(at + 1);
      const end = next === 47 ? text.indexOf("\n", at) : next === 42 ? text.indexOf("*/", at) : -2;
      if (end === -2) return finish("broken");
      at = end === -1 ? text.length : end + (next === 42 ? 2 : 1);
      continue;
    }
    if (tokens >= mostTokens) break;
    tokens += 1;
    if (unit === 123 || unit === 91) {
      if (wantsKey) return finish("broken");
      at += 1;
      if (stack.length >= MOST_DEPTH || skipped > 0) skipped += 1;
      else {
        const kind = unit === 123 ? "object" : "array";
        const frame: Frame = { kind, entries: [], items: [], count: 0, key: "", closed: false };
        rootFrame ??= frame;
        stack.push(frame);
        wantsKey = kind === "object";
      }
    } else if (unit === 125 || unit === 93) {
      if (skipped > 0) {
        skipped -= 1;
        at += 1;
        if (skipped === 0) add({ type: "scalar", text: "…" });
        continue;
      }
      const frame = stack.pop();
      if (frame === undefined || (frame.kind === "object") !== (unit === 125))
        return finish("broken");
      at += 1;
      frame.closed = true;
      add(shapeOfFrame(frame));
      wantsKey = false;
      if (stack.length === 0) return finish("end");
    } else if (unit === 44) {
      at += 1;
      if (skipped === 0) wantsKey = stack.at(-1)?.kind === "object";
    } else if (unit === 34 || unit === 39) {
      const end = endOfString(text, at + 1, text[at] ?? '"');
      const closed = end < text.length;
      const frame = stack.at(-1);
      if (wantsKey && skipped === 0 && frame !== undefined) {
        if (!closed) return finishAtEnd();
        frame.key = unescapeJson(text.slice(at + 1, Math.min(end, at + 200)));
        const colon = skipSpace(text, end + 1);
        if (colon >= text.length) return finishAtEnd();
        if (text.charCodeAt(colon) !== 58) return finish("broken");
        wantsKey = false;
        at = colon + 1;
        continue;
      }
      const length = end - at - 1;
      if (length >= LONG_STRING && length > (longest?.end ?? 0) - (longest?.start ?? 0)) {
        longest = { start: at + 1, end, closed, path: pathOf(stack) };
      }
      if (skipped === 0) {
        const start = unescapeJson(text.slice(at + 1, Math.min(end, at + 1 + STRING_CHARS)));
        // The exact length of a long escaped string would cost a pass over it.
        const exact = closed && length <= STRING_CHARS;
        add({ type: "string", start, length: exact ? start.length : length, exact: closed });
      }
      at = end + 1;
    } else if (unit === 58 && skipped > 0) at += 1;
    else {
      const word = /^-?[\w.+-]{1,60}/.exec(text.slice(at, at + 64))?.[0];
      if (word === undefined || wantsKey || !isBareValue(word)) return finish("broken");
      if (stack.length === 0) return finish("broken");
      add({ type: "scalar", text: word });
      at += word.length;
    }
  }
  return finish(outcome);

  function finishAtEnd(): JsonScan {
    at = text.length;
    return finish("cut");
  }

  function finish(result: JsonScan["outcome"]): JsonScan {
    outcome = result;
    while (stack.length > 0) {
      const frame = stack.pop();
      if (frame === undefined) break;
      const shape = shapeOfFrame(frame);
      skipped = 0;
      if (frame === rootFrame) root = shape;
      else add(shape);
    }
    const shape = root ?? { type: "scalar", text: "" };
    return { shape, outcome, position: Math.min(at, text.length), tokens, longest };
  }
}

function shapeOfFrame(frame: Frame): Shape {
  if (frame.kind === "object") {
    return { type: "object", entries: frame.entries, size: frame.count, exact: frame.closed };
  }
  const first = frame.items[0];
  const isScalar = first?.type === "scalar" || first?.type === "string";
  const known = new Set(first?.type === "object" ? first.entries.map(([key]) => key) : []);
  const others = new Set<string>();
  for (const item of frame.items) {
    if (item.type !== "object" || first?.type !== "object") continue;
    for (const [key] of item.entries) if (!known.has(key)) others.add(key);
  }
  return {
    type: "array",
    length: frame.count,
    exact: frame.closed,
    first,
    scalars: isScalar
      ? frame.items.filter(({ type }) => type === "scalar" || type === "string")
      : [],
    otherKeys: [...others],
    mix: "",
  };
}

function pathOf(stack: readonly Frame[]): string {
  return stack
    .map((frame) => `/${frame.kind === "array" ? String(frame.count) : frame.key}`)
    .join("");
}

function isBareValue(word: string): boolean {
  return (
    /^-?\d[\w.+-]*$/.test(word) ||
    /^(?:true|false|null|True|False|None|NaN|nan|-?Infinity|undefined)$/.test(word)
  );
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at += 1;
  return at;
}

/** Index of the closing quote, or the text's length. */
function endOfString(text: string, from: number, quote: string): number {
  let end = text.indexOf(quote, from);
  while (end !== -1) {
    let slashes = 0;
    while (end - slashes > from && text.charCodeAt(end - slashes - 1) === 92) slashes += 1;
    if (slashes % 2 === 0) return end;
    end = text.indexOf(quote, end + 1);
  }
  return text.length;
}
