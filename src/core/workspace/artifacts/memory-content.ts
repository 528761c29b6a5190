import type { OpenContent } from "./artifact-store.js";

/** Bytes in memory as open content, where there is no file to read. */
export function memoryContent(bytes: Uint8Array): OpenContent {
  return {
    size: bytes.length,
    read: (start, end) => Promise.resolve(bytes.subarray(start, end)),
    close: () => Promise.resolve(),
  };
}
