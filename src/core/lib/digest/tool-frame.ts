import { countLineFeeds } from "../text/text-index.js";
import type { Piece, SampledText } from "./sampled-text.js";

/** Text that an agent's harness put around a tool's own output, and that says nothing of it. */
const REMINDER = "<system-reminder>";
const REMINDER_END = "</system-reminder>";
const MAX_REMINDERS = 16;
const MAX_HEADER_LINES = 10;
const MAX_HEADER_CHARS = 200;

/** The text without reminders, and without a header that ends with a line such as `Output:`. */
export function withoutFrame(sampled: SampledText): SampledText {
  const { text } = sampled;
  const frames: { from: number; to: number }[] = [];
  const header = headerLength(text);
  if (header > 0) frames.push({ from: 0, to: header });
  let at = text.indexOf(REMINDER);
  while (at !== -1 && frames.length < MAX_REMINDERS) {
    const end = text.indexOf(REMINDER_END, at);
    const to = end === -1 ? text.length : end + REMINDER_END.length;
    frames.push({ from: at, to });
    at = end === -1 ? -1 : text.indexOf(REMINDER, to);
  }
  if (frames.length === 0) return sampled;
  let { pieces } = sampled;
  for (const { from, to } of frames)
    pieces = pieces.flatMap((piece) => cutOut(text, piece, from, to));
  // Where nothing else is there, the frame is the content.
  return pieces.length === 0 ? sampled : { ...sampled, pieces };
}

function cutOut(text: string, piece: Piece, from: number, to: number): Piece[] {
  if (to <= piece.from || from >= piece.to) return [piece];
  const rest: Piece[] = [];
  if (from > piece.from && text.slice(piece.from, from).trim() !== "")
    rest.push({ ...piece, to: from });
  const next = text.charCodeAt(to) === 10 ? to + 1 : to;
  if (next < piece.to && text.slice(next, piece.to).trim() !== "") {
    rest.push({
      from: next,
      to: piece.to,
      line: piece.line + countLineFeeds(text, piece.from, next),
    });
  }
  return rest;
}

/** How long the lines about a run are that some harnesses put before its output. */
function headerLength(text: string): number {
  let start = 0;
  for (let seen = 0; seen < MAX_HEADER_LINES; seen += 1) {
    const feed = text.slice(start, start + MAX_HEADER_CHARS).indexOf("\n");
    if (feed === -1) return 0;
    const line = text
      .slice(start, start + feed)
      .trim()
      .toLowerCase();
    start += feed + 1;
    if (line === "output:" || line === "observation:" || line === "stdout:" || line === "result:")
      return start;
  }
  return 0;
}
