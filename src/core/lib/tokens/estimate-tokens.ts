import { weighPieces } from "./pieces.js";

/** Counts the tokens of a text. Pass an exact tokenizer if the estimate is not good enough. */
export type CountTokens = (text: string) => number;

/** A text up to this length is read completely; a longer one is sampled. */
const MAX_WHOLE_CHARS = 4_608;
const WINDOW_COUNT = 32;
const WINDOW_CHARS = 144;
/** How far a window's edge may move to reach a line break or a blank. */
const MAX_EDGE_SHIFT = 96;
/** Shifts each window within its share, so that a periodic text is sampled in all its parts. */
const GOLDEN_RATIO = 0.618_033_988_749_895;

/** Estimates the tokens of a text: a whole number, 0 only for the empty one. Long texts are sampled. */
export function weighText(text: string): number {
  if (text.length === 0) return 0;
  const tokens =
    text.length <= MAX_WHOLE_CHARS ? weighPieces(text, 0, text.length) : weighWindows(text);
  return Math.max(1, Math.round(tokens));
}

/** One window in each of 32 equal parts of the text, scaled up to its length. */
function weighWindows(text: string): number {
  const share = text.length / WINDOW_COUNT;
  let tokens = 0;
  let charsRead = 0;
  for (let index = 0; index < WINDOW_COUNT; index++) {
    const shift = (share - WINDOW_CHARS) * ((index * GOLDEN_RATIO) % 1);
    const from = Math.floor(index * share + shift);
    const start = nextEdge(text, from);
    const end = nextEdge(text, from + WINDOW_CHARS);
    tokens += weighPieces(text, start, end);
    charsRead += end - start;
  }
  return (tokens / charsRead) * text.length;
}

/** The next space or line break, so that no word is cut; `from` itself if there is none nearby. */
function nextEdge(text: string, from: number): number {
  if (from <= 0) return 0;
  const limit = Math.min(text.length, from + MAX_EDGE_SHIFT);
  for (let index = from; index < limit; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x0a || code === 0x20) return index;
  }
  return Math.min(from, text.length);
}
