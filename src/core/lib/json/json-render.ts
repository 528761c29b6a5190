import type { ByteSource } from "../text/byte-source.js";
import { decodeWtf8 } from "../text/wtf8.js";
import { countCharacters, readCharacters, type JsonStretch } from "./json-characters.js";
import { createJsonIndenter } from "./json-indenter.js";
import { isContainer, type JsonKind } from "./json-layout.js";
import { formatPointer } from "./json-pointer.js";
import { JsonSyntaxError } from "./json-errors.js";

/** A character takes at most this many bytes, so anything with more bytes than this times the limit exceeds it. */
const MOST_BYTES_PER_CHAR = 4;
/** How much of a long string is shown before the note. */
const HEAD_CHARS = 60;

/** A value in the source, and its pointer. */
export interface JsonPiece {
  readonly start: number;
  readonly end: number;
  readonly kind: JsonKind;
  /** Undefined if a key on the path is too long to be named. */
  readonly tokens: readonly string[] | undefined;
}

/** What is read, and how long the answer may be. */
export interface RenderContext {
  readonly source: ByteSource;
  readonly maxChars: number;
  readonly signal: AbortSignal | undefined;
}

export interface Note {
  readonly text: string;
  /** How many characters it stands for. */
  readonly chars: number;
}

export function isReadable(context: RenderContext, start: number, end: number): boolean {
  return end - start <= context.maxChars * MOST_BYTES_PER_CHAR;
}

/** The value indented; undefined when it is longer than `cap` characters or nested too deep. */
export async function renderWhole(
  context: RenderContext,
  piece: JsonPiece,
  cap: number,
): Promise<string | undefined> {
  if (!isReadable(context, piece.start, piece.end)) return undefined;
  context.signal?.throwIfAborted();
  const bytes = await context.source.read(piece.start, piece.end);
  const indenter = createJsonIndenter();
  try {
    const text = decodeWtf8(indenter.push(bytes)) + decodeWtf8(indenter.end());
    return text.length <= cap ? text : undefined;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (error.isTooDeep) return undefined;
    throw new JsonSyntaxError(error.reason, piece.start + error.offset);
  }
}

/** A JSON string in place of a value that is too long: how long it is, and its pointer. */
export async function renderNote(context: RenderContext, piece: JsonPiece): Promise<Note> {
  const { source, signal } = context;
  const stretch = stretchOf(piece);
  const isText = piece.kind === "string";
  const head = isText
    ? await readCharacters(source, stretch, 0, HEAD_CHARS, signal)
    : { text: "", total: await countCharacters(source, stretch, signal) };
  const kind = isContainer(piece.kind) ? `${piece.kind}, ` : "";
  const where = piece.tokens === undefined ? "" : `, pointer ${formatPointer(piece.tokens)}`;
  const note = `${head.text}… ${kind}${groupDigits(head.total)} characters${where}`;
  return { text: JSON.stringify(note), chars: head.total - head.text.length };
}

/** The text of a value: the inside of a string, or the JSON of anything else. */
export function stretchOf({ start, end, kind }: JsonPiece): JsonStretch {
  const isEscaped = kind === "string";
  return isEscaped ? { start: start + 1, end: end - 1, isEscaped } : { start, end, isEscaped };
}

/** 1234567 as "1,234,567", whatever the locale. */
export function groupDigits(count: number): string {
  const digits = String(count);
  const first = digits.length % 3 || 3;
  return digits.slice(0, first) + digits.slice(first).replace(/\d{3}/g, ",$&");
}
