import type { ContentSample } from "../../lib/digest/digest.js";
import { LINE_FEED } from "../../lib/text/code-units.js";
import { countLinesOfBytes, isContinuation } from "../../lib/text/text-index.js";
import { decodeWtf8 } from "../../lib/text/wtf8.js";

const HEAD_BYTES = 262_144;
const TAIL_BYTES = 65_536;
const MAX_CONTINUATIONS = 3;

/** Keeps the start and the end of a stream as it passes through. */
export function createSampler(): {
  push(chunk: Uint8Array): void;
  sample(whole: { readonly chars: number; readonly lines: number }): ContentSample;
} {
  const head = new Uint8Array(HEAD_BYTES);
  // Twice as long as the tail, so that it is moved to the front only now and then, not at each chunk.
  const last = new Uint8Array(2 * TAIL_BYTES);
  let headLength = 0;
  let lastLength = 0;
  let total = 0;

  return {
    push(chunk) {
      total += chunk.length;
      const toHead = chunk.subarray(0, HEAD_BYTES - headLength);
      head.set(toHead, headLength);
      headLength += toHead.length;
      const rest = chunk.subarray(toHead.length).subarray(-TAIL_BYTES);
      if (lastLength + rest.length > last.length) {
        last.copyWithin(0, lastLength - TAIL_BYTES, lastLength);
        lastLength = TAIL_BYTES;
      }
      last.set(rest, lastLength);
      lastLength += rest.length;
    },

    sample({ chars, lines }) {
      const tail = last.subarray(Math.max(lastLength - TAIL_BYTES, 0), lastLength);
      const complete = headLength + tail.length === total;
      if (complete) {
        const whole = new Uint8Array(total);
        whole.set(head.subarray(0, headLength));
        whole.set(tail, headLength);
        return { head: decodeWtf8(whole), tail: "", tailLine: lines + 1, chars, lines, complete };
      }
      const end = tail.subarray(startOfTail(tail));
      return {
        head: decodeWtf8(head.subarray(0, endOfHead(head))),
        tail: decodeWtf8(end),
        tailLine: lines - countLinesOfBytes(end) + 1,
        chars,
        lines,
        complete,
      };
    },
  };
}

/** Cuts at the end of a line where that loses little, else between two characters. */
function endOfHead(head: Uint8Array): number {
  const lineEnd = head.lastIndexOf(LINE_FEED) + 1;
  if (lineEnd >= head.length / 2) return lineEnd;
  const least = head.length - MAX_CONTINUATIONS - 1;
  let start = head.length - 1;
  while (start > least && isContinuation(head[start] ?? 0)) start--;
  // The last character is dropped, whether or not it is complete.
  return start > least && (head[start] ?? 0) >= 0x80 ? start : head.length;
}

function startOfTail(tail: Uint8Array): number {
  const lineStart = tail.indexOf(LINE_FEED) + 1;
  if (lineStart > 0 && lineStart <= tail.length / 2) return lineStart;
  let start = 0;
  while (start < MAX_CONTINUATIONS && isContinuation(tail[start] ?? 0)) start++;
  return start;
}
