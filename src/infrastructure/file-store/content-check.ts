import { createHash } from "node:crypto";
import { ArtifactDamagedError } from "../../core/errors/artifact-errors.js";
import { readPieces } from "../../core/lib/text/byte-source.js";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import type { OpenContent } from "../../core/workspace/artifacts/artifact-store.js";
import type { OpenFile } from "./open-content.js";

/** Content up to this size is compared with its hash whenever it is opened; it takes about a millisecond. */
const CHECKED_AT_ONCE = 1_048_576;
/** What changed less than this ago may change again with the same time; FAT counts in two seconds. */
export const SETTLED_MS = 3_000;

/** Compares content with what its record says, and remembers what it found until the file changes. */
export class ContentCheck {
  /** The state in which a file was found to be intact. */
  readonly #intact = new WeakMap<ArtifactRecord, string>();

  /** Checks the size, and the hash if that is cheap; anything larger is checked by `check`. */
  async guard(record: ArtifactRecord, file: OpenFile): Promise<OpenContent> {
    try {
      const { size } = file;
      if (size !== record.size.bytes) {
        const problem = `its file has ${size} bytes instead of ${record.size.bytes}`;
        throw new ArtifactDamagedError(record.artifactId, problem);
      }
      const check = (signal?: AbortSignal) => this.#compare(record, file, signal);
      if (size <= CHECKED_AT_ONCE) await check();
      return tallied(file, check);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async #compare(record: ArtifactRecord, file: OpenFile, signal?: AbortSignal): Promise<void> {
    if (this.#intact.get(record) === file.state) return;
    const hash = createHash("sha256");
    for await (const piece of readPieces(file, signal)) hash.update(piece);
    if (hash.digest("hex") !== record.hash) {
      throw new ArtifactDamagedError(record.artifactId, "its hash is different");
    }
    if (Date.now() - file.changedMs > SETTLED_MS) this.#intact.set(record, file.state);
  }
}

/** The content, with a count of the bytes that were read from it. */
function tallied(file: OpenFile, check: (signal?: AbortSignal) => Promise<void>): OpenContent {
  let bytesRead = 0;
  return {
    fd: file.fd,
    size: file.size,
    get bytesRead() {
      return bytesRead;
    },
    check,
    async read(start, end) {
      const bytes = await file.read(start, end);
      bytesRead += bytes.length;
      return bytes;
    },
    close: () => file.close(),
  };
}
