import { DEFAULTS } from "../../defaults.js";
import { indentJson, unwrap, wrappingOf } from "../../lib/wrapping/readable-text.js";

/** What content reads like, as far as it is worth finding out when it is stored. */
export interface ReadableContent {
  /** The readable text; `undefined` if it is the stored text, or not known. */
  readonly text?: string;
  /** The content without the fields of its wrapper, which a digest describes. */
  readonly body?: string;
  readonly isKnown: boolean;
}

/** Longer JSON is not indented just to count its lines. */
const MAX_INDENTED_CHARS = 262_144;

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
    const mostIndentedChars = isOneLine ? MAX_INDENTED_CHARS : Infinity;
    const readable = unwrap(stored, { mostIndentedChars });
    if (readable !== undefined) {
      const { text, bodyChars, isIndented } = readable;
      const body = text.slice(0, bodyChars);
      return isIndented && isWhole ? { text, body, isKnown: true } : { body, isKnown: false };
    }
    if (!isOneLine) return AS_STORED;
  }
  if (!isWhole || stored.length > MAX_INDENTED_CHARS) return UNKNOWN;
  const indented = indentJson(stored);
  return indented === undefined ? AS_STORED : { text: indented, body: indented, isKnown: true };
}
