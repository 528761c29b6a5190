import type { FileWriter } from "../../src/files.js";

/** Keeps files in memory. */
export class MemoryWriter implements FileWriter {
  readonly files = new Map<string, string>();

  writeFile(path: string, content: string): Promise<void> {
    this.files.set(path, content);
    return Promise.resolve();
  }
}
