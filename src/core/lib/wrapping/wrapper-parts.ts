import { TEXT_TYPES } from "./render-value.js";
import { describeEncoded, holdsEncoded, type WrappedValue } from "./wrapped-value.js";

/** What a wrapper holds: a text or JSON that is worth lines of its own, or a small field. */
export type WrapperPart =
  | { readonly name: string; readonly text: string; readonly isJson: boolean }
  | { readonly name: string; readonly field: string };

/** A string that is longer, or has several lines, is a text. */
const LONG_CHARS = 200;
/** A container that takes more is not a small field. */
const SMALL_CHARS = 160;
const MAX_FIELD_CHARS = 1_000;
/** An object with more members is data, not a wrapper. */
const MAX_MEMBERS = 64;
/** An array of more strings is data, not several texts. */
const MAX_STRINGS = 16;
/** How many items of an array are looked at to see whether they are blocks. */
const CHECKED_ITEMS = 8;
/** The share of an object that its long strings must have. */
const BULK_SHARE = 0.6;
const MAX_LEVELS = 4;

const TYPED_OUTPUTS = new Set(["text", "error-text", "json", "error-json", "content"]);

/** The parts of a value that is a wrapper; `undefined` if it is data. */
export function partsOf(value: WrappedValue): WrapperPart[] | undefined {
  switch (value.kind) {
    case "string":
      return [textPart("", value.text())];
    case "array":
      return isBlocks(value) || isTexts(value) ? blockParts(value, "") : undefined;
    case "object":
      return partsOfObject(value);
    case "other":
      return undefined;
  }
}

function partsOfObject(value: WrappedValue): WrapperPart[] | undefined {
  const members = take(value, MAX_MEMBERS + 1);
  if (members.length > MAX_MEMBERS) return undefined;
  const { content, type, value: inner, text } = Object.fromEntries(members);
  const isMcp = content?.kind === "array" && isBlocks(content);
  const isOutput = inner !== undefined && TYPED_OUTPUTS.has(textOf(type));
  const isBlock = text?.kind === "string" && TEXT_TYPES.has(textOf(type));
  if (!isMcp && !isOutput && !isBlock && !isBulkyText(value)) return undefined;
  const parts: WrapperPart[] = [];
  for (const [key, member] of members) {
    if (key === "type" && (isOutput || isBlock)) continue;
    if (isOutput && key === "value") parts.push(...payloadParts(member));
    else if (isBlock && key === "text") parts.push(textPart("", member.text()));
    else collect(member, key, key, parts, 1);
  }
  return parts;
}

/** The value of an output that says its type. */
function payloadParts(value: WrappedValue): WrapperPart[] {
  if (value.kind === "string") return [textPart("", value.text())];
  if (value.kind === "array" && isBlocks(value)) return blockParts(value, "");
  return [{ name: "", text: value.source, isJson: true }];
}

/** Adds a member of a wrapper, by what it is. */
function collect(
  value: WrappedValue,
  key: string,
  name: string,
  parts: WrapperPart[],
  level: number,
): void {
  if (value.kind === "string") {
    const encoded = describeEncoded(key, value.source);
    const text = encoded ?? value.text();
    const isText = encoded === undefined && (text.length > LONG_CHARS || text.includes("\n"));
    parts.push(isText ? textPart(name, text) : { name, field: text === "" ? '""' : text });
    return;
  }
  if (value.kind === "other") {
    parts.push({ name, field: value.source });
    return;
  }
  const small = smallSource(value);
  if (small !== undefined) parts.push({ name, field: small });
  else if (value.kind === "array" && level < MAX_LEVELS && isBlocks(value)) {
    parts.push(...blockParts(value, name === "content" ? "" : `${name}, `));
  } else if (level < MAX_LEVELS && (isSmall(value) || isBulkyText(value) || holdsEncoded(value))) {
    for (const [inner, member] of value.entries()) {
      collect(member, inner, `${name}.${inner}`, parts, level + 1);
    }
  } else parts.push({ name, text: value.source, isJson: true });
}

/** Blocks by their number; a text that has no other beside it needs no name. */
function blockParts(blocks: WrappedValue, lead: string): WrapperPart[] {
  const items = [...blocks.entries()];
  return items.flatMap(([, block], index) => {
    const parts: WrapperPart[] = [];
    const place = items.length === 1 ? "" : `${lead}block ${index + 1}`;
    const title = `${lead}block ${index + 1} of ${items.length}`;
    if (block.kind !== "object") {
      const name = items.length === 1 ? "" : `${title}: ${block.kind}`;
      if (block.kind === "string") return [textPart(name, block.text())];
      collect(block, "", title, parts, 1);
      return parts;
    }
    const isText = isTextBlock(block);
    for (const [key, member] of block.entries()) {
      if (isText && key === "type") continue;
      if (key === "type" && place !== "" && textOf(member) !== "") {
        parts.push({ name: title, field: textOf(member) });
      } else if (isText && key === "text" && member.kind === "string") {
        parts.push(textPart(items.length === 1 ? "" : `${title}: text`, member.text()));
      } else collect(member, key, place === "" ? key : `${place}.${key}`, parts, 1);
    }
    return parts;
  });
}

function textPart(name: string, text: string): WrapperPart {
  return { name, text, isJson: false };
}

/** Whether an array is the content of a tool result: blocks, of which at least one is a text or media. */
function isBlocks(value: WrappedValue): boolean {
  const items = take(value, CHECKED_ITEMS).map(([, item]) => item);
  const [first] = items;
  if (first === undefined) return false;
  if (first.kind !== "string" && textOf(memberOf(first, "type")) === "") return false;
  return items.some((item) => isTextBlock(item) || (item.kind === "object" && holdsEncoded(item)));
}

/** Whether an array is a few long strings. */
function isTexts(value: WrappedValue): boolean {
  const items = take(value, MAX_STRINGS + 1);
  return (
    items.length <= MAX_STRINGS && isBulky(value, sumOf(items.map(([, item]) => longChars(item))))
  );
}

/** Whether most of an object is long strings, directly in it or in an object inside it. */
function isBulkyText(value: WrappedValue): boolean {
  return value.kind === "object" && isBulky(value, longChars(value));
}

function isBulky({ source }: WrappedValue, chars: number): boolean {
  return chars > 0 && chars >= source.length * BULK_SHARE;
}

/** How much of a value is long strings. */
function longChars(value: WrappedValue, level = 1): number {
  const { length } = value.source;
  if (length <= LONG_CHARS || level > MAX_LEVELS) return 0;
  if (value.kind === "string") return length;
  if (value.kind !== "object") return 0;
  const members = take(value, MAX_MEMBERS + 1);
  if (members.length > MAX_MEMBERS) return 0;
  return sumOf(members.map(([, member]) => longChars(member, level + 1)));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function isTextBlock(value: WrappedValue): boolean {
  return (
    value.kind === "object" &&
    TEXT_TYPES.has(textOf(memberOf(value, "type"))) &&
    memberOf(value, "text")?.kind === "string"
  );
}

function memberOf(value: WrappedValue, key: string): WrappedValue | undefined {
  if (value.kind !== "object") return undefined;
  return take(value, MAX_MEMBERS).find(([name]) => name === key)?.[1];
}

/** The text of a short string; "" for anything else. */
function textOf(value: WrappedValue | undefined): string {
  return value?.kind === "string" && value.source.length <= SMALL_CHARS ? value.text() : "";
}

/** A container in one line, if it is small and shows its strings as they are. */
function smallSource({ source }: WrappedValue): string | undefined {
  if (source.length > 2 * SMALL_CHARS || source.includes("\\")) return undefined;
  const compact = source.replace(/"[^"]*"|\s+/g, (part) => (part.startsWith('"') ? part : ""));
  return compact.length <= SMALL_CHARS && !compact.includes("\n") ? compact : undefined;
}

/** Whether a container is small enough to show its members one by one, with their strings unescaped. */
function isSmall({ source }: WrappedValue): boolean {
  return source.length <= MAX_FIELD_CHARS && source.includes("\\");
}

function take(value: WrappedValue, most: number): (readonly [string, WrappedValue])[] {
  const taken: (readonly [string, WrappedValue])[] = [];
  for (const entry of value.entries()) {
    taken.push(entry);
    if (taken.length === most) break;
  }
  return taken;
}
