import { DEFAULTS } from "../../defaults.js";
import type { Content } from "../../engine/format.js";
import type { ByteRange } from "../../lib/json/json-path-tracker.js";
import {
  decodeKey,
  type JsonKind,
  JsonWalker,
  type JsonVisitor,
} from "../../lib/json/json-walker.js";
import { type ByteSource, readPieces } from "../../lib/text/byte-source.js";
import { indentJson, unwrap, wrappingOf } from "../../lib/wrapping/readable-text.js";

/** What content reads like, as far as it is worth finding out when it is stored. */
export interface ReadableContent {
  /** The readable text; `undefined` if it is the stored text, or not known. */
  readonly text?: string;
  /** The content without the fields of its wrapper, which a digest describes. */
  readonly body?: string;
  readonly isKnown: boolean;
}

const AS_STORED: ReadableContent = { isKnown: true };
const UNKNOWN: ReadableContent = { isKnown: false };

/**
 * The readable text of content that is about to be stored, made as the readable view will be made.
 *
 * @param bytes - The size of all of it.
 * @param isWhole - False if `stored` is only the beginning; its text is good for a digest then.
 */
export function readableOf(stored: string, bytes: number, isWhole = true): ReadableContent {
  const wrapping = wrappingOf(stored);
  if (wrapping === "plain") return AS_STORED;
  const lineEnd = stored.indexOf("\n");
  const isOneLine = lineEnd === -1 || lineEnd === stored.length - 1;
  const isLarge = isWhole && bytes > DEFAULTS.unwrapBytes;
  // The lines of a view must be known for a text of several lines, else it is read as it is.
  if (!isOneLine && (wrapping === "json" || isLarge || !isWhole)) return AS_STORED;
  if (isLarge) return UNKNOWN;
  if (wrapping === "wrapped") {
    const mostIndentedChars = isOneLine ? DEFAULTS.wholeJsonChars : Infinity;
    const readable = unwrap(stored, { mostIndentedChars });
    if (readable !== undefined) {
      const { text, bodyChars, isIndented } = readable;
      const body = text.slice(0, bodyChars);
      return isIndented && isWhole ? { text, body, isKnown: true } : { body, isKnown: false };
    }
    if (!isOneLine) return AS_STORED;
  }
  if (!isWhole || stored.length > DEFAULTS.wholeJsonChars) return UNKNOWN;
  const indented = indentJson(stored);
  return indented === undefined ? AS_STORED : { text: indented, body: indented, isKnown: true };
}

/** A value about as long as a model sees it: its tokens are counted from this. */
export function renderValue(value: Exclude<Content, string>): string {
  return [...renderParts(value)].join("");
}

function* renderParts(value: Exclude<Content, string>): Generator<string> {
  const { content, structuredContent } = value as Readonly<Record<string, unknown>>;
  if (Array.isArray(value)) yield* renderBlocks(value as readonly unknown[]);
  // An MCP result may hold the same data twice; the blocks are easier to read, unless they only sum it up.
  else if (Array.isArray(content) && structuredContent !== undefined) {
    const isSummary = 2 * lengthOf(content) < lengthOf(structuredContent);
    if (isSummary) yield JSON.stringify(value, shortenData, 2);
    else yield* renderBlocks(content);
  } else yield JSON.stringify(value, shortenData, 2);
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value).length;
}

/** Text blocks as plain text, anything else as indented JSON. */
function* renderBlocks(blocks: readonly unknown[]): Generator<string> {
  const [only] = blocks;
  if (blocks.length === 1 && isTextBlock(only)) {
    yield only.text;
    return;
  }
  for (const [index, block] of blocks.entries()) {
    const start = index === 0 ? "" : "\n";
    yield `${start}--- block ${index + 1} of ${blocks.length}: ${typeOf(block)} ---\n`;
    yield isTextBlock(block) ? block.text : JSON.stringify(block, shortenData, 2);
  }
}

/** Encoded images and audio are not worth reading; the raw view has them in full. */
function shortenData(_key: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length < 1_000) return value;
  if (!/^(?:data:[^,]{0,80},)?[A-Za-z0-9+/=_-]{500}/.test(value)) return value;
  return `${value.slice(0, 40)}… ${value.length} characters of encoded data`;
}

function isTextBlock(block: unknown): block is { readonly text: string } {
  const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
  return type === "text" && typeof text === "string";
}

function typeOf(block: unknown): string {
  const { type } = (block ?? {}) as { type?: unknown };
  return typeof type === "string" ? type : typeof block;
}

/** `"text"`, quotes included. */
const TYPE_BYTES = 6;

/**
 * The range of the text in stored blocks, without its quotes, if there is one text block and nothing
 * else, as in the output of many tools. Most other content is ruled out by its first bytes.
 */
export async function findSoleText(
  stored: ByteSource,
  signal?: AbortSignal,
): Promise<ByteRange | undefined> {
  const search = new SoleTextSearch();
  const walker = new JsonWalker(search, 0);
  for await (const piece of readPieces(stored, signal)) {
    walker.push(piece);
    if (search.isDone) return undefined;
  }
  walker.end();
  const { type, text } = search;
  if (type === undefined || text === undefined) return undefined;
  const name = new TextDecoder().decode(await stored.read(type.start, type.end));
  return name === '"text"' ? { start: text.start + 1, end: text.end - 1 } : undefined;
}

/** Walks `[{"type":"text","text":"…"}]` and stops at anything that does not fit. */
class SoleTextSearch implements JsonVisitor {
  /** True once it cannot be a single text block. */
  isDone = false;
  type: ByteRange | undefined;
  text: ByteRange | undefined;

  #depth = 0;
  #hasBlock = false;
  #key = "";
  #start = 0;

  beginKey(): boolean {
    return true;
  }

  key(raw: Uint8Array | undefined): void {
    this.#key = raw === undefined ? "" : decodeKey(raw);
  }

  begin(kind: JsonKind, start: number): boolean {
    const wanted = this.#wanted();
    this.isDone ||= wanted !== undefined && kind !== wanted;
    const isEntered = this.#depth < 2 && !this.isDone;
    this.#hasBlock ||= this.#depth === 1;
    this.#depth += 1;
    this.#start = start;
    return isEntered;
  }

  end(end: number): void {
    this.#depth -= 1;
    if (this.#depth !== 2) return;
    const range = { start: this.#start, end };
    if (this.#key === "text") this.text = range;
    if (this.#key !== "type") return;
    this.type = range;
    this.isDone ||= end - range.start !== TYPE_BYTES;
  }

  /** The kind of value required here; `undefined` if any is allowed. */
  #wanted(): JsonKind | "nothing" | undefined {
    if (this.#depth === 0) return "array";
    if (this.#depth === 1) return this.#hasBlock ? "nothing" : "object";
    return this.#key === "text" || this.#key === "type" ? "string" : undefined;
  }
}
