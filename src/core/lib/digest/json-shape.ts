import { takeStart } from "../text/surrogates.js";
import { clip, countOf, formatCount, toPrintableLine } from "./printable.js";

/** What is known of a JSON value that was parsed or only scanned. */
export type Shape =
  | { readonly type: "scalar"; readonly text: string }
  | {
      readonly type: "string";
      readonly start: string;
      readonly length: number;
      readonly exact: boolean;
    }
  | {
      readonly type: "array";
      readonly length: number;
      readonly exact: boolean;
      readonly first: Shape | undefined;
      /** The first few when they are scalars. */
      readonly scalars: readonly Shape[];
      /** Keys that other elements have but the first one does not. */
      readonly otherKeys: readonly string[];
      /** "3 objects, 2 strings" when the elements are of several types, otherwise "". */
      readonly mix: string;
    }
  | {
      readonly type: "object";
      readonly entries: readonly (readonly [string, Shape])[];
      readonly size: number;
      readonly exact: boolean;
    };

interface Detail {
  readonly depth: number;
  readonly keys: number;
  readonly chars: number;
}

/** From detailed to terse; the first that fits is used. */
const DETAILS: readonly Detail[] = [
  { depth: 7, keys: 60, chars: 120 },
  { depth: 6, keys: 40, chars: 80 },
  { depth: 5, keys: 40, chars: 48 },
  { depth: 4, keys: 30, chars: 40 },
  { depth: 3, keys: 30, chars: 32 },
  { depth: 2, keys: 40, chars: 32 },
  { depth: 2, keys: 40, chars: 20 },
  { depth: 2, keys: 16, chars: 20 },
  { depth: 1, keys: 30, chars: 16 },
  { depth: 1, keys: 16, chars: 12 },
  { depth: 1, keys: 8, chars: 8 },
  { depth: 1, keys: 3, chars: 8 },
];
const INLINE_CHARS = 90;
const LONG_STRING = 200;

/** The shape as indented text, in as much detail as the budget allows. */
export function renderShape(shape: Shape, budgetChars: number): string {
  let text = "";
  for (const detail of DETAILS) {
    text = render(shape, detail, 0);
    if (text.length <= budgetChars) return text;
  }
  return clip(text, budgetChars);
}

function render(shape: Shape, detail: Detail, depth: number): string {
  switch (shape.type) {
    case "scalar":
      return clip(shape.text, 40);
    case "string":
      return renderString(shape, detail.chars);
    case "array":
      return renderArray(shape, detail, depth);
    case "object":
      return renderObject(shape, detail, depth);
  }
}

function renderString(shape: Shape & { type: "string" }, chars: number): string {
  const start = toPrintableLine(shape.start);
  if (shape.exact && shape.length <= chars && start.length <= chars) return `"${start}"`;
  const cut = `"${takeStart(start, chars)}…"`;
  // The length of a short string would take more room than it is worth.
  if (shape.exact && shape.length < LONG_STRING) return cut;
  const least = shape.exact ? "" : "at least ";
  return `${cut} (${least}${formatCount(shape.length)} chars)`;
}

function renderArray(shape: Shape & { type: "array" }, detail: Detail, depth: number): string {
  const least = shape.exact ? "" : "at least ";
  const size = `[${least}${countOf(shape.length, "item")}]`;
  if (shape.first === undefined) return shape.exact ? "[]" : size;
  if (depth >= detail.depth) return size;
  const mix = shape.mix === "" ? "" : ` (${shape.mix})`;
  if (shape.scalars.length > 0) {
    let list = "";
    for (const scalar of shape.scalars) {
      const next = render(scalar, detail, depth + 1);
      if (list.length + next.length > detail.chars * 2 && list !== "") break;
      list += list === "" ? next : `, ${next}`;
    }
    return `${size}${mix} ${list}${shape.exact && shape.length === 1 ? "" : ", …"}`;
  }
  const others =
    shape.otherKeys.length === 0
      ? ""
      : ` (others also have ${nameSome(shape.otherKeys, Math.max(3, detail.keys / 3))})`;
  const first = shape.exact && shape.length === 1 ? "" : " first:";
  return `${size}${mix}${others}${first} ${render(shape.first, detail, depth + 1)}`;
}

function nameSome(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).map(keyText);
  const left = names.length - shown.length;
  return shown.join(", ") + (left > 0 ? `, … ${formatCount(left)} more` : "");
}

function renderObject(shape: Shape & { type: "object" }, detail: Detail, depth: number): string {
  const least = shape.exact ? "" : "at least ";
  if (shape.size === 0) return shape.exact ? "{}" : "{…}";
  if (depth >= detail.depth) return `{${least}${countOf(shape.size, "key")}}`;
  const most = Math.max(3, depth < 2 ? detail.keys : Math.ceil(detail.keys / (depth + 1)));
  const parts = shape.entries
    .slice(0, most)
    .map(([key, value]) => `${keyText(key)}: ${render(value, detail, depth + 1)}`);
  const left = shape.size - parts.length;
  if (left > 0) parts.push(`… ${least}${formatCount(left)} more ${left === 1 ? "key" : "keys"}`);
  else if (!shape.exact) parts.push("…");
  const inline = `{${parts.join(", ")}}`;
  if (inline.length <= INLINE_CHARS && !inline.includes("\n")) return inline;
  return `{\n${parts.map((part) => ` ${part.split("\n").join("\n ")}`).join("\n")}\n}`;
}

function keyText(key: string): string {
  return clip(toPrintableLine(key), 48);
}
