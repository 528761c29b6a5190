import type { TextIndex } from "./text-index.js";

/**
 * An index as bytes, little-endian: magic and version (4 + 4), checksum of all that follows (4),
 * flags (4), then as doubles the four counts and the three arrays of the checkpoints.
 */
const MAGIC = 0x58495443; // "CTIX"
const VERSION = 1;
const CHECKED_FROM = 12;
const COUNTS_AT = 16;
const CHECKPOINTS_AT = 48;
const DOUBLE_BYTES = 8;
const WELL_FORMED = 1;

export function encodeTextIndex(index: TextIndex): Uint8Array {
  const { bytes, chars, breaks } = index.checkpoints;
  const doubles = [index.bytes, index.chars, index.lines, bytes.length];
  const encoded = new Uint8Array(CHECKPOINTS_AT + 3 * bytes.length * DOUBLE_BYTES);
  const view = new DataView(encoded.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, VERSION, true);
  view.setUint32(CHECKED_FROM, index.wellFormed ? WELL_FORMED : 0, true);
  let at = COUNTS_AT;
  for (const part of [doubles, bytes, chars, breaks]) {
    for (const value of part) {
      view.setFloat64(at, value, true);
      at += DOUBLE_BYTES;
    }
  }
  view.setUint32(8, checksum(encoded.subarray(CHECKED_FROM)), true);
  return encoded;
}

/**
 * The index that was encoded. An index is a cache: one that is damaged, cut short or of another
 * version is `undefined`, and the caller makes a new one.
 */
export function decodeTextIndex(encoded: Uint8Array): TextIndex | undefined {
  if (encoded.length < CHECKPOINTS_AT) return undefined;
  const view = new DataView(encoded.buffer, encoded.byteOffset, encoded.length);
  if (view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== VERSION) return undefined;
  if (view.getUint32(8, true) !== checksum(encoded.subarray(CHECKED_FROM))) return undefined;
  const count = view.getFloat64(COUNTS_AT + 3 * DOUBLE_BYTES, true);
  if (encoded.length !== CHECKPOINTS_AT + 3 * count * DOUBLE_BYTES) return undefined;
  const doublesAt = (at: number, length: number): Float64Array =>
    Float64Array.from({ length }, (_, i) => view.getFloat64(at + i * DOUBLE_BYTES, true));
  const checkpointsAt = (which: number): Float64Array =>
    doublesAt(CHECKPOINTS_AT + which * count * DOUBLE_BYTES, count);
  const [bytes = 0, chars = 0, lines = 0] = doublesAt(COUNTS_AT, 3);
  return {
    bytes,
    chars,
    lines,
    wellFormed: view.getUint32(CHECKED_FROM, true) === WELL_FORMED,
    checkpoints: {
      bytes: checkpointsAt(0),
      chars: checkpointsAt(1),
      breaks: checkpointsAt(2),
    },
  };
}

/** FNV-1a: no change of a single byte leaves it as it was. */
function checksum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
