import type { ArtifactRecord } from "../../src/index.js";
import { MemoryStore } from "../../src/testing/index.js";

/** A store without files that counts what is read of it. */
export class CountingStore extends MemoryStore {
  /** The largest range that was read at once, in bytes. */
  largest = 0;
  /** All bytes that were read. */
  total = 0;
  /** What was made from artifacts, by name. */
  readonly derived: string[] = [];

  override async open(record: ArtifactRecord) {
    const content = await super.open(record);
    return {
      ...content,
      read: (start: number, end: number) => {
        this.largest = Math.max(this.largest, end - start);
        this.total += end - start;
        return content.read(start, end);
      },
    };
  }

  override openDerived(
    record: ArtifactRecord,
    name: string,
    make: () => AsyncIterable<Uint8Array>,
  ) {
    this.derived.push(name);
    return super.openDerived(record, name, make);
  }
}
