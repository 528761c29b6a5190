import type { ContentSample } from "../digest/digest.js";
import { decodeWtf8 } from "../wtf8.js";

const HEAD_BYTES = 262_144;
const TAIL_BYTES = 65_536;
const LINE_FEED = 10;

/** Keeps the two ends of a stream while it passes. */
export function createSampler(): {
  push(chunk: Uint8Array): void;
  sample(whole: { readonly chars: number; readonly lines: number }): ContentSample;
} {
  const head = new Uint8Array(HEAD_BYTES);
  let headLength = 0;
  let tail = new Uint8Array(0);
  let total = 0;

  return {
    push(chunk) {
      total += chunk.length;
      const toHead = chunk.subarray(0, HEAD_BYTES - headLength);
      head.set(toHead, headLength);
      headLength += toHead.length;
      const rest = chunk.subarray(toHead.length);
      if (rest.length === 0) return;
      const kept =
        rest.length >= TAIL_BYTES ? new Uint8Array(0) : tail.subarray(rest.length - TAIL_BYTES);
      const next = new Uint8Array(kept.length + Math.min(rest.length, TAIL_BYTES));
      next.set(kept);
      next.set(rest.subarray(-TAIL_BYTES), kept.length);
      tail = next;
    },

    sample({ chars, lines }) {
      const complete = headLength + tail.length === total;
      if (complete) {
        const whole = new Uint8Array(total);
        whole.set(head.subarray(0, headLength));
        whole.set(tail, headLength);
        return { head: decodeWtf8(whole), tail: "", tailLine: lines + 1, chars, lines, complete };
      }
      // Cut at line ends where there are any, so that neither end shows a part of a line or character.
      const headEnd = head.lastIndexOf(LINE_FEED) + 1 || headLength;
      const tailStart = tail.indexOf(LINE_FEED) + 1;
      const end = tail.subarray(tailStart === tail.length ? 0 : tailStart);
      const tailText = decodeWtf8(end);
      return {
        head: decodeWtf8(head.subarray(0, headEnd)),
        tail: tailText,
        tailLine: lines - countLineStarts(end) + 1,
        chars,
        lines,
        complete,
      };
    },
  };
}

/** How many lines these last bytes of a text hold. */
function countLineStarts(bytes: Uint8Array): number {
  let breaks = 0;
  for (const byte of bytes) if (byte === LINE_FEED) breaks++;
  return bytes.at(-1) === LINE_FEED ? breaks : breaks + 1;
}
