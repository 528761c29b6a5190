import type { TextIndex } from "./text-index.js";

/**
 * An index as bytes, little-endian: magic, version and flags (4 bytes each), then as
 * doubles the four counts and the three arrays of the checkpoints.
 */
const MAGIC = 0x58495443; // "CTIX"
const VERSION = 1;
const FLAGS_AT = 8;
const COUNTS_AT = 12;
const CHECKPOINTS_AT = 44;
const DOUBLE_BYTES = 8;
const WELL_FORMED = 1;

export function encodeTextIndex(index: TextIndex): Uint8Array {
  const { bytes, chars, breaks } = index.checkpoints;
  const doubles = [index.bytes, index.chars, index.lines, bytes.length];
  const encoded = new Uint8Array(CHECKPOINTS_AT + 3 * bytes.length * DOUBLE_BYTES);
  const view = new DataView(encoded.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, VERSION, true);
  view.setUint32(FLAGS_AT, index.wellFormed ? WELL_FORMED : 0, true);
  let at = COUNTS_AT;
  for (const part of [doubles, bytes, chars, breaks]) {
    for (const value of part) {
      view.setFloat64(at, value, true);
      at += DOUBLE_BYTES;
    }
  }
  return encoded;
}

/**
 * Decodes an index. It is only a cache: if it is cut short or has another version, the result is
 * `undefined` and the caller makes a new one. Stores check what they keep, so there is no checksum.
 */
export function decodeTextIndex(encoded: Uint8Array): TextIndex | undefined {
  if (encoded.length < CHECKPOINTS_AT) return undefined;
  const view = new DataView(encoded.buffer, encoded.byteOffset, encoded.length);
  if (view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== VERSION) return undefined;
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
    wellFormed: view.getUint32(FLAGS_AT, true) === WELL_FORMED,
    checkpoints: {
      bytes: checkpointsAt(0),
      chars: checkpointsAt(1),
      breaks: checkpointsAt(2),
    },
  };
}
