import type { ByteSource } from "../text/byte-source.js";

const BLOCK_BYTES = 64 * 1024;

/** Keeps the last block, so that many small reads side by side cost one. */
export function readAhead(source: ByteSource): ByteSource {
  let block = new Uint8Array(0);
  let blockStart = 0;
  return {
    size: source.size,
    read: async (start, end) => {
      if (end - start >= BLOCK_BYTES) return source.read(start, end);
      const isHeld = start >= blockStart && end <= blockStart + block.length;
      if (!isHeld) {
        const read = await source.read(start, Math.min(start + BLOCK_BYTES, source.size));
        // A copy: the source may use its buffer again.
        block = new Uint8Array(read);
        blockStart = start;
      }
      return block.subarray(start - blockStart, end - blockStart);
    },
  };
}
