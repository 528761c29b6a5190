import type { FileHandle } from "node:fs/promises";

/** Closes a file behind the caller's back: what was written is with the system already. */
export function closeSoon(handle: FileHandle): void {
  handle.close().catch(() => undefined);
}
