import { LINE_FEED } from "../../core/lib/text/scan-bytes.js";
import * as nodeBuffer from "node:buffer";
import { MAX_NEEDLE_BYTES, type SearchBuffer } from "../../core/lib/search/compile-pattern.js";
import { decodeWtf8 } from "../../core/lib/text/wtf8.js";
import { loadSimdScan } from "./simd-scan.js";

const PAGE_BYTES = 65_536;
/** Bytes by their frequency in logs, code and prose, the most frequent first; all others are rare. */
const FREQUENT =
  " etaoinsr0123456789lcdupmgf\n-:./\"_,hbvyw=()TESIRADON[]{}'kxCLMPU;<>\r\tFGBHVWjqz";

/** A search buffer in WebAssembly memory, which compares sixteen bytes at once; `undefined` if WebAssembly is not available. */
export function createSimdSearchBuffer(size: number): SearchBuffer | undefined {
  const scan = loadSimdScan();
  if (scan === undefined) return undefined;
  // After the buffer there is room to read past its end, then for the needle.
  const needleAt = size + 16;
  const grow = (bytes: number): void => {
    const missing = bytes - scan.memory.buffer.byteLength;
    if (missing > 0) scan.memory.grow(Math.ceil(missing / PAGE_BYTES));
  };
  grow(needleAt + MAX_NEEDLE_BYTES);
  const bytes = Buffer.from(scan.memory.buffer, 0, size);
  const needleBytes = Buffer.from(scan.memory.buffer, needleAt, MAX_NEEDLE_BYTES);
  let needle = { length: 0, first: 0, second: 0 };
  return {
    bytes,
    setNeedle: (wanted) => {
      const [first = 0, second = first] = rarestOffsets(wanted);
      needleBytes.set(wanted);
      needle = { length: wanted.length, first, second };
    },
    find: (from, end) =>
      scan.find(
        from,
        end,
        needleAt,
        needle.length,
        needle.first,
        needleBytes[needle.first] ?? 0,
        needle.second,
        needleBytes[needle.second] ?? 0,
      ),
    countLineFeeds: (from, end) => scan.count(from, end, LINE_FEED),
    decode: (from, end) => decode(bytes, from, end),
  };
}

/** The offsets of the two rarest bytes of the needle, the rarest first. */
function rarestOffsets(needle: Uint8Array): number[] {
  const frequency = (byte: number): number => {
    const rank = FREQUENT.indexOf(String.fromCharCode(byte));
    return rank === -1 ? 0 : FREQUENT.length - rank;
  };
  return Array.from(needle, (byte, offset) => ({ offset, often: frequency(byte) }))
    .sort((left, right) => left.often - right.often)
    .slice(0, 2)
    .map(({ offset }) => offset);
}

// Available from Node 18.15 on.
const { isAscii, isUtf8 } = nodeBuffer as Partial<
  Record<"isAscii" | "isUtf8", (bytes: Uint8Array) => boolean>
>;

function decode(bytes: Buffer, from: number, end: number): string {
  const part = bytes.subarray(from, end);
  if (isAscii?.(part) === true) return part.toString("latin1");
  return isUtf8?.(part) === true ? part.toString("utf8") : decodeWtf8(part);
}
