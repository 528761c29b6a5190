import { createHash } from "node:crypto";
import { ArtifactDamagedError } from "../core/errors/reading-errors.js";
import { once } from "../core/lib/concurrency.js";
import { readPieces } from "../core/lib/text/byte-source.js";
import type { OpenContent } from "../core/workspace/artifacts/artifact-store.js";
import type { ArtifactRecord } from "../core/workspace/artifacts/artifact.js";
import { sha256 } from "./hash.js";

/** What is known of content from an earlier check. */
export interface EarlierCheck {
  /** Whether it was intact, and has not changed since. */
  readonly isIntact: boolean;
  /** Called when all of it was compared with its hash. */
  readonly onIntact: () => void;
}

/**
 * Open content that can be compared with its hash. What is read from the start on is hashed as it is
 * read, and not read again for the comparison.
 */
export function checkedContent(
  record: ArtifactRecord,
  content: OpenContent,
  earlier?: EarlierCheck,
): OpenContent {
  requireSize(record, content.size);
  const hashing = createHash("sha256");
  let hashedTo = 0;
  let bytesRead = 0;
  let outcome: "intact" | "damaged" | undefined;
  return {
    fd: content.fd,
    size: content.size,
    get bytesRead() {
      return bytesRead;
    },
    async read(start, end) {
      const bytes = await content.read(start, end);
      bytesRead += bytes.length;
      const isNext = start <= hashedTo && start + bytes.length > hashedTo;
      if (isNext && outcome === undefined) {
        hashing.update(bytes.subarray(hashedTo - start));
        hashedTo = start + bytes.length;
      }
      return bytes;
    },
    async check(signal) {
      // What was read is compared even if it was intact before: a disk may lose bits.
      if (earlier?.isIntact && hashedTo < content.size) return;
      if (outcome === undefined) {
        const rest = { start: hashedTo, end: content.size };
        const state = hashing.copy();
        for await (const piece of readPieces(content, signal, rest)) state.update(piece);
        outcome = state.digest("hex") === record.hash ? "intact" : "damaged";
        if (outcome === "intact") earlier?.onIntact();
      }
      if (outcome === "damaged") throw otherHash(record);
    },
    close: () => content.close(),
  };
}

/** The same for content that is in memory as a whole, and can be hashed at once. */
export function checkedBytes(record: ArtifactRecord, bytes: Uint8Array): OpenContent {
  requireSize(record, bytes.length);
  const isIntact = once(() => sha256(bytes) === record.hash);
  let bytesRead = 0;
  return {
    size: bytes.length,
    get bytesRead() {
      return bytesRead;
    },
    read(start, end) {
      const read = bytes.subarray(start, end);
      bytesRead += read.length;
      return Promise.resolve(read);
    },
    check: () => (isIntact() ? Promise.resolve() : Promise.reject(otherHash(record))),
    close: () => Promise.resolve(),
  };
}

function requireSize({ artifactId, size }: ArtifactRecord, bytes: number): void {
  if (bytes === size.bytes) return;
  throw new ArtifactDamagedError(artifactId, `it has ${bytes} bytes instead of ${size.bytes}`);
}

function otherHash({ artifactId }: ArtifactRecord): ArtifactDamagedError {
  return new ArtifactDamagedError(artifactId, "its hash is different");
}
